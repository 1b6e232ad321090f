import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readBlocks } from '../../src/core/text/blocks.ts'
import { debianTrees } from '../origin/document-trees.ts'
import { createRandom, type Random } from '../origin/random.ts'

/** A page of a real manual, and the blocks that another site would copy. */
export type RealDocument = { readonly host: string; readonly body: Buffer; readonly blocks: readonly string[] }

const MIN_WORDS = 60
const MAX_WORDS = 4_000
const MAX_BYTES = 400_000
/** A block on this many pages of a manual is boilerplate. */
const CHROME_PAGES = 5
const MAX_FILES = 30_000

export const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

/** Pages sampled from all trees, equally many of each. Without any tree, uses generated manuals. */
export function readRealDocuments(names: readonly string[], count: number, seed: number): RealDocument[] {
  const random = createRandom(seed)
  const trees = debianTrees.filter(({ packages, folder }) => names.includes(packages) && existsSync(folder))
  if (trees.length === 0) return Array.from({ length: count }, (_, n) => madeUp(n, random))
  return trees.flatMap(({ packages, folder }) => ofTree(packages, folder, Math.ceil(count / trees.length), random))
}

function ofTree(name: string, folder: string, count: number, random: Random): RealDocument[] {
  const files = pagesUnder(folder)
  const found: RealDocument[] = []
  const seen = new Set<string>()
  while (files.length > 0 && found.length < count) {
    const [file] = files.splice(random.below(files.length), 1)
    if (statSync(file!).size > MAX_BYTES) continue
    const body = readFileSync(file!)
    const blocks = articleOf(body)
    const words = blocks.reduce((sum, text) => sum + wordsOf(text).length, 0)
    const key = blocks.join('\n')
    if (words < MIN_WORDS || words > MAX_WORDS || seen.has(key)) continue
    seen.add(key)
    found.push({ host: `${name}.example`, body, blocks })
  }
  return withoutChrome(found)
}

/** Removes boilerplate, which is not copied with an article. */
function withoutChrome(documents: readonly RealDocument[]): RealDocument[] {
  const times = new Map<string, number>()
  for (const { blocks } of documents) for (const text of new Set(blocks)) times.set(text, (times.get(text) ?? 0) + 1)
  return documents
    .map((document) => ({ ...document, blocks: document.blocks.filter((text) => times.get(text)! < CHROME_PAGES) }))
    .filter(({ blocks }) => blocks.reduce((sum, text) => sum + wordsOf(text).length, 0) >= MIN_WORDS)
}

function pagesUnder(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files
    .filter((name) => /\.html?$/.test(name))
    .sort()
    .slice(0, MAX_FILES)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

/** The blocks from the first heading to the last sentence. */
function articleOf(body: Buffer): string[] {
  const blocks = readBlocks(body, { contentType: 'text/html' })?.blocks ?? []
  const first = blocks.findIndex(({ kind }) => kind === 'heading')
  const last = blocks.findLastIndex(({ text }) => wordsOf(text).length >= 8)
  return first < 0 || last < first ? [] : blocks.slice(first, last + 1).map(({ text }) => text)
}

const syllables = 'ka ri no ta lo mi ve su ter an dor el fin gra hos im jun pel quo ras sti tun ul war'.split(' ')

function madeUp(n: number, random: Random): RealDocument {
  const vocabulary = Array.from({ length: 400 }, () =>
    Array.from({ length: 1 + random.below(3) }, () => random.pick(syllables)).join(''),
  )
  const sentence = () => Array.from({ length: 10 + random.below(25) }, () => random.pick(vocabulary)).join(' ')
  const blocks = Array.from({ length: 4 + random.below(20) }, sentence)
  const html = `<html><body><h1>${blocks[0]}</h1>${blocks.map((text) => `<p>${text}</p>`).join('')}</body></html>`
  return { host: `manual-${n % 8}.example`, body: Buffer.from(html), blocks }
}

/**
 * From the stored bodies of two versions of a 70 KB page to the list of changes: reading blocks, pairing them, comparing words within
 * pairs. The alternative is what most watchers do: a diff of all words of both texts (`diff`, which also has to extract the text first).
 */
import { diffWords } from 'diff'
import { listChanges } from '../src/archive/diff/change-list.ts'
import type { Blocks } from '../src/core/change/change.ts'
import { changeLine } from '../src/core/change/change-line.ts'
import { readBlocks, textOfBlocks } from '../src/core/text/blocks.ts'
import { quantile } from './measure.ts'
import { createProse, type Prose, renderPage } from './origin/page.ts'
import { createRandom, type Random } from './origin/random.ts'
import { type Benchmark, numbersOf } from './table.ts'

const PAGE_BYTES = 70 * 1024
const LINKS = 60
const GOAL_MS = 2
const shares = [0.01, 0.3]

export const optionNames = ['pairs', 'rounds']

type Pair = { old: Buffer; next: Buffer; oldBlocks: Blocks; newBlocks: Blocks; oldText: string; newText: string }

function makePair(n: number, share: number, prose: Prose, random: Random): Pair {
  const hrefs = Array.from({ length: LINKS }, (_, link) => `/news/${n}/${link}.html`)
  const old = renderPage({ title: prose.phrase(6), hrefs, targetBytes: PAGE_BYTES }, prose, random)
  const next = Buffer.from(edited(old.toString(), share, prose, random))
  const blocksOf = (body: Buffer): Blocks => readBlocks(body, { contentType: 'text/html; charset=utf-8' })!
  const [oldBlocks, newBlocks] = [blocksOf(old), blocksOf(next)]
  return { old, next, oldBlocks, newBlocks, oldText: textOfBlocks(oldBlocks), newText: textOfBlocks(newBlocks) }
}

/** Edits a share of a page's blocks: most are rewritten in one to three places, a few are added, removed or moved. */
function edited(page: string, share: number, prose: Prose, random: Random): string {
  const lines = page.split('\n')
  const isBlock = (line: string): boolean => /^<(?:p|li|tr|h2)\b/.test(line)
  const moved: string[] = []
  const kept = lines.flatMap((line) => {
    if (!isBlock(line) || random.next() >= share) return [line]
    const dice = random.next()
    if (dice < 0.08) return [line, `<p>${prose.phrase(20)}.</p>`]
    if (dice < 0.16 && line.startsWith('<p')) return []
    if (dice < 0.2 && line.startsWith('<p')) {
      moved.push(line)
      return []
    }
    return [rewritten(line, prose, random)]
  })
  const places = kept.flatMap((line, place) => (line.startsWith('<p') ? [place] : []))
  for (const line of moved) kept.splice(random.pick(places), 0, line)
  return kept.join('\n')
}

function rewritten(line: string, prose: Prose, random: Random): string {
  const words = line.split(' ')
  for (let left = 1 + random.below(3); left > 0; left--) {
    const place = 1 + random.below(Math.max(1, words.length - 1))
    if (/^[\p{L}]+$/u.test(words[place] ?? '')) words[place] = prose.word()
  }
  return words.join(' ').replace(/>\d+</, `>${random.below(9999)}<`)
}

/** CPU time, which other load on the machine affects less than wall time. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

export const run: Benchmark = async ({ values }) => {
  const number = numbersOf(values)
  const [pairCount, rounds] = [number('pairs', 16), number('rounds', 20)]
  const rows: (string | number)[][] = []
  const stats: Record<string, number> = {}
  for (const share of shares) {
    const random = createRandom(11)
    const prose = createProse(random)
    const pairs = Array.from({ length: pairCount }, (_, n) => makePair(n, share, prose, random))
    const blocksOf = (body: Buffer): Blocks => readBlocks(body, { contentType: 'text/html; charset=utf-8' })!
    const ways = {
      whole: ({ old, next }: Pair) => changeLine(listChanges(blocksOf(old), blocksOf(next)).changes),
      reading: ({ old, next }: Pair) => [blocksOf(old), blocksOf(next)],
      diff: ({ oldBlocks, newBlocks }: Pair) => changeLine(listChanges(oldBlocks, newBlocks).changes),
      words: ({ oldText, newText }: Pair) => diffWords(oldText, newText),
    }
    const times: Record<keyof typeof ways, number[]> = { whole: [], reading: [], diff: [], words: [] }
    // The first rounds include compilation. The slow alternative needs fewer rounds.
    for (let round = -5; round < rounds; round++) {
      for (const name of Object.keys(ways) as (keyof typeof ways)[]) {
        if (name === 'words' && round % 5 !== 0) continue
        const ms = cpuMs(() => pairs.forEach(ways[name])) / pairCount
        if (round >= 0) times[name].push(ms)
      }
    }
    const median = (name: keyof typeof ways): number => quantile(times[name], 0.5)
    const found = pairs.map(({ oldBlocks, newBlocks }) => listChanges(oldBlocks, newBlocks).changes.length)
    const blocks = pairs.reduce((sum, { newBlocks }) => sum + newBlocks.blocks.length, 0) / pairCount
    const label = `${share * 100} % changed`
    const kinds = found.reduce((sum, count) => sum + count, 0) / pairCount
    rows.push(
      [`${label}: blocks of a page`, Math.round(blocks), '', ''],
      [`${label}: changes found`, Math.round(kinds), '', ''],
      [`${label}: both bodies to the changes`, median('whole'), 'ms', `${GOAL_MS}`],
      [`${label}: of which reading`, median('reading'), 'ms', ''],
      [`${label}: of which comparing`, median('diff'), 'ms', ''],
      [`${label}: all words of both texts, with diff`, median('words'), 'ms', ''],
      [`${label}: that over comparing`, median('words') / median('diff'), 'times', ''],
    )
    const suffix = `${share * 100}Percent`
    stats[`changesOfGoal${suffix}`] = median('whole') / GOAL_MS
    stats[`wordsOverOurs${suffix}`] = median('words') / median('diff')
    stats[`wholeMs${suffix}`] = median('whole')
    stats[`readingMs${suffix}`] = median('reading')
    stats[`diffMs${suffix}`] = median('diff')
    stats[`wordsMs${suffix}`] = median('words')
  }
  return {
    name: 'changes',
    columns: ['what', 'value', 'unit', 'goal'],
    rows,
    stats,
    notes: [
      `${pairCount} pairs of pages of ${PAGE_BYTES / 1024} KB, ${rounds} rounds, median of the processor time per pair.`,
      'Of the changed blocks four in five are rewritten in one to three places; the others are added, removed or moved.',
    ],
  }
}

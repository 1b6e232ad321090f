import { readdirSync, readFileSync } from 'node:fs'
import type { Random } from '../../../bench/origin/random.ts'
import { mutateBytes, oddString } from './odd-values.ts'
import { disguise, type Grammar, readGrammar, type Words, writeDocument, xmlPieces } from './xml-grammar.ts'

const grammars: Record<'profile' | 'urd' | 'aci', Grammar> = {
  profile: readGrammar('profile'),
  urd: readGrammar('urd'),
  aci: readGrammar('aci'),
}

const tables = new URL('../../paper-tables/', import.meta.url)
const samples = readdirSync(tables)
  .sort()
  .map((name) => readFileSync(new URL(name, tables)))

const usual: Record<string, readonly string[]> = {
  uri: ['http://a.invalid/', 'http://127.0.0.1:9/java?x=1', 'https://user:password@b.invalid/x'],
  every: ['10m', '1h', '500ms', '600000', '1.5h'],
  max: ['7d', '1h'],
  timing: ['600000'],
  days: ['1 2 3', '7'],
  from: ['08:00'],
  to: ['24:00', '02:00'],
  zone: ['UTC', 'Europe/Nicosia'],
  scope: ['^http://a\\.invalid/', 'java|research'],
  expression: ['java AND (ibm OR "research lab") NOT site:b.invalid', '/jav[ao]/', 'intitle:java'],
  ignore: ['\\d\\d:\\d\\d', 'updated .*'],
  language: ['en', 'el'],
  name: ['inbox', 'keywords', 'bm25'],
  owner: ['ada@example.org'],
  cadence: ['immediate', 'daily 08:00', 'every 15m'],
  protocol: ['http'],
  updatetime: ['978767500000'],
  docbase: ['/cache/1'],
}

function words(keyOdds: number): Words {
  return (name, random) => {
    if (random.below(keyOdds) === 0) return oddString(random)
    if (Object.hasOwn(usual, name)) return random.pick(usual[name]!)
    return random.pick(['1', '4', '0.5', 'java', 'research'])
  }
}

export type XmlKind = 'profile' | 'urd' | 'aci'

/** An XML document: unchanged in one of five cases, else mutated. */
export function xmlDocument(random: Random, kinds: readonly XmlKind[]): Buffer {
  const valid = words(random.pick([1000, 20, 3]))
  const isSample = random.below(6) === 0
  const bytes = isSample
    ? random.pick(samples)
    : Buffer.from(writeDocument(grammars[random.pick(kinds)], random, valid))
  const how = random.below(5)
  if (how === 0) return bytes
  if (how === 1) return disguise(bytes.toString(), random)
  return mutateBytes(bytes, random, xmlPieces)
}

const opmlPieces = [...xmlPieces, '<outline xmlUrl="http://a.invalid/">', '</outline>', '<outline type="rss"/>', "'"]

/** Addresses as OPML or as a list of lines, mutated most of the time. */
export function addressList(random: Random): string {
  const lines = Array.from({ length: random.pick([1, 5, 40, 2000]) }, (_, n) => addressOf(random, n))
  const text = random.below(2) === 0 ? opml(lines, random) : lines.join(random.pick(['\n', '\r\n', '\r', ' ', ',']))
  if (random.below(4) === 0) return text
  return mutateBytes(Buffer.from(text), random, opmlPieces).toString()
}

function addressOf(random: Random, n: number): string {
  if (random.below(5) === 0) return oddString(random)
  return random.pick([`http://h${n}.invalid/`, `https://a.invalid/?n=${n}`, `www.a${n}.invalid`, `# ${n}`, `x y ${n}`])
}

function opml(urls: readonly string[], random: Random): string {
  const depth = random.pick([0, 1, 5, 99, 101, 5000])
  const outlines = urls.map((url) => `<outline text="a" ${random.pick(['xmlUrl', 'htmlUrl', 'url'])}="${url}"/>`)
  const open = '<outline text="folder">'.repeat(depth)
  return `<opml version="2.0"><body>${open}${outlines.join('')}${'</outline>'.repeat(depth)}</body></opml>`
}

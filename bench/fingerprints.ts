/**
 * Fingerprints of documents: PARCAHYD's 64 bits, as we understand them, compared with the digest that the archive uses. Pages come in
 * families: a page, its copy, and pages with one small change each. A false match is a changed page with the fingerprint of its original
 * or of any other page.
 */
import { columnSums, documentFingerprint } from '../src/core/url/document-fingerprint.ts'
import { bodyDigest } from '../src/core/url/fingerprint.ts'
import { createProse, renderPage } from './origin/page.ts'
import { createRandom, type Random } from './origin/random.ts'
import { type Benchmark, numbersOf } from './table.ts'

export const optionNames = ['documents', 'page-bytes']

type Change = { name: string; of(page: Buffer, random: Random): Buffer }

const ROW = 16

/** A random offset in the text of the page with at least `room` bytes after it. */
const placeIn = (page: Buffer, random: Random, room: number): number =>
  Math.floor(page.length / 4) + random.below(Math.floor(page.length / 2) - room)

function edited(page: Buffer, edit: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(page)
  edit(copy)
  return copy
}

function flip(copy: Buffer, at: number, bits: number): void {
  copy[at] = copy[at]! ^ bits
}

function swapped(page: Buffer, from: number, to: number, length: number): Buffer {
  return edited(page, (copy) => {
    page.copy(copy, from, to, to + length)
    page.copy(copy, to, from, from + length)
  })
}

const changes: readonly Change[] = [
  { name: 'one character', of: (page, random) => edited(page, (copy) => flip(copy, placeIn(page, random, 1), 1)) },
  {
    name: 'two neighbours swapped',
    of(page, random) {
      let at = placeIn(page, random, 200)
      while (page[at] === page[at + 1]) at++
      return swapped(page, at, at + 1, 1)
    },
  },
  {
    name: 'two characters swapped, 16 apart',
    of(page, random) {
      let at = placeIn(page, random, 400)
      while (page[at] === page[at + ROW]) at++
      return swapped(page, at, at + ROW, 1)
    },
  },
  {
    name: 'blocks of 16 bytes swapped',
    of(page, random) {
      const at = placeIn(page, random, 20 * ROW)
      return swapped(page, at, at + ROW * (1 + random.below(8)), ROW)
    },
  },
  {
    name: 'two paragraphs swapped',
    of(page, random) {
      const first = page.indexOf('<p>', placeIn(page, random, 1200))
      const second = page.indexOf('<p>', first + 1)
      const end = page.indexOf('<p>', second + 1)
      if (first < 0 || second < 0 || end < 0) return edited(page, (copy) => flip(copy, 200, 1))
      return Buffer.concat([
        ...[page.subarray(0, first), page.subarray(second, end), page.subarray(first, second), page.subarray(end)],
      ])
    },
  },
  {
    name: 'one digit up, one down, 16 apart',
    of: (page, random) =>
      edited(page, (copy) => {
        const at = placeIn(page, random, ROW)
        copy[at] = (copy[at]! + 1) & 0xff
        copy[at + ROW] = (copy[at + ROW]! - 1) & 0xff
      }),
  },
  {
    name: 'one character added',
    of(page, random) {
      const at = placeIn(page, random, 1)
      return Buffer.concat([page.subarray(0, at), Buffer.from('x'), page.subarray(at)])
    },
  },
  {
    name: 'ten characters',
    of: (page, random) =>
      edited(page, (copy) => {
        for (let n = 0; n < 10; n++) flip(copy, placeIn(page, random, 1), 1 + random.below(15))
      }),
  },
]

type Way = { name: string; bits: string; of(page: Buffer): string }

const ways: readonly Way[] = [
  { name: 'PARCAHYD, folded', bits: '64', of: (page) => documentFingerprint(page).toString(16) },
  {
    name: 'PARCAHYD, sums of the columns',
    bits: '128',
    of: (page) => Buffer.from(columnSums(page)).toString('latin1'),
  },
  { name: 'digest, its first 8 bytes', bits: '64', of: (page) => bodyDigest(page).toString('latin1', 0, 8) },
  { name: 'digest (SHA-256)', bits: '256', of: (page) => bodyDigest(page).toString('latin1') },
]

type Count = { matches: number[]; elsewhere: number; missed: number; ms: number; bytes: number }

/** Processes one family after the other and keeps only fingerprints. */
function measure(way: Way, families: number, familyOf: (family: number) => Buffer[]): Count {
  const count: Count = { matches: changes.map(() => 0), elsewhere: 0, missed: 0, ms: 0, bytes: 0 }
  /** The family of each fingerprint; a page of another family with the same one is a false match, too. */
  const seen = new Map<string, number>()
  for (let family = 0; family < families; family++) {
    const pages = familyOf(family)
    const before = process.cpuUsage()
    const prints = pages.map(way.of)
    const { user, system } = process.cpuUsage(before)
    count.ms += (user + system) / 1000
    count.bytes += pages.reduce((sum, page) => sum + page.length, 0)
    const [own, copy, ...others] = prints
    if (own !== copy) count.missed++
    // Swapping equal characters changes nothing.
    for (const [at, print] of others.entries())
      if (print === own && !pages[at + 2]!.equals(pages[0]!)) count.matches[at]!++
    for (const print of new Set(prints)) {
      if (seen.has(print) && seen.get(print) !== family) count.elsewhere++
      seen.set(print, family)
    }
  }
  return count
}

function familiesOf(pageBytes: number): (family: number) => Buffer[] {
  const prose = createProse(createRandom(11))
  const hrefs = Array.from({ length: 16 }, (_, link) => `/news/${link}.html`)
  return (family) => {
    const random = createRandom(family + 1)
    const page = renderPage({ title: `Page ${family}`, hrefs, targetBytes: pageBytes }, prose, random)
    return [page, Buffer.from(page), ...changes.map((change) => change.of(page, random))]
  }
}

export const run: Benchmark = async ({ values }) => {
  const number = numbersOf(values)
  const perFamily = changes.length + 2
  const families = Math.ceil(number('documents', 200_000) / perFamily)
  const familyOf = familiesOf(number('page-bytes', 4000))
  const counts = ways.map((way) => ({ way, count: measure(way, families, familyOf) }))
  const speedOf = ({ bytes, ms }: Count): number => bytes / 1e6 / (ms / 1000)
  const share = (matches: number, of: number): string => `${((100 * matches) / of).toPrecision(3)} %`
  const [folded, sums, , digest] = counts
  const falseOf = ({ count }: (typeof counts)[number]): number =>
    count.matches.reduce((sum, each) => sum + each, 0) / (families * changes.length)
  return {
    name: 'fingerprints',
    columns: ['', ...counts.map(({ way }) => way.name)],
    rows: [
      ['bits', ...counts.map(({ way }) => way.bits)],
      ['documents', ...counts.map(() => String(families * perFamily))],
      ...changes.map(({ name }, at) => [...[name, ...counts.map(({ count }) => share(count.matches[at]!, families))]]),
      ['pages of other families', ...counts.map(({ count }) => String(count.elsewhere))],
      ['MB/s', ...counts.map(({ count }) => speedOf(count).toPrecision(3))],
    ],
    stats: {
      'parcahyd-speed-over-digest': speedOf(folded!.count) / speedOf(digest!.count),
      'parcahyd-false-matches': falseOf(folded!),
      'parcahyd-sums-false-matches': falseOf(sums!),
      'digest-false-matches': falseOf(digest!),
      'copies-missed': counts.reduce((sum, { count }) => sum + count.missed, 0),
    },
    notes: [
      `families of ${perFamily}: a page, its copy, and ${changes.length} pages with one change each; the rows of changes tell how many of these match the page they were made of`,
    ],
  }
}

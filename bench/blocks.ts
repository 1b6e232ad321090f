/**
 * Reading a 70 KB page: into blocks, as change detection does; into text alone, as the fingerprint does; and into a tree by a
 * full parser, from which blocks would still have to be built.
 */
import { parse } from 'parse5'
import { readBlocks } from '../src/core/text/blocks.ts'
import { documentText } from '../src/core/text/document-text.ts'
import { createProse, renderPage } from './origin/page.ts'
import { createRandom } from './origin/random.ts'
import { type Benchmark, numbersOf } from './table.ts'

const PAGE_BYTES = 70 * 1024
const GOAL_MS = 0.5
const contentType = 'text/html; charset=utf-8'

export const optionNames = ['pages', 'rounds']

const ways: { name: string; read: (page: Buffer) => unknown }[] = [
  { name: 'blocks', read: (page) => readBlocks(page, { contentType }) },
  { name: 'text', read: (page) => documentText(page, { contentType, lines: true }) },
  { name: 'parse5', read: (page) => parse(page.toString('utf8')) },
]

/** CPU time of the best round: other load on the machine only adds to it. */
function bestMs(pages: Buffer[], rounds: number, read: (page: Buffer) => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    for (const page of pages) read(page)
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000 / pages.length)
  }
  return best
}

export const run: Benchmark = async ({ values }) => {
  const number = numbersOf(values)
  const [pageCount, rounds] = [number('pages', 20), number('rounds', 40)]
  const random = createRandom(7)
  const prose = createProse(random)
  const hrefs = Array.from({ length: 60 }, (_, link) => `/news/${link}.html`)
  const pages = Array.from({ length: pageCount }, () =>
    renderPage({ title: prose.phrase(6), hrefs, targetBytes: PAGE_BYTES }, prose, random),
  )
  const times = ways.map(({ read }) => bestMs(pages, rounds, read))
  const [blocks = 0, text = 0, parse5 = 0] = times
  return {
    name: 'blocks',
    columns: ['read as', 'ms per page', 'times blocks'],
    rows: ways.map(({ name }, way) => [name, times[way]!, times[way]! / blocks]),
    stats: { 'blocks-over-text': blocks / text, 'parse5-over-blocks': parse5 / blocks, 'blocks-ms': blocks },
    notes: [`goal: at most ${GOAL_MS} ms per page`, `${pageCount} pages of 70 KB, best of ${rounds} rounds`],
  }
}

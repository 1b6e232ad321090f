import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../src/core/errors.ts'
import { measureCommand, withFolder } from './measure.ts'
import { type Benchmark, type BenchTable, numbersOf } from './table.ts'

export const optionNames = ['pages', 'links', 'seed', 'orders']

const TOPICS = 8
/** Probability that a link stays within its topic. */
const LOCALITY = 0.7
const DAMPING = 0.85
const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** A web on one host: pages with links and a topic each. */
type Web = { links: number[][]; topics: number[] }

function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Links prefer pages that others link to (half of them copy the target of another link), and pages of their own topic. Each page
 * is linked to by one with a smaller number, so that all can be reached from the first.
 */
function makeWeb(pages: number, meanLinks: number, seed: number): Web {
  const random = createRandom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  const topics = Array.from({ length: pages }, () => below(TOPICS))
  const byTopic = Array.from({ length: TOPICS }, (_, topic) =>
    topics.flatMap((each, page) => (each === topic ? [page] : [])),
  )
  const links = Array.from({ length: pages }, () => new Set<number>())
  const popular = Array.from({ length: TOPICS }, (): number[] => [])
  for (let page = 1; page < pages; page++) links[below(page)]!.add(page)
  for (let n = 0; n < pages * meanLinks; n++) {
    const from = below(pages)
    const topic = random() < LOCALITY ? topics[from]! : below(TOPICS)
    const among = random() < 0.6 && popular[topic]!.length > 0 ? popular[topic]! : byTopic[topic]!
    const to = among[below(among.length)]
    if (to === undefined || to === from) continue
    links[from]!.add(to)
    popular[topic]!.push(to)
  }
  return { links: links.map((each) => [...each].sort(() => random() - 0.5)), topics }
}

function pageRank({ links }: Web): number[] {
  const pages = links.length
  let rank = new Array<number>(pages).fill(1 / pages)
  for (let round = 0; round < 100; round++) {
    const next = new Array<number>(pages).fill(0)
    let spread = 0
    for (const [page, targets] of links.entries()) {
      const kept = targets.length === 0 ? 0 : DAMPING * rank[page]!
      spread += rank[page]! - kept
      for (const target of targets) next[target]! += kept / targets.length
    }
    rank = next.map((each) => each + spread / pages)
  }
  return rank
}

function bodyOf({ links, topics }: Web, page: number): string {
  const words = Array.from({ length: 40 }, (_, n) =>
    n % 4 === 0 ? `topic${topics[page]}` : `word${(page * 7 + n) % 500}`,
  )
  const anchors = links[page]!.map((link) => `<a href="/${link}">page ${link}</a>`)
  return `<title>${page}</title><p>${words.join(' ')}</p>${anchors.join(' ')}`
}

/** Crawls with one order; returns the pages in the order of requests. */
async function crawl(web: Web, order: string, options: readonly string[]): Promise<number[]> {
  const asked: number[] = []
  const server = createServer((request, response) => {
    const page = Number(request.url?.slice(1))
    response.setHeader('content-type', 'text/html')
    if (!Number.isInteger(page) || web.links[page] === undefined) response.statusCode = 404
    else asked.push(page)
    response.end(response.statusCode === 404 ? '' : bodyOf(web, page))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await withFolder(async (folder) => {
      const { port } = server.address() as AddressInfo
      const args = ['crawl', `http://127.0.0.1:${port}/0`, '--data', join(folder, 'data'), '--order', order, ...options]
      const own = [
        '--delay',
        '0',
        '--fetchers',
        '1',
        '--threads',
        '1',
        '--no-index',
        '--no-robots',
        '--json',
        '--quiet',
      ]
      const { exitCode } = await measureCommand({ program: process.execPath, args: [program, ...args, ...own] })
      if (exitCode !== 0) throw new AppError('internal', `the crawl with the order ${order} ended with ${exitCode}`)
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
  return asked
}

const allOrders = ['breadth', 'depth', 'shallow', 'random', 'fifo', 'importance', 'focused', 'walk']

export const run: Benchmark = async ({ values }) => {
  const numbers = numbersOf(values)
  const web = makeWeb(numbers('pages', 2_000), numbers('links', 8), numbers('seed', 18))
  return measure(web, values.orders?.split(',') ?? allOrders)
}

async function measure(web: Web, orders: readonly string[]): Promise<BenchTable> {
  const pages = web.links.length
  const rank = pageRank(web)
  const best = rank.toSorted((a, b) => b - a)
  const [tenth, third] = [Math.floor(pages * 0.1), Math.floor(pages * 0.3)]
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
  const collected = (asked: readonly number[], count: number): number =>
    sum(asked.slice(0, count).map((page) => rank[page]!))
  const isWanted = (page: number): boolean => web.topics[page] === 0
  const wanted = web.topics.filter((topic) => topic === 0).length
  const harvest = (asked: readonly number[], count: number): number => {
    const first = asked.slice(0, count)
    return first.filter(isWanted).length / first.length
  }
  const rows: (string | number)[][] = []
  const shares = new Map<string, { at30: number; harvest: number }>()
  for (const order of orders) {
    const focus = order === 'focused' ? ['--focus', 'topic0'] : []
    // A walk revisits pages, so it needs more steps than pages.
    const limit = order === 'walk' ? 4 * third : third
    const asked = [...new Set(await crawl(web, order, [...focus, '--max-pages', String(limit)]))]
    const share = { at10: collected(asked, tenth), at30: collected(asked, third), harvest: harvest(asked, tenth) }
    shares.set(order, share)
    rows.push([order, asked.length, share.at10, share.at30, share.harvest])
  }
  rows.push(['best possible', pages, sum(best.slice(0, tenth)), sum(best.slice(0, third)), Math.min(1, wanted / tenth)])
  const ratio = (name: string, of: 'at30' | 'harvest'): number =>
    (shares.get(name)?.[of] ?? Number.NaN) / (shares.get('breadth')?.[of] ?? Number.NaN)
  const stats = { importanceOfBreadth: ratio('importance', 'at30'), focusedOfBreadth: ratio('focused', 'harvest') }
  return {
    name: 'order',
    columns: ['order', 'pages', 'importance at 10 %', 'importance at 30 %', 'harvest at 10 %'],
    rows,
    stats: Object.fromEntries(Object.entries(stats).filter(([, value]) => Number.isFinite(value))),
    notes: [
      `Real crawls over HTTP of one generated host with ${pages} pages, one request at a time; importance is PageRank (${DAMPING}), computed exactly.`,
      `${TOPICS} topics, links within a topic with a probability of ${LOCALITY}; harvest is the share of pages about the topic that "focused" looks for (${wanted} of ${pages}).`,
      'A walk is counted by the different pages it came to, in the order of their first visit.',
    ],
  }
}

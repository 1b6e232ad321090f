import { join } from 'node:path'
import { AppError } from '../src/core/errors.ts'
import type { CrawlResult } from '../src/core/reports/crawl-report.ts'
import { parseSearchQuery } from '../src/core/search-query/parse-query.ts'
import type { SearchQuery } from '../src/core/search-query/query.ts'
import { cutSnippet } from '../src/core/search-query/snippet.ts'
import type { IndexedText, SearchIndex } from '../src/store/contracts/search.ts'
import { openSqliteSearchIndex } from '../src/store/sqlite/search/search-index.ts'
import { folderBytes, measureCommand, quantile, withFolder } from './measure.ts'
import { createRandom, type Random } from './origin/random.ts'
import { type Origin, startOrigin } from './origin/start.ts'
import { createSearchTexts, type SearchTexts } from './search-texts.ts'
import type { Benchmark } from './table.ts'
import { findTool } from './tools.ts'

export const optionNames = ['documents', 'crawl-pages']

const BATCH = 300
const QUERIES = 40
const PAGE = { offset: 0, limit: 10 }
const SCANNED = 2_000

/** Typical queries, by the rank of their words: 0 is the most common. */
function queryKinds({ words, textAt }: SearchTexts, documents: number, random: Random): Record<string, () => string> {
  const ranked = (from: number, to: number): string => words[from + random.below(to - from)]!
  const phrase = (): string => {
    const text = textAt(random.below(documents)).text.split(' ')
    const at = random.below(text.length - 2)
    return `"${text.slice(at, at + 2).join(' ')}"`
  }
  return {
    'rare word': () => ranked(5_000, 60_000),
    'two words': () => `${ranked(100, 5_000)} ${ranked(100, 5_000)}`,
    'common word': () => ranked(0, 20),
    phrase,
    'prefix of four letters': () => `${ranked(1_000, 60_000).slice(0, 4)}*`,
    'word on a site': () => `${ranked(0, 1_000)} site:site-${random.below(1_000)}.example`,
    'word in the title': () => `intitle:${ranked(100, 5_000)}`,
  }
}

type Timings = { found: number[]; shown: number[] }

async function timeQueries(
  index: SearchIndex,
  makeText: (versionId: number) => IndexedText,
  queries: readonly SearchQuery[],
): Promise<Timings> {
  const timings: Timings = { found: [], shown: [] }
  for (const query of queries) {
    const startedAt = performance.now()
    const { hits } = await index.query(query, PAGE)
    const foundMs = performance.now() - startedAt
    const texts = hits.map(({ versionId }) => makeText(versionId))
    const markedAt = performance.now()
    const marks = await index.marks(query, texts)
    for (const [n, { text }] of texts.entries()) cutSnippet(text, marks[n]!.text)
    timings.found.push(foundMs)
    timings.shown.push(foundMs + performance.now() - markedAt)
  }
  return timings
}

async function addAll(index: SearchIndex, { textAt }: SearchTexts, documents: number) {
  let ms = 0
  let bytes = 0
  for (let at = 0; at < documents; at += BATCH) {
    const texts = Array.from({ length: Math.min(BATCH, documents - at) }, (_, n) => textAt(at + n))
    for (const { text, title } of texts) bytes += text.length + title.length
    const passedOver = { textless: 0, bodiless: 0, damaged: 0 }
    const startedAt = performance.now()
    await index.add({ after: at, upTo: at + texts.length, texts, passedOver })
    ms += performance.now() - startedAt
  }
  return { ms, bytes }
}

/** Milliseconds to scan all texts, extrapolated from a sample in memory. */
function timeScan({ textAt }: SearchTexts, documents: number, words: readonly string[]): number {
  const sample = Array.from({ length: Math.min(SCANNED, documents) }, (_, n) => textAt(n).text)
  const startedAt = performance.now()
  let found = 0
  for (const word of words) for (const text of sample) if (text.toLowerCase().includes(word)) found++
  if (found < 0) throw new AppError('internal', 'the scan must not be optimised away')
  return ((performance.now() - startedAt) / words.length / sample.length) * documents
}

function parse(text: string): SearchQuery {
  const parsed = parseSearchQuery(text)
  if (parsed.kind === 'invalid') throw new AppError('internal', `${text}: ${parsed.errors.join('; ')}`)
  return parsed.query
}

export const run: Benchmark = async ({ values }) => {
  const documents = Number(values.documents ?? 100_000)
  const crawlPages = Number(values['crawl-pages'] ?? 2_000)
  return withFolder(async (folder) => {
    const texts = createSearchTexts()
    const random = createRandom(7)
    const kept = async (ids: readonly number[]): Promise<ReadonlySet<number>> => new Set(ids)
    const path = join(folder, 'search.db')
    const empty = openSqliteSearchIndex({ path, kept })
    const { ms, bytes } = await addAll(empty, texts, documents)
    await empty.close()
    const indexBytes = folderBytes(folder)
    const index = openSqliteSearchIndex({ path, kept })

    const rows: (string | number)[][] = []
    const all: Timings = { found: [], shown: [] }
    for (const [kind, make] of Object.entries(queryKinds(texts, documents, random))) {
      const queries = Array.from({ length: QUERIES }, () => parse(make()))
      const { found, shown } = await timeQueries(index, (id) => texts.textAt(id - 1), queries)
      rows.push([kind, quantile(found, 0.5), quantile(found, 0.95), quantile(shown, 0.5), quantile(shown, 0.95)])
      all.found.push(...found)
      all.shown.push(...shown)
    }
    rows.push([
      'all',
      quantile(all.found, 0.5),
      quantile(all.found, 0.95),
      quantile(all.shown, 0.5),
      quantile(all.shown, 0.95),
    ])
    await index.close()
    const scanMs = timeScan(texts, documents, [texts.words[10]!, texts.words[1_000]!, texts.words[40_000]!])
    rows.push(['full scan', scanMs, '', '', ''])
    const crawl = crawlPages > 0 ? await measureSlowdown(crawlPages) : null
    const perSecond = documents / (ms / 1000)
    const megabytesPerSecond = bytes / 1e6 / (ms / 1000)
    const p95 = quantile(all.shown, 0.95)
    return {
      name: 'search',
      columns: ['query', 'p50 ms', 'p95 ms', 'p50 ms with marks', 'p95 ms with marks'],
      rows,
      stats: {
        scanToP95: scanMs / p95,
        indexToText: indexBytes / bytes,
        ...(crawl === null ? {} : { crawlTimeWithIndex: crawl.ratio }),
        documentsPerSecond: perSecond,
        megabytesPerSecond,
        queryP50Ms: quantile(all.shown, 0.5),
        queryP95Ms: p95,
        indexBytesPerDocument: indexBytes / documents,
      },
      notes: [
        `${documents} documents of ${Math.round(bytes / documents)} bytes of text; ${texts.words.length} words, the nth with frequency 1/n.`,
        `Indexed ${Math.round(perSecond)} documents/s, ${megabytesPerSecond.toFixed(1)} MB/s of text; the index takes ${Math.round(indexBytes / documents)} bytes per document, ${(indexBytes / bytes).toFixed(2)} of the text.`,
        `${QUERIES} queries of each kind, 10 hits each; marks without reading the ten bodies from the archive.`,
        `The scan is toLowerCase and includes over ${SCANNED} texts in memory, extrapolated to ${documents}.`,
        ...(crawl === null ? [] : [crawl.note]),
      ],
    }
  })
}

const CRAWL_HOSTS = 8
const CRAWL_LATENCY_MS = 20
const CRAWL_ROUNDS = 3

/**
 * How much longer a crawl takes while its texts are indexed. The origin has latency and gets one request per host at a
 * time: a crawl that keeps the CPU busy is not indexed meanwhile.
 */
async function measureSlowdown(pages: number): Promise<{ ratio: number; note: string }> {
  const origin = await startOrigin({ pages, hosts: CRAWL_HOSTS, latencyMs: CRAWL_LATENCY_MS })
  try {
    const without: number[] = []
    const beside: number[] = []
    let indexed = 0
    for (let round = 0; round < CRAWL_ROUNDS; round++) {
      without.push((await crawlOnce(origin, false)).seconds)
      const run = await crawlOnce(origin, true)
      beside.push(run.seconds)
      indexed = Math.max(indexed, run.indexed)
    }
    // Compare the best of each: other load on the machine only ever adds time.
    const ratio = Math.min(...beside) / Math.min(...without)
    const note = `A crawl of ${origin.documents} pages with ${CRAWL_LATENCY_MS} ms latency takes ${ratio.toFixed(2)} times as long with indexing as without; ${indexed} versions were indexed when it ended. A crawl that keeps the processor busy is not indexed meanwhile.`
    return { ratio, note }
  } finally {
    await origin.close()
  }
}

function crawlOnce(origin: Origin, indexes: boolean): Promise<{ seconds: number; indexed: number }> {
  return withFolder(async (folder) => {
    const run = { origin, folder, maxPages: origin.documents, fetchers: 64, perHost: 1, threads: 2 }
    const command = findTool('erace').command(run, run.fetchers)
    const args = indexes ? command.args : [...command.args, '--no-index']
    const { exitCode, stdout } = await measureCommand({ ...command, args })
    if (exitCode !== 0) throw new AppError('internal', `the crawl ended with ${exitCode}`)
    const { seconds } = JSON.parse(stdout) as CrawlResult
    return { seconds, indexed: indexes ? await countIndexed(join(folder, 'data', 'search.db')) : 0 }
  })
}

async function countIndexed(path: string): Promise<number> {
  const index = openSqliteSearchIndex({ path, kept: async () => new Set() })
  try {
    return (await index.counts()).versions
  } finally {
    await index.close()
  }
}

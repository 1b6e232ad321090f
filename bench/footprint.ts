/**
 * What a page costs in PostgreSQL: bytes in every table and its indexes, in the write-ahead log, statements and processor time. A
 * generated web goes through the frontier and the documents of a cluster as a crawl would have it, without any network.
 */
import { type Cost, createMeter, growth } from './footprint/measures.ts'
import { createPages } from './footprint/pages.ts'
import {
  BATCH,
  checkAll,
  crawlAfterCheckpoints,
  crawlAll,
  indexTexts,
  openCrawl,
  queueOthers,
} from './footprint/work.ts'
import { startServer } from './leases/database.ts'
import { countDocuments } from './origin/site-table.ts'
import type { Benchmark, BenchTable } from './table.ts'

export const optionNames = ['pages', 'hosts', 'page-bytes']

const LINKS_PER_PAGE = 5
/** As on a server whose data survive a power cut, but for waiting for the disk; checkpoints come when they are asked for. */
const settings = { fsync: 'off', full_page_writes: 'on', max_wal_size: '8GB', checkpoint_timeout: '1h' }

type Grown = ReturnType<typeof growth>

type Measured = {
  pages: number
  bodyBytes: number
  tables: Grown
  first: Cost
  again: Cost
  afterCheckpoint: { logBytes: number; pages: number }
  links: number
  queued: Cost
  perLink: Grown
  texts: Cost & { textKb: number }
  perTextKb: Grown
}

export const run: Benchmark = async ({ values }) => {
  const number = (name: string, fallback: number): number => Number(values[name] ?? fallback)
  const measured = await measure(number('pages', 10_000), number('hosts', 50), number('page-bytes', 34_000))
  return tableOf(measured)
}

async function measure(wanted: number, hosts: number, bytes: number): Promise<Measured> {
  const web = createPages({ pages: wanted, hosts, bytes })
  const { documents: pages, bodyBytes } = countDocuments(web.sites)
  const server = await startServer({ durable: true, settings })
  try {
    const pool = await server.createDatabase(6)
    const meter = createMeter(pool, server.pid())
    const crawl = await openCrawl(pool, web)
    await pool.query('CHECKPOINT')
    const empty = await meter.sizes()
    const first = await meter.of(() => crawlAll(crawl))
    await pool.query('VACUUM')
    const tables = growth(empty, await meter.sizes(), pages)
    const again = await meter.of(() => checkAll(crawl))
    const afterCheckpoint = await crawlAfterCheckpoints(crawl, meter)
    const links = pages * LINKS_PER_PAGE
    const beforeLinks = await meter.sizes()
    const queued = await meter.of(() => queueOthers(crawl, links))
    const beforeTexts = await meter.sizes()
    const perLink = growth(beforeLinks, beforeTexts, links)
    const texts = await indexTexts(crawl, meter)
    const perTextKb = growth(beforeTexts, await meter.sizes(), texts.textKb)
    await crawl.frontier.close()
    return { pages, bodyBytes, tables, first, again, afterCheckpoint, links, queued, perLink, texts, perTextKb }
  } finally {
    await server.end()
  }
}

function tableOf(measured: Measured): BenchTable {
  const { pages, bodyBytes, first, again, afterCheckpoint, links, queued, perLink, texts, perTextKb } = measured
  const tables = [...measured.tables].filter(([, { all }]) => all >= 5).sort(([, a], [, b]) => b.all - a.all)
  const sum = tables.reduce((total, [, { all }]) => total + all, 0)
  const indexes = tables.reduce((total, [, grown]) => total + grown.indexes, 0)
  const text = perTextKb.get('version_texts')!
  const queuedBytes = perLink.get('queue')!
  const seenBytes = perLink.get('seen')!
  return {
    name: 'footprint',
    columns: ['what', 'unit', 'figure', 'of which indexes'],
    rows: [
      ['body as fetched', 'bytes a page', bodyBytes / pages, ''],
      ...tables.map(([table, grown]) => [`table ${table}`, 'bytes a page', grown.all, grown.indexes]),
      ['all tables', 'bytes a page', sum, indexes],
      ['full text', 'bytes a KB of text', text.all, text.indexes],
      ['a queued URL', 'bytes', queuedBytes.all, queuedBytes.indexes],
      ['a seen URL', 'bytes', seenBytes.all, seenBytes.indexes],
      ['log, new page', 'bytes a page', first.logBytes / pages, ''],
      ['log, new page right after a checkpoint', 'bytes a page', afterCheckpoint.logBytes / afterCheckpoint.pages, ''],
      ['log, page not modified', 'bytes a page', again.logBytes / pages, ''],
      ['log, link to a new URL', 'bytes', queued.logBytes / links, ''],
      ['log, full text', 'bytes a KB of text', texts.logBytes / texts.textKb, ''],
      ['statements, new page', 'a page', first.statements / pages, ''],
      ['statements, page not modified', 'a page', again.statements / pages, ''],
      ['processor of the server, new page', 'ms a page', first.serverMs / pages, ''],
      ['processor of the server, page not modified', 'ms a page', again.serverMs / pages, ''],
      ['processor of the server, link to a new URL', 'ms', queued.serverMs / links, ''],
      ['processor of the server, full text', 'ms a KB of text', texts.serverMs / texts.textKb, ''],
    ],
    stats: {
      bodyBytesPerPage: bodyBytes / pages,
      storedBytesPerPage: sum,
      storedBytesPerPageWithoutBodies: sum - (measured.tables.get('records')?.all ?? 0),
      logBytesPerPage: first.logBytes / pages,
      logBytesPerPageAfterCheckpoint: afterCheckpoint.logBytes / afterCheckpoint.pages,
      logBytesPerPageNotModified: again.logBytes / pages,
      bytesPerSeenUrl: seenBytes.all,
      bytesPerQueuedUrl: queuedBytes.all,
      serverMsPerPage: first.serverMs / pages,
      fullTextBytesPerKb: text.all,
    },
    notes: [
      `${pages} generated pages, 40 links each, in batches of ${BATCH} of one host; tables after VACUUM; log with full_page_writes, uncompressed.`,
      'Right after a checkpoint: one before each batch, so that every page of a table or an index that is touched goes whole into the log, as nearly all do once indexes are much larger than what is written between two checkpoints.',
      'Links to new URLs: five more a page, of domains in all partitions, 1,000 at a time, so that a statement has four of them.',
    ],
  }
}

/**
 * The cost of a page in PostgreSQL: bytes in each table and its indexes, write-ahead log, statements and CPU time. A generated web
 * passes through a cluster's frontier and document store as in a crawl, but without a network.
 */
import { createPages } from './footprint/pages.ts'
import {
  BATCH,
  type Cost,
  checkAll,
  crawlAfterCheckpoints,
  crawlAll,
  createMeter,
  growth,
  indexTexts,
  openCrawl,
  queueOthers,
} from './footprint/work.ts'
import { startServer } from './leases/database.ts'
import { countDocuments } from './origin/site-table.ts'
import { type Benchmark, type BenchTable, numbersOf } from './table.ts'

export const optionNames = ['pages', 'hosts', 'page-bytes']

const LINKS_PER_PAGE = 5
/** As on a durable server, but without waiting for the disk; checkpoints only on request. */
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
  const number = numbersOf(values)
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
    columns: ['what', 'unit', 'value', 'of which indexes'],
    rows: [
      ['body as fetched', 'bytes/page', bodyBytes / pages, ''],
      ...tables.map(([table, grown]) => [`table ${table}`, 'bytes/page', grown.all, grown.indexes]),
      ['all tables', 'bytes/page', sum, indexes],
      ['full text', 'bytes/KB of text', text.all, text.indexes],
      ['queued URL', 'bytes', queuedBytes.all, queuedBytes.indexes],
      ['seen URL', 'bytes', seenBytes.all, seenBytes.indexes],
      ['WAL, new page', 'bytes/page', first.logBytes / pages, ''],
      ['WAL, new page right after a checkpoint', 'bytes/page', afterCheckpoint.logBytes / afterCheckpoint.pages, ''],
      ['WAL, page not modified', 'bytes/page', again.logBytes / pages, ''],
      ['WAL, link to a new URL', 'bytes', queued.logBytes / links, ''],
      ['WAL, full text', 'bytes/KB of text', texts.logBytes / texts.textKb, ''],
      ['statements, new page', 'per page', first.statements / pages, ''],
      ['statements, page not modified', 'per page', again.statements / pages, ''],
      ['server CPU, new page', 'ms/page', first.serverMs / pages, ''],
      ['server CPU, page not modified', 'ms/page', again.serverMs / pages, ''],
      ['server CPU, link to a new URL', 'ms', queued.serverMs / links, ''],
      ['server CPU, full text', 'ms/KB of text', texts.serverMs / texts.textKb, ''],
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
      `${pages} generated pages, 40 links each, in batches of ${BATCH} per host; tables after VACUUM; WAL with full_page_writes, uncompressed.`,
      'Right after a checkpoint: with a checkpoint before each batch, every touched page of a table or index goes into the log in full, as nearly all do once indexes are much larger than the writes between two checkpoints.',
      'Links to new URLs: five more per page, on domains in all partitions, 1,000 at a time, about four per statement.',
    ],
  }
}

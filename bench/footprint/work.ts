import { systemClock } from '../../src/core/clock.ts'
import { partitionCount } from '../../src/core/url/partition.ts'
import type { PartitionGrant } from '../../src/store/contracts/cluster/partition-leases.ts'
import type { DocumentStore } from '../../src/store/contracts/documents.ts'
import type { PostgresPool } from '../../src/store/postgres/connection/pool.ts'
import { createPostgresDocuments } from '../../src/store/postgres/documents/documents.ts'
import { createPostgresFrontier, type PostgresFrontier } from '../../src/store/postgres/frontier/frontier.ts'
import { createPartitionLeases } from '../../src/store/postgres/leases/leases.ts'
import { createPostgresSearchIndex } from '../../src/store/postgres/search/search-index.ts'
import { processorSeconds } from '../measure.ts'
import { offersOf, otherOffers, type Pages, seedsOf } from './pages.ts'

type Crawl = { pool: PostgresPool; frontier: PostgresFrontier; documents: DocumentStore; web: Pages }

export const BATCH = 50
const RUN = 1
const CHECKPOINTS = 20
const INDEXED = 1000

/** Opens a crawl with one holder of all partitions and without a network. */
export async function openCrawl(pool: PostgresPool, web: Pages): Promise<Crawl> {
  const grants: PartitionGrant[] = []
  const listener = { granted: (all: readonly PartitionGrant[]) => void grants.push(...all), wanted() {}, lost() {} }
  const options = { pool, node: 'bench', name: 'bench', shard: 0, clock: systemClock, listener, leaseMs: 3_600_000 }
  await createPartitionLeases(options).heartbeat()
  const frontier = createPostgresFrontier({ pool, events: null, run: RUN, maxUrlsPerHost: 1e9, pollEveryMs: 0 })
  await frontier.add(grants)
  const epochs = new Map(grants.map(({ partition, epoch }) => [partition, epoch]))
  const documents = createPostgresDocuments({ pool, epochOf: (partition) => epochs.get(partition) ?? -1 })
  return { pool, frontier, documents, web }
}

/** Crawls everything reachable from the root pages. */
export async function crawlAll({ frontier, documents, web }: Crawl): Promise<void> {
  await frontier.offer(seedsOf(web))
  for (;;) {
    const hosts = await frontier.hosts(partitionCount, new Set())
    if (hosts.length === 0) return
    for (const { id } of hosts) {
      const requests = await frontier.next(id, null, BATCH)
      if (requests.length === 0) continue
      const pages = requests.map(({ url }) => web.pageOf(url))
      await documents.record(pages.map((page) => web.captureOf(page, RUN, 'body')))
      const offers = pages.flatMap((page, index) => offersOf(page, requests[index]!))
      const clocks = [{ id, nextAt: Date.now(), failures: 0, rests: 0 }]
      await frontier.settle({ offers, done: requests, again: [], hosts: clocks })
    }
  }
}

/** Checks all pages again, all unchanged. */
export async function checkAll({ documents, web }: Crawl): Promise<void> {
  for (const batch of web.batches(BATCH))
    await documents.record(batch.map((page) => web.captureOf(page, RUN + 1, 'unchanged')))
}

/** Records new pages, with a checkpoint before each batch. */
export async function crawlAfterCheckpoints(crawl: Crawl, meter: Meter): Promise<{ logBytes: number; pages: number }> {
  const { pool, documents, frontier, web } = crawl
  let logBytes = 0
  let pages = 0
  for (const batch of web.batches(BATCH).slice(0, CHECKPOINTS)) {
    const renamed = batch.map((page) => web.renamed(page))
    await pool.query('CHECKPOINT')
    const cost = await meter.of(async () => {
      await documents.record(renamed.map((page) => web.captureOf(page, RUN, 'body')))
      await frontier.offer(renamed.map((page) => page.offer))
    })
    logBytes += cost.logBytes
    pages += batch.length
  }
  return { logBytes, pages }
}

/** Queues new URLs on domains in all partitions. */
export async function queueOthers({ frontier }: Crawl, links: number): Promise<void> {
  for (let at = 0; at < links; at += 1000) await frontier.offer(otherOffers(at, Math.min(links, at + 1000)))
}

/** Adds the texts of some pages to the full-text index. */
export async function indexTexts({ pool, web }: Crawl, meter: Meter): Promise<Cost & { textKb: number }> {
  const index = createPostgresSearchIndex({ pool, kept: async (ids) => new Set(ids) })
  const versions = await pool.query<{ id: number; document: number; url: string }>(
    `SELECT v.id, v.document, d.url FROM versions v JOIN documents d ON d.partition = v.partition AND d.id = v.document
     WHERE v.n = 1 AND d.url NOT LIKE '%?%' ORDER BY v.id LIMIT ${INDEXED}`,
  )
  let textBytes = 0
  let after = 0
  const cost = await meter.of(async () => {
    for (let at = 0; at < versions.length; at += BATCH) {
      const texts = versions.slice(at, at + BATCH).map(({ id, document, url }) => {
        const { host, title, text } = web.textOf(url)
        textBytes += text.length
        return { versionId: id, documentId: document, host, at: 0, title, text }
      })
      const upTo = texts.at(-1)!.versionId
      await index.add({ after, upTo, texts, passedOver: { textless: 0, bodiless: 0, damaged: 0 } })
      after = upTo
    }
    await pool.query('VACUUM version_texts')
  })
  return { ...cost, textKb: textBytes / 1000 }
}

/** The cost of some work for the database. */
export type Cost = { logBytes: number; statements: number; serverMs: number }

type Meter = { of(work: () => Promise<void>): Promise<Cost>; sizes(): Promise<Sizes> }

/** Bytes of each table in total, and of its indexes alone. */
type Sizes = ReadonlyMap<string, { all: number; indexes: number }>

export function createMeter(pool: PostgresPool, serverPid: number): Meter {
  async function position(): Promise<number> {
    const [row] = await pool.query<{ at: number }>(`SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint AS at`)
    return row!.at
  }
  return {
    async of(work) {
      const from = await position()
      const seconds = processorSeconds(serverPid)
      const { statements } = pool.traffic()
      await work()
      const sent = pool.traffic().statements - statements
      const serverMs = (processorSeconds(serverPid) - seconds) * 1000
      return { logBytes: (await position()) - from, statements: sent, serverMs }
    },
    async sizes() {
      const rows = await pool.query<{ name: string; all: number; indexes: number }>(
        `SELECT relname AS name, pg_total_relation_size(oid) AS all, pg_indexes_size(oid) AS indexes FROM pg_class
         WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
      )
      return new Map(rows.map((row) => [row.name, row]))
    },
  }
}

/** Growth of each table, per item. */
export function growth(before: Sizes, after: Sizes, count: number): Map<string, { all: number; indexes: number }> {
  return new Map(
    [...after].map(([table, now]) => {
      const then = before.get(table) ?? { all: 0, indexes: 0 }
      return [table, { all: (now.all - then.all) / count, indexes: (now.indexes - then.indexes) / count }]
    }),
  )
}

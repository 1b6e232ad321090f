import { systemClock } from '../../src/core/clock.ts'
import { partitionCount } from '../../src/core/partition.ts'
import type { DocumentStore } from '../../src/store/contracts/documents.ts'
import type { PartitionGrant } from '../../src/store/contracts/partition-leases.ts'
import type { PostgresPool } from '../../src/store/postgres/connection/pool.ts'
import { createPostgresDocuments } from '../../src/store/postgres/documents/documents.ts'
import { createPostgresFrontier, type PostgresFrontier } from '../../src/store/postgres/frontier/frontier.ts'
import { createPartitionLeases } from '../../src/store/postgres/leases/leases.ts'
import { createPostgresSearchIndex } from '../../src/store/postgres/search/search-index.ts'
import type { Cost, Meter } from './measures.ts'
import { offersOf, otherOffers, type Pages, seedsOf } from './pages.ts'

export type Crawl = { pool: PostgresPool; frontier: PostgresFrontier; documents: DocumentStore; web: Pages }

export const BATCH = 50
const RUN = 1
const CHECKPOINTS = 20
const INDEXED = 1000

/** All partitions in one hand, without any network. */
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

/** Everything that can be reached from the first pages of the hosts. */
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
      const offers = pages.flatMap((page, place) => offersOf(page, requests[place]!))
      const clocks = [{ id, nextAt: Date.now(), failures: 0, rests: 0 }]
      await frontier.settle({ offers, done: requests, again: [], hosts: clocks })
    }
  }
}

/** All pages once more, none of them changed. */
export async function checkAll({ documents, web }: Crawl): Promise<void> {
  for (const batch of web.batches(BATCH))
    await documents.record(batch.map((page) => web.captureOf(page, RUN + 1, 'unchanged')))
}

/** New pages, with a checkpoint before each batch. */
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

/** URLs that nobody has seen before, of domains in all partitions. */
export async function queueOthers({ frontier }: Crawl, links: number): Promise<void> {
  for (let at = 0; at < links; at += 1000) await frontier.offer(otherOffers(at, Math.min(links, at + 1000)))
}

/** The texts of some pages into the full text index. */
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

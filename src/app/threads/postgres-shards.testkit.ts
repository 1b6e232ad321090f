import assert from 'node:assert/strict'
import pino from 'pino'
import { createSite, type Site, type SiteOptions } from '../../../test/site/site.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { configOf } from '../../config/load-config.ts'
import type { SettingKey } from '../../config/schema.ts'
import { systemClock } from '../../core/clock.ts'
import { createRetries } from '../../core/work/retries.ts'
import { createCounterMemory, openSharedCounters, type SharedCounters } from '../../crawl/worker/shared-counters.ts'
import { createEpochMemory, type HeldEpochs, openEpochs } from '../../store/contracts/cluster/held-epochs.ts'
import { createPostgresFrontierView } from '../../store/postgres/frontier/frontier-view.ts'
import { readSeed } from '../../store/postgres/schema/migrate.ts'
import { createDatabase, type TestDatabase } from '../../store/postgres/testkit/postgres.testkit.ts'
import { type PostgresShards, startPostgresShards } from './postgres-shards.ts'

/** Workers on a separate database, and a site for them to crawl. */
export type Field = {
  site: Site
  database: TestDatabase
  hosts: number
  pages: number
  /** Run 1 by default; only later runs look up documents stored before. */
  startWorker(name: string, run?: number): Promise<FieldWorker>
  /** Requests queued over the whole cluster. */
  queued(): Promise<number>
  /** Resolves when this many pages have been answered. */
  answered(pages: number): Promise<void>
  untilFinished(): Promise<void>
  destroy(): Promise<void>
}

export type FieldWorker = {
  shards: PostgresShards
  counters: SharedCounters
  epochs: HeldEpochs
  seed(): Promise<void>
}

export type FieldOptions = {
  hosts: number
  pages: number
  values?: Partial<Record<SettingKey, unknown>>
  site?: SiteOptions
  threads?: number
}

export async function openField({
  hosts,
  pages,
  values = {},
  site: siteOptions,
  threads = 1,
}: FieldOptions): Promise<Field> {
  const database = await createDatabase()
  const waiting: { pages: number; resolve(): void }[] = []
  let answers = 0
  const site = await createSite({
    pages,
    addresses: Array.from({ length: hosts }, (_, host) => `127.0.1.${host + 1}`),
    onAnswered({ path }) {
      if (path === '/robots.txt') return
      answers++
      for (const each of waiting) if (answers >= each.pages) each.resolve()
    },
    ...siteOptions,
  })
  const seeds = Array.from({ length: hosts }, (_, host) => `${site.origin(host)}/`)
  const config = configOf({ 'crawl.delay': '0ms', 'cluster.lease': '3s', 'crawl.fetchers': 16, ...values })
  const files = { mimeTypes: null, ignoreTypes: null, blockList: null, hostRules: null }
  const settings: CrawlSettings = {
    ...{ folder: '', seeds, depth: null, restrict: null, maxPages: null, files, omit: [], config },
  }
  const seed = await readSeed(database.pool)
  const started: PostgresShards[] = []
  const view = createPostgresFrontierView(database.pool)
  const field: Field = {
    ...{ site, database, hosts, pages },
    async startWorker(name, run = 1) {
      const memory = createCounterMemory(threads, null)
      const epochs = createEpochMemory()
      const shards = startPostgresShards({
        ...{
          address: database.address,
          settings,
          node: `${name}-node`,
          name,
          shards: threads,
          run,
          looksBack: run > 1,
        },
        ...{
          seed,
          memory,
          epochs,
          retries: createRetries(systemClock),
          log: pino({ level: process.env.FIELD_LOG ?? 'silent' }),
        },
      })
      started.push(shards)
      // Fails the test at once.
      shards.failed.catch((error: unknown) => {
        throw error
      })
      await shards.start()
      return {
        shards,
        counters: openSharedCounters(memory),
        epochs: openEpochs(epochs),
        seed: () => shards.seed(seeds),
      }
    },
    queued: async () => (await view.totals(1)).queued,
    answered(wanted) {
      if (answers >= wanted) return Promise.resolve()
      return new Promise((resolve) => waiting.push({ pages: wanted, resolve }))
    },
    async untilFinished() {
      const failed = Promise.race(started.map((shards) => shards.failed))
      for (;;) {
        const left = await Promise.race([field.queued(), failed])
        if (left === 0) return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    async destroy() {
      await Promise.all(started.map((shards) => shards.end()))
      await site.close()
      await database.destroy()
    },
  }
  return field
}

export function requestsByUrl({ log }: Site): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { hostIndex, path } of log) {
    if (path === '/robots.txt') continue
    const url = `${hostIndex} ${path}`
    counts.set(url, (counts.get(url) ?? 0) + 1)
  }
  return counts
}

/** Requests in excess of one per page. */
export function excessOf(site: Site): number {
  const counts = requestsByUrl(site)
  return [...counts.values()].reduce((sum, n) => sum + n, 0) - counts.size
}

/** Every page of the site has one document with one version. */
export async function assertStoredOnce({ database, hosts, pages }: Field): Promise<void> {
  const [row] = await database.pool.query<{ documents: number; versions: number }>(
    'SELECT (SELECT count(*) FROM documents WHERE version > 0) AS documents, (SELECT count(*) FROM versions) AS versions',
  )
  assert.deepEqual(row, { documents: hosts * pages, versions: hosts * pages })
}

/** Checks that no host was requested before the delay after its last response had passed. */
export function assertPolite({ log }: Site, delayMs: number): void {
  const ended = new Map<number, number>()
  for (const { hostIndex, path, startedAtMs, endedAtMs } of log) {
    const before = ended.get(hostIndex)
    if (before !== undefined)
      assert.ok(startedAtMs - before >= delayMs, `${hostIndex} ${path}: ${startedAtMs - before} ms`)
    ended.set(hostIndex, endedAtMs ?? startedAtMs)
  }
}

export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20))
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PostgresPool } from '../../src/store/postgres/connection/pool.ts'
import { createDatabase, type TestDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { type EraceEnd, lastLines, readResult } from '../kit/erace.ts'
import { countByPath } from '../site/request-log.ts'
import { createGate, createSite, type Site, type SiteOptions } from '../site/site.ts'
import { until } from '../watch/up-run.ts'
import { type Joined, startCrawl, startWorker } from './worker-process.ts'

usePostgres()

/** Enough hosts for every process to get some. */
const HOSTS = 12
const PAGES = 12
const ALL = HOSTS * PAGES

type Cluster = { site: Site; seeds: string[]; database: TestDatabase; pool: PostgresPool }

async function withCluster(options: SiteOptions, work: (cluster: Cluster) => Promise<void>): Promise<void> {
  const addresses = Array.from({ length: HOSTS }, (_, n) => `127.0.7.${n + 1}`)
  const site = await createSite({ pages: PAGES, addresses, etags: true, ...options })
  const database = await createDatabase()
  const seeds = addresses.map((_, n) => `${site.origin(n)}/`)
  try {
    await work({ site, seeds, database, pool: database.pool })
  } finally {
    await database.destroy()
    await site.close()
  }
}

function resultOf(end: EraceEnd) {
  const result = readResult(end)
  assert.ok(result !== undefined, `exit ${end.exitCode}: ${end.stdout.slice(0, 500)} ${lastLines(end, 20)}`)
  return result
}

/** Number of documents by number of versions. */
async function versionCounts(pool: PostgresPool): Promise<Record<string, number>> {
  const rows = await pool.query<{ versions: number; documents: number }>(
    `SELECT versions, count(*) AS documents FROM (SELECT count(v.id) AS versions FROM documents d
       LEFT JOIN versions v ON v.partition = d.partition AND v.document = d.id GROUP BY d.id) c GROUP BY versions`,
  )
  return Object.fromEntries(rows.map(({ versions, documents }) => [versions, documents]))
}

function requestCounts({ log }: Site): number[] {
  return Array.from({ length: HOSTS }, (_, n) => [...countByPath(log, n).values()]).flat()
}

const fetchedBy = async (pool: PostgresPool): Promise<Map<string, number>> => {
  const rows = await pool.query<{ node: string; fetched: number }>(
    `SELECT node, sum((figures->>'fetched')::int) AS fetched FROM run_figures GROUP BY node`,
  )
  return new Map(rows.map(({ node, fetched }) => [node, fetched]))
}

describe('a crawl in a cluster', () => {
  test('running workers help, every page is stored once, and the next crawl finds changes', () =>
    withCluster({ latenciesMs: new Array(HOSTS).fill(20) }, async ({ site, seeds, database, pool }) => {
      const worker = startWorker(database.address, 'other')
      const { node } = await worker.ready<Joined>()
      const end = await startCrawl(database.address, seeds).ended
      const { finished, fetched, stored, queued, seen, interrupted } = resultOf(end)
      assert.deepEqual(
        { exitCode: end.exitCode, finished, fetched, stored, queued, seen, interrupted },
        { exitCode: 0, finished: true, fetched: ALL, stored: ALL, queued: 0, seen: ALL, interrupted: false },
      )
      assert.deepEqual(await versionCounts(pool), { 1: ALL })
      assert.deepEqual(requestCounts(site), new Array(ALL).fill(1))
      assert.ok((await fetchedBy(pool)).get(node)! > 0)
      site.change(3, 2)
      const again = resultOf(await startCrawl(database.address, seeds).ended)
      assert.deepEqual([again.finished, again.fetched, again.stored, again.unchanged], [true, ALL, 1, ALL - 1])
      assert.equal((await worker.stop()).exitCode, 0)
      assert.deepEqual(await pool.query('SELECT id FROM nodes'), [])
      assert.deepEqual(await pool.query('SELECT holder FROM leases WHERE holder IS NOT NULL'), [])
    }))

  test('a worker stopped midway hands over, and nothing is fetched twice', () =>
    withCluster({ latenciesMs: new Array(HOSTS).fill(40) }, async ({ site, seeds, database, pool }) => {
      const worker = startWorker(database.address, 'leaver')
      const { node } = await worker.ready<Joined>()
      const crawl = startCrawl(database.address, seeds)
      await until('a part of the pages', () => site.log.length > 60)
      assert.equal((await worker.stop()).exitCode, 0)
      const result = resultOf(await crawl.ended)
      assert.deepEqual([result.finished, result.fetched, result.stored], [true, ALL, ALL])
      assert.deepEqual(await versionCounts(pool), { 1: ALL })
      assert.deepEqual(requestCounts(site), new Array(ALL).fill(1))
      assert.ok((await fetchedBy(pool)).get(node)! > 0)
    }))

  test('a page limit holds across all workers, and the next crawl continues from there', () =>
    withCluster({ latenciesMs: new Array(HOSTS).fill(5) }, async ({ site, seeds, database }) => {
      const worker = startWorker(database.address, 'other')
      await worker.ready<Joined>()
      const limited = resultOf(await startCrawl(database.address, seeds, ['--max-pages', '47']).ended)
      assert.deepEqual([limited.finished, limited.interrupted, limited.fetched], [false, false, 47])
      assert.equal(
        requestCounts(site).reduce((sum, n) => sum + n, 0),
        47,
      )
      const rest = resultOf(await startCrawl(database.address, seeds).ended)
      assert.deepEqual([rest.finished, rest.fetched], [true, ALL - 47])
      assert.deepEqual(requestCounts(site), new Array(ALL).fill(1))
    }))

  test('the workers finish an interrupted crawl', () =>
    withCluster({ latenciesMs: new Array(HOSTS).fill(30) }, async ({ site, seeds, database, pool }) => {
      const worker = startWorker(database.address, 'other')
      await worker.ready<Joined>()
      const crawl = startCrawl(database.address, seeds)
      await until('a part of the pages', () => site.log.length > 40)
      crawl.child.kill('SIGINT')
      const end = await crawl.ended
      assert.equal(end.exitCode, 130)
      assert.equal(resultOf(end).interrupted, true)
      const isFinished = async () => (await pool.query('SELECT 1 FROM runs WHERE finished_at IS NOT NULL')).length === 1
      await until('the end of the run', isFinished)
      assert.deepEqual(await versionCounts(pool), { 1: ALL })
      assert.deepEqual(requestCounts(site), new Array(ALL).fill(1))
    }))

  test('a second crawl joins the first and adds its seeds', () =>
    withCluster({ apart: true }, async ({ site, seeds, database, pool }) => {
      const gate = createGate()
      site.set(`/page/${PAGES - 1}.html`, { body: 'the last page', until: gate.opened })
      const first = startCrawl(database.address, seeds.slice(0, 4))
      await until('most of the pages', () => site.log.length > 4 * PAGES)
      const second = startCrawl(database.address, seeds.slice(4))
      await second.logs('joining the crawl in progress')
      gate.open()
      const ends = await Promise.all([first.ended, second.ended])
      for (const end of ends) assert.equal(resultOf(end).finished, true)
      assert.equal(resultOf(ends[0]).fetched, ALL)
      assert.deepEqual(await pool.query('SELECT id FROM runs'), [{ id: 1 }])
      assert.deepEqual(await versionCounts(pool), { 1: ALL })
      assert.deepEqual(requestCounts(site), new Array(ALL).fill(1))
    }))
})

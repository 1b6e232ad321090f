import assert from 'node:assert/strict'
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readResult, startErace } from '../../../test/kit/erace.ts'
import { newFolder, runCrawl } from '../../../test/site/crawl-run.ts'
import { createSite, type Site } from '../../../test/site/site.ts'
import type { SearchReport } from '../../core/reports/search-report.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { openFolder, paths } from '../../store/sqlite/folder/folder.ts'
import { lockFolder } from '../../store/sqlite/folder/lock.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { createBackground } from './background.ts'

const html = (title: string, text: string) => ({ body: `<!DOCTYPE html><title>${title}</title><p>${text}</p>` })

/** Runs background work until nothing is left, or nothing that can be done. */
async function work(data: string, jobs: { index: boolean; compress: boolean }): Promise<string[]> {
  const warnings: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const background = createBackground(data, jobs, { onWarning: (message) => warnings.push(message), onRest: resolve })
  background.setPaused(true)
  background.wake()
  background.setPaused(false)
  await promise
  await background.end()
  return warnings
}

describe('the background thread', () => {
  let site: Site
  let data: string
  before(async () => {
    site = await createSite({ pages: 0 })
    data = join(newFolder(), 'data')
    const settings = { archive: { maxFile: '64KB', compress: false } }
    for (let page = 0; page < 40; page++) site.set(`/big${page}`, html(`Big ${page}`, 'whale '.repeat(2_000)))
    site.set('/', {
      ...html('Start', ''),
      body: Array.from({ length: 40 }, (_, n) => `<a href="/big${n}">x</a>`).join(''),
    })
    await runCrawl([`${site.origin()}/`], { data, settings, options: ['--allow-net', '127.0.0.0/8', '--no-index'] })
  })
  after(() => site.close())

  async function search(query: string): Promise<SearchReport> {
    const end = await startErace(['search', query, '--no-update', '--data', data, '--json']).ended
    assert.equal(end.exitCode, 0, end.stdout + end.stderr)
    return readResult(end) as SearchReport
  }

  const closedFiles = (folder = data): number => {
    const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, readOnly: true })
    try {
      return (db.prepare(`SELECT count(*) AS n FROM files WHERE state = 'closed'`).get() as { n: number }).n
    } finally {
      db.close()
    }
  }

  test('indexes nothing if indexing is off', async () => {
    assert.deepEqual(await work(data, { index: false, compress: false }), [])
    assert.equal(existsSync(paths.search(data)), false)
  })

  test('indexes versions, but compresses no files while another process holds the housekeeping lock', async () => {
    const before = closedFiles()
    assert.ok(before > 2)
    const lock = lockFolder(data, 'a backup', 0, 'housekeeping')
    assert.deepEqual(await work(data, { index: true, compress: true }), [])
    lock.release()
    assert.equal(closedFiles(), before)
    const { total, index } = await search('whale')
    assert.equal(total, 40)
    assert.ok(index.versions >= 40)
  })

  test('reports a damaged index once, and compresses closed files all the same', async () => {
    const copy = `${data}-damaged`
    cpSync(data, copy, { recursive: true })
    writeFileSync(paths.search(copy), 'rubbish '.repeat(1_000))
    assert.ok(closedFiles(copy) > 2)
    const warnings = await work(copy, { index: true, compress: true })
    assert.equal(warnings.length, 1)
    assert.match(warnings[0]!, /indexing: .*search\.db.*--rebuild/)
    assert.equal(closedFiles(copy), 0)
  })

  test('compresses closed files, which search still finds', async () => {
    assert.deepEqual(await work(data, { index: true, compress: true }), [])
    assert.equal(closedFiles(), 0)
    const { total, items } = await search('whale intitle:big')
    assert.equal(total, 40)
    assert.ok(items[0]!.snippet.marks.length > 0)
    assert.equal((await startErace(['verify', '--data', data]).ended).exitCode, 0)
  })

  test('opening a folder removes leftover files only if the housekeeping lock is free', async () => {
    const leftover = join(paths.archive(data), 'erace-x.warc.gz.part')
    writeFileSync(leftover, 'half a file')
    const lock = lockFolder(data, 'the collector', 0, 'housekeeping')
    await openFolder({ folder: data, holder: 'test', shards: 1 }).close()
    assert.equal(existsSync(leftover), true)
    lock.release()
    await openFolder({ folder: data, holder: 'test', shards: 1 }).close()
    assert.equal(existsSync(leftover), false)
  })
})

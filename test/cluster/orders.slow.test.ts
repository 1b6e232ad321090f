import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { CrawlResult } from '../../src/core/reports/crawl-report.ts'
import { createDatabase, type TestDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { lastLines, readResult } from '../kit/erace.ts'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'
import { startCrawl, startInCluster } from './worker-process.ts'

usePostgres()

const PAGES = 20

/** Crawl orders, and reading the archive, on a shared store. */
describe('a crawl into PostgreSQL', () => {
  let site: HandlerSite
  let database: TestDatabase
  let asked: string[] = []
  let onAsked: () => void = () => {}
  const out = mkdtempSync(join(tmpdir(), 'erace-orders-'))

  /** All pages linked from the first page link to `/hub` and to one further page each. */
  function pageAt(path: string): string {
    const links = path === '/' ? Array.from({ length: PAGES }, (_, n) => `/p${n}`) : ['/hub', `/deep${path.slice(2)}`]
    const followed = path === '/hub' ? ['/', '/p3'] : path.startsWith('/deep') ? [] : links
    return `<title>${path}</title><h1>Page ${path}</h1>${followed.map((link) => `<a href="${link}">${link}</a> `).join('')}`
  }

  before(async () => {
    site = await createHandlerSite((path, response) => {
      if (!/^\/(?:(?:p|deep)\d+|hub)?$/.test(path)) {
        response.statusCode = 404
        return void response.end()
      }
      asked.push(path)
      onAsked()
      response.end(pageAt(path))
    })
    database = await createDatabase()
  })
  after(async () => {
    await database?.destroy()
    await site?.close()
    rmSync(out, { recursive: true })
  })

  const start = (...options: string[]) => startCrawl(database.address, [`${site.origin}/`], options)

  async function crawl(...options: string[]): Promise<CrawlResult> {
    const end = await start(...options).ended
    const result = readResult(end)
    assert.ok(result !== undefined && end.exitCode === 0, `exit ${end.exitCode}: ${lastLines(end)}`)
    return result as CrawlResult
  }

  async function run(...args: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await startInCluster(database.address, args).ended
    assert.equal(exitCode, 0, stdout + stderr)
    return stdout
  }

  test('a walk continues after kill -9, and every step is counted once', async () => {
    // The next crawl joins the killed one with its settings, so these must be the same.
    const walk = ['--order', 'walk', '--walkers', '2', '--max-pages', '40']
    const killed = start(...walk)
    await new Promise<void>((resolve) => {
      onAsked = () => asked.length >= 5 && resolve()
    })
    onAsked = () => {}
    await killed.stop('SIGKILL')
    const first = (await crawl(...walk)).details.walk!
    const second = (await crawl(...walk)).details.walk!
    assert.equal(second.steps, first.steps + 40)
    assert.equal(second.visits, second.steps)
    const lines = (await run('export', 'walk', '-')).split('\n').filter((line) => line.startsWith('http'))
    const visits = lines.reduce((sum, line) => sum + Number(line.split('\t')[1]), 0)
    assert.equal(visits, second.visits)
  })

  test('importance order fetches a page with many inbound links before pages queued earlier', async () => {
    const other = await createDatabase()
    asked = []
    const options = ['--order', 'importance', '--fetchers', '1']
    const { exitCode } = await startCrawl(other.address, [`${site.origin}/`], options, { ERACE_CRAWL_PERHOST: '1' })
      .ended
    await other.destroy()
    assert.equal(exitCode, 0)
    const at = asked.indexOf('/hub')
    assert.ok(at > 0 && at < PAGES, `hub at ${at} of ${asked.length}`)
  })

  test('its pages are exported as a WACZ file that verifies, and as Markdown', async () => {
    const file = join(out, 'site.wacz')
    const report = JSON.parse(await run('export', 'wacz', file, '--json')) as { records: number; bytes: number }
    assert.ok(report.records > 5)
    assert.equal(report.bytes, readFileSync(file).length)
    await run('verify', '--wacz', file)
    const folder = join(out, 'markdown')
    await run('export', 'markdown', folder)
    const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
    assert.ok(texts.length > 5 && texts.some((text) => text.includes('# Page /hub')), texts[0])
  })
})

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { WalkReport } from '../src/core/reports/crawl-report.ts'
import { startErace } from './kit/erace.ts'
import { newFolder, runCrawl, startCrawl } from './site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from './site/handler-site.ts'

/** Crawl orders through the command line, against a real origin. */
const PAGES = 30

describe('--order', () => {
  let site: HandlerSite
  /** Paths in the order of requests, without robots.txt. */
  let asked: string[] = []
  let onAsked: () => void = () => {}

  /** All pages link to `/hub`; `/pN` are linked from the first page, each with one link to the hub. */
  function pageAt(path: string): string {
    const page = (links: string[], words = 'nothing') =>
      `<title>${path}</title><p>${words}</p>${links.map((link) => `<a href="${link}">${link}</a> `).join('')}`
    if (path === '/') return page(Array.from({ length: PAGES }, (_, n) => `/p${n}`))
    if (path === '/p7') return page(['/hub', '/solar1', '/p8'], 'solar power for everyone')
    if (path === '/hub') return page(['/', '/p3'])
    return page(path.startsWith('/p') ? ['/hub', `/deep${path.slice(2)}`] : [])
  }

  before(async () => {
    site = await createHandlerSite((path, response) => {
      if (!/^\/(?:(?:p|deep|solar)\d+|hub)?$/.test(path)) {
        response.statusCode = 404
        return void response.end()
      }
      asked.push(path)
      onAsked()
      response.end(pageAt(path))
    })
  })
  after(() => site.close())

  async function crawl(...options: string[]): Promise<string[]> {
    asked = []
    await runCrawl([`${site.origin}/`], { options: ['--fetchers', '1', '--threads', '1', ...options] })
    return asked
  }

  test('importance moves a page with many inbound links ahead of pages queued before it', async () => {
    const breadth = (await crawl('--order', 'breadth')).indexOf('/hub')
    const importance = (await crawl('--order', 'importance')).indexOf('/hub')
    assert.equal(breadth, PAGES + 1)
    assert.ok(importance > 0 && importance < 6, `hub at ${importance}`)
  })

  test('focused fetches the links of a relevant page next', async () => {
    const order = await crawl('--order', 'focused', '--focus', 'solar power')
    const at = order.indexOf('/p7')
    assert.deepEqual(order.slice(at + 1, at + 4).sort(), ['/hub', '/p8', '/solar1'])
  })

  test('fifo keeps the order of arrival', async () => {
    const order = await crawl('--order', 'fifo')
    assert.deepEqual(order.slice(0, 4), ['/', '/p0', '/p1', '/p2'])
    assert.ok(order.indexOf('/hub') === PAGES + 1)
  })

  test('walk revisits pages from the archive, and continues after kill -9', async () => {
    asked = []
    const data = join(newFolder(), 'data')
    const options = ['--order', 'walk', '--max-pages', '60', '--threads', '3', '--walkers', '2']
    const settings = { crawl: { walkSeed: 5 } }
    const killed = startCrawl([`${site.origin}/`], { data, settings, options: [...options, '--max-pages', '100000'] })
    await new Promise<void>((resolve) => {
      onAsked = () => asked.length >= 5 && resolve()
    })
    onAsked = () => {}
    killed.child.kill('SIGKILL')
    await killed.ended
    const walkOf = async (): Promise<WalkReport> => {
      const { result } = await runCrawl([`${site.origin}/`], { data, settings, options })
      assert.ok(!result.finished)
      assert.equal(result.queued, 2)
      return result.details.walk!
    }
    const first = await walkOf()
    const second = await walkOf()
    assert.equal(second.steps, first.steps + 60)
    assert.equal(second.visits, second.steps)
    assert.ok(second.restarts > 0 && second.deadEnds > 0 && second.pages > 5)
    const verified = await startErace(['verify', '--data', data]).ended
    assert.equal(verified.exitCode, 0, verified.stdout + verified.stderr)
    const exported = await startErace(['export', 'walk', '-', '--data', data]).ended
    const lines = exported.stdout.split('\n').filter((line) => line.startsWith('http'))
    assert.equal(lines.filter((line) => !line.includes('\t0\t')).length, second.pages)
    assert.equal(
      lines.reduce((sum, line) => sum + Number(line.split('\t')[1]), 0),
      second.visits,
    )
    // Stored pages are not requested again; those in flight at the kill may be.
    const times = new Map<string, number>()
    for (const path of asked) times.set(path, (times.get(path) ?? 0) + 1)
    assert.ok([...times.values()].filter((n) => n > 1).length <= 2, JSON.stringify([...times]))
  })

  test('rejects walk without --max-pages, and focused without a focus', async () => {
    const run = async (...args: string[]) =>
      startErace(['crawl', `${site.origin}/`, '--data', join(newFolder(), 'data'), ...args]).ended
    const walk = await run('--order', 'walk')
    assert.equal(walk.exitCode, 2)
    assert.match(walk.stderr, /a random walk has no end: give --max-pages/)
    const focused = await run('--order', 'focused')
    assert.equal(focused.exitCode, 2)
    assert.match(focused.stderr, /needs crawl.focus/)
  })
})

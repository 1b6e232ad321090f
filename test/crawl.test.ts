import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { CrawlResult } from '../src/core/reports/crawl-report.ts'
import { readResult, startErace } from './kit/erace.ts'
import { newFolder, readKept, runCrawl } from './site/crawl-run.ts'
import { createHandlerSite } from './site/handler-site.ts'
import { countByPath, isRobots } from './site/request-log.ts'
import { createGate, createSite, type Site } from './site/site.ts'

/** The whole command against real origins, as a user runs it. */
const dataFolder = (): string => join(newFolder(), 'data')

async function crawl(data: string, seeds: string[], options: string[] = []): Promise<CrawlResult> {
  return (await runCrawl(seeds, { data, options })).result
}

async function run(...args: string[]) {
  return startErace(args).ended
}

const html = (...links: string[]): string =>
  `<title>t</title>${links.map((link) => `<a href="${link}">x</a>`).join('')}`

describe('a crawl of one site', () => {
  let site: Site
  before(async () => {
    site = await createSite({ pages: 40, etags: true })
  })
  after(() => site.close())

  test('fetches and stores every page once, and finds nothing new the second time', async () => {
    const folder = dataFolder()
    const first = await crawl(folder, [`${site.origin()}/`])
    assert.deepEqual(
      { ...pick(first), finished: first.finished, interrupted: first.interrupted },
      {
        fetched: 40,
        stored: 40,
        unchanged: 0,
        duplicates: 0,
        failed: 0,
        redirects: 0,
        queued: 0,
        seen: 40,
        finished: true,
        interrupted: false,
      },
    )
    for (const [path, times] of countByPath(site.log)) assert.equal(times, 1, path)
    const verified = await run('verify', '--data', folder)
    assert.equal(verified.exitCode, 0, verified.stdout + verified.stderr)

    site.log.length = 0
    const again = await crawl(folder, [`${site.origin()}/`])
    assert.equal(again.unchanged, 40)
    assert.equal(again.stored, 0)
    assert.ok(site.log.filter((entry) => !isRobots(entry)).every((entry) => entry.status === 304))

    site.change(7)
    const changed = await crawl(folder, [`${site.origin()}/`])
    assert.equal(changed.stored, 1)
    assert.equal(changed.unchanged, 39)
  })

  test('stops at the page limit and continues from there', async () => {
    const folder = dataFolder()
    const part = await crawl(folder, [`${site.origin()}/`], ['--max-pages', '15'])
    assert.equal(part.fetched, 15)
    assert.equal(part.finished, false)
    const rest = await crawl(folder, [`${site.origin()}/`])
    assert.equal(rest.fetched, 25)
    assert.equal(rest.finished, true)
  })

  test('saves its state when interrupted, exits with 130, and continues later', async () => {
    const folder = dataFolder()
    const args = ['crawl', `${site.origin()}/`, '--data', folder, '--json', '--quiet', '--delay', '20']
    const { child, ended } = startErace(args)
    const seen = site.log.length
    await untilLogged(site, seen + 8)
    child.kill('SIGINT')
    const end = await ended
    assert.equal(end.exitCode, 130, end.stderr)
    const part = readResult(end) as CrawlResult
    assert.equal(part.interrupted, true)
    assert.ok(part.stored < 40)
    const rest = await crawl(folder, [`${site.origin()}/`])
    assert.equal(part.stored + rest.stored, 40)
  })

  test('cannot share its data folder with another crawl', async () => {
    const folder = dataFolder()
    const args = ['crawl', `${site.origin()}/`, '--data', folder, '--quiet', '--delay', '1000']
    const first = startErace(args)
    await untilLogged(site, site.log.length + 3)
    const second = await run(...args)
    assert.equal(second.exitCode, 1)
    assert.match(second.stderr, /is in use by process \d+/)
    first.child.kill('SIGKILL')
    await first.ended
  })
})

describe('link following', () => {
  let site: Site
  before(async () => {
    site = await createSite({
      pages: 0,
      addresses: ['127.0.0.1', '127.0.0.2'],
      robots: 'User-agent: *\nDisallow: /private/\nUser-agent: erace\nDisallow: /private/\nDisallow: /no-erace',
    })
  })
  after(() => site.close())

  test('counts each skipped link once, by reason', async () => {
    const { set, origin, log } = site
    const outside = `${origin(1)}/outside.html`
    set('/', {
      body: html(
        '/a',
        '/a#f',
        '/private/x',
        '/no-erace',
        outside,
        'logo.png',
        'mailto:x@y',
        `/${'x'.repeat(3000)}`,
        '/t/t/t/t/t/t',
        '/moved',
        '/gone',
        '/bin',
        '/copy',
        '/hidden',
        '/blocked/1',
      ),
    })
    set('/a', { body: html('/', outside, 'logo.png', '/blocked/1') })
    set('/moved', { status: 301, headers: { location: '/b' }, body: '' })
    set('/b', { body: html('/c') })
    set('/c', { body: 'plain', headers: { 'content-type': 'text/plain' } })
    set('/gone', { status: 404, body: 'no' })
    set('/bin', { body: 'GIF89a', headers: { 'content-type': 'image/gif' } })
    set('/copy', { body: html('/c') })
    set('/hidden', { body: `<meta name=robots content="noindex,nofollow">${html('/never')}` })
    const block = join(newFolder(), 'block')
    writeFileSync(block, `# blocked\n${origin()}/blocked/\n`)
    const result = await crawl(dataFolder(), [`${origin()}/`], ['--block', block])
    assert.deepEqual(result.skipped, {
      robots: 3,
      scope: 1,
      blocked: 1,
      type: 2,
      length: 1,
      trap: 1,
      address: 0,
      limit: 0,
    })
    assert.deepEqual(pick(result), {
      fetched: 8,
      stored: 4,
      unchanged: 0,
      duplicates: 1,
      failed: 1,
      redirects: 1,
      queued: 0,
      seen: 11,
    })
    const asked = log.map((entry) => entry.path)
    assert.ok(
      !asked.includes('/private/x') &&
        !asked.includes('/no-erace') &&
        !asked.includes('/never') &&
        !asked.includes('/outside.html'),
    )
  })

  test('measures depth along the shortest path to a page', async () => {
    const { set, origin } = site
    // /x is three links from /d by way of /long and two by way of /short: the shorter way counts.
    set('/d', { body: html('/long', '/short') })
    set('/long', { body: html('/x2') })
    set('/short', { body: html('/x') })
    set('/x2', { body: html('/x', '/too-deep') })
    set('/x', { body: html('/y') })
    set('/y', { body: html('/z') })
    set('/z', { body: 'z' })
    const folder = dataFolder()
    assert.equal((await crawl(folder, [`${origin()}/d`], ['--depth', '0'])).stored, 1)
    assert.equal((await crawl(dataFolder(), [`${origin()}/d`], ['--depth', '1'])).stored, 3)
    assert.equal((await crawl(dataFolder(), [`${origin()}/d`], ['--depth', '2'])).stored, 5)
    const deep = await crawl(dataFolder(), [`${origin()}/d`, `${origin()}/x2`], ['--depth', '3'])
    assert.equal(deep.stored, 7)
    assert.equal(deep.failed, 1)
  })

  test('a seed that redirects to another host moves the crawl there', async () => {
    const { set, origin } = site
    set('/from', { status: 302, headers: { location: `${origin(1)}/to` }, body: '' }, 0)
    set('/to', { body: html('/to2', `${origin(0)}/c`) }, 1)
    set('/to2', { body: '2' }, 1)
    const result = await crawl(dataFolder(), [`${origin(0)}/from`], ['--allow-net', '127.0.0.0/8'])
    assert.equal(result.redirects, 1)
    assert.equal(result.stored, 3)
  })

  test('the address guard allows only seeds and allowed networks', async () => {
    const { set, origin } = site
    set(
      '/lure',
      { body: html(`${origin(1)}/secret`, 'http://2130706434:9/', 'http://[::1]/', 'http://169.254.169.254/latest') },
      0,
    )
    set('/secret', { body: 's' }, 1)
    const refused = await crawl(dataFolder(), [`${origin(0)}/lure`], ['--restrict', '.'])
    assert.equal(refused.skipped.address, 4)
    assert.equal(refused.stored, 1)
    const allowed = await crawl(
      dataFolder(),
      [`${origin(0)}/lure`],
      ['--restrict', 'secret|lure', '--allow-net', '127.0.0.2'],
    )
    assert.equal(allowed.stored, 2)
  })
})

test('hosts declared synonymous by host rules count as one host', async () => {
  const site = await createSite({ pages: 0 })
  try {
    site.set('/', { body: html('/p', `${site.origin().replace('127.0.0.1', '127.0.0.2')}/p`) })
    site.set('/p', { body: 'p' })
    const rules = join(newFolder(), 'rules')
    writeFileSync(rules, 'synonym(127.0.0.2)=127.0.0.1\n')
    const result = await crawl(dataFolder(), [`${site.origin()}/`], ['--host-rules', rules])
    assert.equal(result.stored, 2)
    assert.equal(result.skipped.scope, 0)
  } finally {
    await site.close()
  }
})

test('dead and silent hosts do not delay other hosts', async () => {
  const gate = createGate()
  let left = 5
  const site = await createSite({
    pages: left,
    onAnswered(entry) {
      if (!isRobots(entry) && --left === 0) gate.open()
    },
  })
  // Answers only after all pages of the other site were fetched.
  const silent = await createHandlerSite(async (path, response) => {
    await gate.opened
    response.writeHead(path === '/robots.txt' ? 404 : 200).end('at last')
  }, '127.0.0.2')
  try {
    const result = await crawl(dataFolder(), [`${silent.origin}/`, 'http://127.0.0.3:9/', `${site.origin()}/`])
    assert.equal(result.stored, 6)
    assert.equal(result.failed, 1)
    assert.equal(result.details.failures['connect-refused'], 1)
    // Had the others waited, its first request would have timed out and been repeated.
    assert.deepEqual(silent.asked, ['/robots.txt', '/'])
  } finally {
    await site.close()
    await silent.close()
  }
})

function pick(result: CrawlResult) {
  const { fetched, stored, unchanged, duplicates, failed, redirects, queued, seen } = result
  return { fetched, stored, unchanged, duplicates, failed, redirects, queued, seen }
}

/** Resolves when the origin has logged this many requests. */
async function untilLogged(site: Site, requests: number): Promise<void> {
  while (site.log.length < requests) await new Promise((resolve) => setImmediate(resolve))
}

test('an empty query stays part of a URL in seeds, links, requests and records', async () => {
  const site = await createHandlerSite((path, response) => {
    if (path === '/robots.txt') response.writeHead(404).end()
    else response.end(path === '/seed?' ? html('/a?', '/b', '/c?#d') : `page ${path}`)
  })
  try {
    const { data } = await runCrawl([`${site.origin}/seed?`])
    const expected = ['/seed?', '/a?', '/b', '/c?']
    assert.deepEqual(site.asked.filter((path) => path !== '/robots.txt').toSorted(), expected.toSorted())
    assert.deepEqual(
      [...(await readKept(data)).keys()].toSorted(),
      expected.map((path) => `${site.origin}${path}`).toSorted(),
    )
  } finally {
    await site.close()
  }
})

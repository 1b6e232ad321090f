import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertVerified, type CrawlRun, runCrawl } from './site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from './site/handler-site.ts'
import { createHostileOrigins, type HostileOrigins, hostilePaths, warmUp } from './site/hostile-origins.ts'
import type { HostileSite } from './site/hostile-site.ts'
import { type KeptRecord, readKept } from './site/kept-records.ts'
import { countByPath } from './site/request-log.ts'
import { createSite, type Site } from './site/site.ts'

/**
 * Every way to misbehave at once, each on an origin of its own and every one a seed, next to a site that does nothing
 * wrong. One crawl, and for each path the one outcome that it must come to:
 * `fails CODE`, `kept`, `kept, cut by length|time`, or `redirects` where a redirect was followed to its end.
 */
const expected: Record<string, string> = {
  '/endless-body': 'kept, cut by length',
  '/endless-chunks': 'kept, cut by length',
  '/endless-header': 'fails header-too-large',
  '/endless-interim': 'fails header-too-large',
  '/short-body': 'fails body-short',
  '/long-body': 'kept',
  '/stalled-body': 'fails body-timeout',
  '/slow-header': 'fails header-timeout',
  '/slow-body': 'kept, cut by time',
  '/silent': 'fails header-timeout',
  '/unknown-charset': 'kept',
  '/empty-charset': 'kept',
  '/lying-charset': 'kept',
  '/bomb-gzip': 'kept, cut by length',
  '/bomb-deflate': 'kept, cut by length',
  '/bomb-br': 'kept, cut by length',
  '/bomb-zstd': 'kept, cut by length',
  '/bomb-nested': 'kept, cut by length',
  '/bomb-layers': 'fails decode-failed',
  // Labelled as packed and not packed at all: what was sent is what there is.
  '/damaged-gzip': 'kept',
  '/cut-gzip': 'kept, cut by length',
  '/unknown-encoding': 'fails decode-failed',
  // A URL is asked for once, so a loop ends where it began.
  '/redirect-self': 'redirects',
  '/redirect-ping': 'redirects',
  '/redirect-pong': 'redirects',
  '/redirect-growing/': 'redirects',
  '/hops/1000': 'redirects',
  '/redirect-file': 'fails redirect-refused',
  '/redirect-javascript': 'fails redirect-refused',
  '/redirect-data': 'fails redirect-refused',
  '/redirect-ftp': 'fails redirect-refused',
  '/redirect-metadata': 'redirects',
  '/redirect-metadata-decimal': 'redirects',
  '/redirect-private': 'redirects',
  '/redirect-loopback-v6': 'redirects',
  '/redirect-mapped-v6': 'redirects',
  '/redirect-credentials': 'redirects',
  '/redirect-empty': 'redirects',
  '/redirect-nowhere': 'fails redirect-refused',
  '/redirect-unreadable': 'fails redirect-refused',
  '/redirect-long': 'fails header-too-large',
  '/calendar/2026/1': 'kept',
  '/session': 'kept',
  '/echo/a/': 'kept',
  '/soft/1': 'kept',
  '/faceted': 'kept',
  '/long-url': 'kept',
  '/many-links': 'kept',
  '/nested-tags': 'kept',
  '/open-angles': 'kept',
  '/open-comments': 'kept',
  '/open-quote': 'kept',
  '/open-scripts': 'kept',
  '/many-attributes': 'kept',
  '/entities': 'kept',
  '/base-elsewhere': 'kept',
  '/malformed-empty': 'fails connect-failed',
  '/malformed-version': 'fails http-malformed',
  '/malformed-status': 'fails http-malformed',
  '/malformed-status-long': 'fails header-too-large',
  '/malformed-status-range': 'fails http-server-error',
  '/malformed-header': 'fails http-malformed',
  '/malformed-nul': 'fails http-malformed',
  '/malformed-length': 'fails http-malformed',
  '/malformed-two-lengths': 'fails http-malformed',
  '/malformed-length-and-chunks': 'fails http-malformed',
  '/malformed-chunk': 'fails http-malformed',
  '/malformed-chunk-size': 'fails http-malformed',
  '/malformed-http-0.9': 'fails http-malformed',
  '/malformed-binary': 'fails http-malformed',
  '/malformed-switch': 'fails http-malformed',
  '/malformed-204': 'fails http-client-error',
  '/malformed-extra-reply': 'kept',
  '/reset': 'fails connect-failed',
  '/reset-in-body': 'fails body-short',
}

const limits = {
  crawl: {
    headerTimeout: '3s',
    stallTimeout: '3s',
    totalTimeout: '5s',
    maxAttempts: 1,
    perAddress: 1000,
    maxBody: '30MB',
    maxLinksPerPage: 300,
    maxPagesPerHost: 30,
    maxQueryVariants: 10,
    maxDepth: 12,
  },
}
/** What a bomb unpacks to is eight times what may be read, and the endless bodies have no end at all. */
const maxRssBytes = 600e6

describe('a crawl among hostile origins', () => {
  const pages = 25
  let hostile: HostileOrigins
  let healthy: Site
  let sameEverywhere: HandlerSite
  let run: CrawlRun
  let kept: Map<string, KeptRecord>

  const siteOf = (path: string): HostileSite => hostile.byPath.get(path)!
  const asked = (path: string): string[] => siteOf(path).log.map((entry) => entry.path)

  before(async () => {
    hostile = await createHostileOrigins(await hostilePaths(), { tickMs: 20 })
    for (const [path, site] of hostile.byPath) if (path.startsWith('/bomb')) await warmUp(site, path)
    healthy = await createSite({ pages })
    sameEverywhere = await createHandlerSite((path, response) => {
      if (path === '/robots.txt') response.writeHead(404).end()
      else response.end('<title>Sorry</title><a href="/lost/1">1</a><a href="/lost/2">2</a><a href="deeper/">3</a>')
    })
    const seeds = [...hostile.byPath].map(([path, { origin }]) => origin + path)
    run = await runCrawl([...seeds, `${healthy.origin()}/`, `${sameEverywhere.origin}/`], {
      settings: limits,
      options: ['--threads', '2'],
    })
    kept = await readKept(run.data)
  })
  after(async () => {
    await hostile.close()
    await healthy.close()
    await sameEverywhere.close()
  })

  function outcomeOf(url: string): string {
    const line = run.log.find((entry) => entry.url === url && (entry.code ?? entry.reason) !== undefined)
    if (line?.code !== undefined) return `fails ${line.code}`
    if (line !== undefined) return `skipped ${line.reason}`
    const record = kept.get(url)
    if (record === undefined) return 'redirects'
    return record.truncated === null ? 'kept' : `kept, cut by ${record.truncated}`
  }

  /** A body that is kept under another URL as well is noted there with how it was cut. */
  function isAsExpected(path: string, outcome: string): boolean {
    const isRevisit = kept.get(siteOf(path).origin + path)?.type === 'revisit'
    return outcome === expected[path] || (isRevisit && expected[path]!.startsWith(outcome))
  }

  test('every path comes to its outcome', () => {
    assert.deepEqual(Object.keys(expected).sort(), [...hostile.byPath.keys()].sort())
    const wrong = [...hostile.byPath].flatMap(([path, { origin }]) => {
      const outcome = outcomeOf(origin + path)
      return isAsExpected(path, outcome) ? [] : [`${path}: ${outcome}, expected: ${expected[path]}`]
    })
    assert.deepEqual(wrong, [])
  })

  test('the healthy site is kept to its last page, each asked for once', () => {
    const counts = countByPath(healthy.log)
    assert.equal(counts.size, pages)
    assert.ok([...counts.values()].every((times) => times === 1))
    const keptPages = [...kept.keys()].filter((url) => url.startsWith(`${healthy.origin()}/`))
    assert.equal(keptPages.length, pages)
  })

  test('the crawl ends by itself, within its memory, and what it kept is sound', async () => {
    const { finished, queued, peakRssBytes, details, failed } = run.result
    assert.deepEqual({ finished, queued }, { finished: true, queued: 0 })
    assert.ok(peakRssBytes < maxRssBytes, `${Math.round(peakRssBytes / 1e6)} MB`)
    assert.equal(
      failed,
      Object.values(details.failures).reduce((sum, times) => sum + times, 0),
    )
    assert.deepEqual(details.givenUpHosts, [])
    await assertVerified(run.data)
  })

  test('redirects end at the limit, and none is followed out of the web or to a forbidden address', () => {
    // robots.txt, the seed and the ten redirects that are allowed in a row
    assert.equal(asked('/hops/1000').length, 12)
    assert.equal(asked('/redirect-growing/').length, 12)
    assert.equal(run.result.details.failures['redirect-limit'], 2)
    const refused = run.log.filter((entry) => entry.reason === 'address').map((entry) => entry.url)
    assert.deepEqual(refused.sort(), [
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[::1]/',
      'http://[::ffff:a00:1]/',
    ])
    assert.equal(run.result.skipped.address, 4)
  })

  test('traps are left after a number of pages, each for its reason', () => {
    const seedOrRobots = 2
    for (const path of ['/calendar/2026/1', '/session', '/echo/a/', '/soft/1', '/faceted', '/many-links'])
      assert.ok(asked(path).length <= limits.crawl.maxPagesPerHost + seedOrRobots, `${path}: ${asked(path).length}`)
    assert.ok(asked('/session').filter((path) => path.includes('?')).length <= limits.crawl.maxQueryVariants)
    assert.ok(asked('/echo/a/').every((path) => !path.includes('/a/a/a/a/')))
    const { skipped } = run.result
    // All but the first links of the page with a million.
    assert.ok(skipped.limit >= 1_000_000 - limits.crawl.maxLinksPerPage, `${skipped.limit}`)
    assert.ok(skipped.trap > 0)
    // Of two pages: a path of 100,000 characters and a query of as many.
    assert.equal(skipped.length, 2)
  })

  test('a page that is the same under every URL is kept once, and its links are not followed twice', () => {
    assert.deepEqual(sameEverywhere.asked.sort(), ['/', '/deeper/', '/lost/1', '/lost/2', '/robots.txt'])
    const types = ['/', '/deeper/', '/lost/1', '/lost/2'].map((path) => kept.get(sameEverywhere.origin + path)?.type)
    assert.deepEqual(types, ['response', 'revisit', 'revisit', 'revisit'])
  })

  test('links behind nested, broken and wrongly labelled markup are found, and a base out of the web leads nowhere', () => {
    for (const path of ['/unknown-charset', '/empty-charset', '/nested-tags', '/many-attributes', '/long-url'])
      assert.ok(asked(path).includes('/ok/1'), path)
    assert.deepEqual(asked('/base-elsewhere'), ['/robots.txt', '/base-elsewhere'])
  })
})

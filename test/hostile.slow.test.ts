import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertVerified, type CrawlRun, type KeptRecord, readKept, runCrawl, type Settings } from './site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from './site/handler-site.ts'
import { createHostileOrigins, type HostileOrigins, hostilePaths, warmUp } from './site/hostile-site.ts'
import { countByPath } from './site/request-log.ts'
import { createSite, type Site } from './site/site.ts'

/**
 * Every way to misbehave at once, each a seed on its own origin, next to a healthy site. Each path has one expected
 * outcome: `fails CODE`, `kept`, `kept, cut by length|time`, or `redirects` if redirects were followed to their end.
 * Origins that stall are crawled separately with short limits: the others may take seconds on a busy machine, and must
 * not reach a time limit.
 */
const slow = ['/stalled-body', '/slow-header', '/slow-body', '/silent']
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
  // Labelled as compressed, but not compressed: stored as sent.
  '/damaged-gzip': 'kept',
  '/cut-gzip': 'kept, cut by length',
  '/unknown-encoding': 'fails decode-failed',
  // A URL is requested once, so a loop ends where it started.
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
  '/malformed-204': 'kept',
  '/malformed-extra-reply': 'kept',
  '/reset': 'fails connect-failed',
  '/reset-in-body': 'fails body-short',
}

const slowLimits = {
  crawl: { headerTimeout: '1500ms', stallTimeout: '1500ms', totalTimeout: '2500ms', maxAttempts: 1, perAddress: 1000 },
}
const limits = {
  crawl: {
    headerTimeout: '5m',
    stallTimeout: '5m',
    totalTimeout: '5m',
    maxAttempts: 1,
    perAddress: 1000,
    maxBody: '30MB',
    maxLinksPerPage: 300,
    maxPagesPerHost: 30,
    maxQueryVariants: 10,
    maxDepth: 12,
  },
}
/** A bomb unpacks to eight times the body limit, and endless bodies never end; a dozen bodies at the limit are read at once. */
const maxRssBytes = 900e6

const pages = 25

type Crawled = { hostile: HostileOrigins; healthy: Site; run: CrawlRun; kept: Map<string, KeptRecord> }

/** Crawls the paths next to a healthy site. */
async function crawlPaths(paths: string[], settings: Settings, moreSeeds: string[] = []): Promise<Crawled> {
  const hostile = await createHostileOrigins(paths, { tickMs: 20 })
  for (const [path, site] of hostile.byPath) if (path.startsWith('/bomb')) await warmUp(site, path)
  const healthy = await createSite({ pages })
  const seeds = [...hostile.byPath].map(([path, { origin }]) => origin + path)
  const run = await runCrawl([...seeds, ...moreSeeds, `${healthy.origin()}/`], {
    settings,
    options: ['--threads', '3'],
  })
  return { hostile, healthy, run, kept: await readKept(run.data) }
}

/** Paths with an unexpected outcome. */
function surprises({ hostile, run, kept }: Crawled): string[] {
  const wrong: string[] = []
  for (const [path, { origin }] of hostile.byPath) {
    const outcome = outcomeOf(origin + path, run, kept)
    // A revisit does not say how the body was cut.
    const isRevisit = kept.get(origin + path)?.type === 'revisit'
    if (outcome !== expected[path] && !(isRevisit && expected[path]?.startsWith(outcome)))
      wrong.push(`${path}: ${outcome}, expected: ${expected[path]}`)
  }
  return wrong
}

function outcomeOf(url: string, { log }: CrawlRun, kept: Map<string, KeptRecord>): string {
  const line = log.find((entry) => entry.url === url && (entry.code ?? entry.reason) !== undefined)
  if (line?.code !== undefined) return `fails ${line.code}`
  if (line !== undefined) return `skipped ${line.reason}`
  const record = kept.get(url)
  if (record === undefined) return 'redirects'
  return record.truncated === null ? 'kept' : `kept, cut by ${record.truncated}`
}

async function assertWhole({ run, healthy, kept }: Crawled): Promise<void> {
  const counts = countByPath(healthy.log)
  assert.equal(counts.size, pages)
  assert.ok(
    [...counts.values()].every((times) => times === 1),
    'each page is requested once',
  )
  assert.equal([...kept.keys()].filter((url) => url.startsWith(`${healthy.origin()}/`)).length, pages)
  const { finished, queued, details, failed } = run.result
  assert.deepEqual({ finished, queued }, { finished: true, queued: 0 })
  assert.equal(
    failed,
    Object.values(details.failures).reduce((sum, times) => sum + times, 0),
  )
  assert.deepEqual(details.givenUpHosts, [])
  await assertVerified(run.data)
}

async function close({ hostile, healthy }: Crawled): Promise<void> {
  await hostile.close()
  await healthy.close()
}

test('stalling origins are dropped at the time limits, and a healthy site is stored completely', async (t) => {
  const crawled = await crawlPaths(slow, slowLimits)
  t.after(() => close(crawled))
  assert.deepEqual(surprises(crawled), [])
  await assertWhole(crawled)
})

describe('a crawl among hostile origins', () => {
  let crawled: Crawled
  let sameEverywhere: HandlerSite
  let run: CrawlRun

  const asked = (path: string): string[] => crawled.hostile.byPath.get(path)!.log.map((entry) => entry.path)

  before(async () => {
    const paths = await hostilePaths()
    assert.deepEqual(
      paths.filter((path) => !Object.hasOwn(expected, path)),
      [],
      'every path has an expectation',
    )
    sameEverywhere = await createHandlerSite((path, response) => {
      if (path === '/robots.txt') response.writeHead(404).end()
      else response.end('<title>Sorry</title><a href="/lost/1">1</a><a href="/lost/2">2</a><a href="deeper/">3</a>')
    })
    const quick = paths.filter((path) => !slow.includes(path))
    crawled = await crawlPaths(quick, limits, [`${sameEverywhere.origin}/`])
    run = crawled.run
  })
  after(async () => {
    await close(crawled)
    await sameEverywhere.close()
  })

  test('every path has the expected outcome', () => {
    assert.deepEqual(surprises(crawled), [])
  })

  test('the healthy site is stored completely, the crawl ends by itself, and its archive verifies', () =>
    assertWhole(crawled))

  test('memory stays within bounds', () => {
    const { peakRssBytes } = run.result
    assert.ok(peakRssBytes < maxRssBytes, `${Math.round(peakRssBytes / 1e6)} MB`)
  })

  test('redirects stop at the limit, and never reach a forbidden address', () => {
    // robots.txt, the seed and ten redirects
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

  test('crawler traps are abandoned at the limits, and skipped links are counted by reason', () => {
    const seedOrRobots = 2
    for (const path of ['/calendar/2026/1', '/session', '/echo/a/', '/soft/1', '/faceted', '/many-links'])
      assert.ok(asked(path).length <= limits.crawl.maxPagesPerHost + seedOrRobots, `${path}: ${asked(path).length}`)
    assert.ok(asked('/session').filter((path) => path.includes('?')).length <= limits.crawl.maxQueryVariants)
    assert.ok(asked('/echo/a/').every((path) => !path.includes('/a/a/a/a/')))
    const { skipped } = run.result
    // All but the first of a million links.
    assert.ok(skipped.limit >= 1_000_000 - limits.crawl.maxLinksPerPage, `${skipped.limit}`)
    assert.ok(skipped.trap > 0)
    // A path and a query of 100,000 characters.
    assert.equal(skipped.length, 2)
  })

  test('a page that is identical under every URL is stored once, and followed until its path repeats too often', () => {
    const deeper = ['deeper/', 'deeper/deeper/', 'deeper/deeper/deeper/']
    const paths = ['/', '/lost/1', '/lost/2', ...deeper.flatMap((path) => [`/${path}`, `/lost/${path}`])]
    assert.deepEqual(sameEverywhere.asked.sort(), [...paths, '/robots.txt'].sort())
    const types = paths.map((path) => crawled.kept.get(sameEverywhere.origin + path)?.type)
    assert.deepEqual(types, ['response', ...new Array(paths.length - 1).fill('revisit')])
  })

  test('links are found in nested, broken and mislabelled markup, but not with a non-web base', () => {
    for (const path of ['/unknown-charset', '/empty-charset', '/nested-tags', '/many-attributes', '/long-url'])
      assert.ok(asked(path).includes('/ok/1'), path)
    assert.deepEqual(asked('/base-elsewhere'), ['/robots.txt', '/base-elsewhere'])
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type CrawlRun, readKept, runCrawl } from './site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from './site/handler-site.ts'
import { createHostileSite, type HostileSite } from './site/hostile-site.ts'
import { isRobots } from './site/request-log.ts'
import { createSite, type Site } from './site/site.ts'

/** Hosts by their kind of robots.txt. Each has `/`, `/open` and `/private`, all linked. */
const names = ['missing', 'forbidden', 'down', 'busy', 'moved', 'movedAway', 'circular', 'plain', 'tags'] as const
type HostName = (typeof names)[number]
const numberOf = (name: HostName): number => names.indexOf(name)

const settings = {
  crawl: {
    headerTimeout: '2s',
    totalTimeout: '2s',
    maxAttempts: 1,
    hostFailures: 1,
    hostRest: '10ms',
    hostRestMax: '10ms',
    hostRests: 1,
  },
}
const rules = 'User-agent: *\nDisallow: /private\n'
const html = (...paths: string[]): string => paths.map((path) => `<a href="${path}">x</a>`).join('')

/** The robots directives of a page, whether it is stored, and whether its link is followed. */
const tagged: { ask: string; header?: string; meta?: string; kept: boolean; followed: boolean }[] = [
  { ask: 'noindex', header: 'noindex', kept: false, followed: true },
  { ask: 'nofollow', header: 'nofollow', kept: true, followed: false },
  { ask: 'none', meta: '<meta name=robots content=none>', kept: false, followed: false },
  { ask: 'ours', header: 'erace: noindex', kept: false, followed: true },
  { ask: 'others', header: 'otherbot: noindex, nofollow', kept: true, followed: true },
  { ask: 'meta-ours', meta: '<meta name="ERACE" content="noindex, nofollow">', kept: false, followed: false },
  { ask: 'meta-others', meta: '<meta name="otherbot" content="noindex, nofollow">', kept: true, followed: true },
]

describe('robots rules', () => {
  let site: Site
  let dripping: HandlerSite
  const odd = new Map<string, HostileSite>()
  let run: CrawlRun
  let kept: Set<string>

  const asked = (name: HostName): string[] =>
    site.log.filter((entry) => entry.hostIndex === numberOf(name)).map((entry) => entry.path)
  const seedsOf = (): string[] => names.map((name) => `${site.origin(numberOf(name))}/`)

  function setPages(): void {
    for (const [number, name] of names.entries()) {
      site.set('/', { body: `<title>${name}</title>${html('/open', '/private')}` }, number)
      for (const path of ['/open', '/private']) site.set(path, { body: `${path} of ${name}` }, number)
    }
    const away = `${site.origin(numberOf('plain'))}/robots.txt`
    site.set('/robots.txt', { status: 403 }, numberOf('forbidden'))
    site.set('/robots.txt', { status: 500 }, numberOf('down'))
    site.set('/robots.txt', { status: 429 }, numberOf('busy'))
    site.set('/robots.txt', { redirect: '/rules.txt' }, numberOf('moved'))
    site.set('/rules.txt', { body: rules, headers: { 'content-type': 'text/plain' } }, numberOf('moved'))
    site.set('/robots.txt', { redirect: away }, numberOf('movedAway'))
    site.set('/robots.txt', { redirect: '/robots.txt' }, numberOf('circular'))
    site.setRobots(rules, numberOf('plain'))
    for (const { ask, header, meta = '' } of tagged) {
      const headers = header === undefined ? {} : { 'x-robots-tag': header }
      site.set(`/tag/${ask}`, { headers, body: `${meta}${ask}${html(`/via/${ask}`)}` }, numberOf('tags'))
      site.set(`/via/${ask}`, { body: `via ${ask}` }, numberOf('tags'))
    }
    site.set('/', { body: html(...tagged.map(({ ask }) => `/tag/${ask}`)) }, numberOf('tags'))
  }

  before(async () => {
    site = await createSite({ pages: 0, addresses: names.map((_, at) => `127.0.0.${50 + at}`) })
    setPages()
    for (const robots of ['huge', 'endless', 'html', 'reset'] as const)
      odd.set(robots, await createHostileSite({ robots }))
    dripping = await createHandlerSite((path, response) => {
      if (path !== '/robots.txt') return void response.end('a page')
      const timer = setInterval(() => response.write('User-agent: *\nAllow: /\n'), 50)
      response.on('close', () => clearInterval(timer))
    })
    const oddSeeds = [...odd.values()].map(({ origin }) => `${origin}/ok/1`)
    run = await runCrawl([...seedsOf(), ...oddSeeds, `${dripping.origin}/`], { settings })
    kept = new Set((await readKept(run.data)).keys())
  })
  after(async () => {
    await site.close()
    await dripping.close()
    for (const each of odd.values()) await each.close()
  })

  test('a robots.txt that is missing, forbidden or in a redirect loop forbids nothing', () => {
    for (const name of ['missing', 'forbidden', 'circular'] as const)
      assert.deepEqual(
        asked(name)
          .filter((path) => path !== '/robots.txt')
          .sort(),
        ['/', '/open', '/private'],
        name,
      )
  })

  test('a robots.txt answered with 500 or 429 forbids everything', () => {
    for (const name of ['down', 'busy'] as const)
      assert.ok(asked(name).length > 0 && asked(name).every((path) => path === '/robots.txt'), name)
    assert.equal(run.result.details.failures['http-server-error'], 1)
    assert.equal(run.result.details.failures['http-client-error'], 1)
  })

  test('robots.txt redirects are followed, on the same host and to another', () => {
    assert.deepEqual(asked('moved'), ['/robots.txt', '/rules.txt', '/', '/open'])
    assert.deepEqual(asked('movedAway'), ['/robots.txt', '/', '/open'])
    assert.deepEqual([...new Set(asked('plain'))], ['/robots.txt', '/', '/open'])
  })

  test('a huge, endless or HTML robots.txt allows crawling, an incomplete one forbids it', () => {
    const paths = (name: string): string[] => odd.get(name)!.log.map((entry) => entry.path)
    for (const name of ['huge', 'endless', 'html']) assert.ok(paths(name).includes('/ok/1'), name)
    assert.ok(paths('reset').every((path) => path === '/robots.txt'))
    assert.ok(dripping.asked.every((path) => path === '/robots.txt'))
    assert.equal(run.result.details.failures['total-timeout'], 1)
  })

  test('headers and meta tags control storing and following, for all crawlers or just this one', () => {
    const origin = site.origin(numberOf('tags'))
    for (const { ask, ...expected } of tagged) {
      const found = { kept: kept.has(`${origin}/tag/${ask}`), followed: asked('tags').includes(`/via/${ask}`) }
      assert.deepEqual(found, { kept: expected.kept, followed: expected.followed }, ask)
    }
    const notKept = tagged.filter((page) => !page.kept).length
    const forbiddenPaths = 3
    assert.equal(run.result.skipped.robots, notKept + forbiddenPaths)
  })

  test('rules are not fetched again after a restart, unless the host could not answer', async () => {
    site.log.length = 0
    await runCrawl(seedsOf(), { settings, data: run.data })
    const askedAgain = site.log.filter(isRobots).map((entry) => names[entry.hostIndex])
    assert.deepEqual([...new Set(askedAgain)].sort(), ['busy', 'down'])
    assert.ok(!asked('plain').includes('/private'))
  })

  test('--no-robots neither fetches nor obeys rules', async () => {
    site.log.length = 0
    const { result } = await runCrawl(seedsOf(), { settings, options: ['--no-robots'] })
    assert.equal(site.log.filter(isRobots).length, 0)
    const plainHosts = names.length - 1
    assert.equal(result.stored, plainHosts * 3 + 1 + 2 * tagged.length)
    assert.equal(result.skipped.robots, 0)
  })
})

test('rules that expire within their own crawl delay are fetched once more before the next page', async (t) => {
  const site = await createSite({ pages: 2, robots: 'User-agent: *\nCrawl-delay: 30\n' })
  t.after(() => site.close())
  const settings = { robots: { maxAge: '1s' }, crawl: { maxCrawlDelay: '1100ms' } }
  const { result } = await runCrawl([`${site.origin()}/`], { settings })
  assert.equal(result.stored, 2)
  assert.deepEqual(
    site.log.map((entry) => entry.path),
    ['/robots.txt', '/', '/robots.txt', '/page/1.html'],
  )
})

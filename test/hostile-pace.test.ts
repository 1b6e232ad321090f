import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type CrawlRun, runCrawl } from './site/crawl-run.ts'
import { createHandlerSite, type Handler } from './site/handler-site.ts'
import { countByPath, isRobots, type RequestLogEntry, shortestPauseMs } from './site/request-log.ts'
import { createGate, createSite, type Site } from './site/site.ts'

/** One crawl of hosts that each request delays in their own way; the origins' log shows whether these were kept. */
const shared = '127.0.0.40'
const hosts = {
  asksInSeconds: '127.0.0.31',
  asksByDate: '127.0.0.32',
  alwaysBusy: '127.0.0.33',
  dies: '127.0.0.34',
  diesAlone: '127.0.0.34',
  stumbles: '127.0.0.35',
  wantsDelay: '127.0.0.36',
  wantsLongDelay: '127.0.0.37',
  healthy: '127.0.0.38',
  shared0: shared,
  shared1: shared,
  shared2: shared,
  shared3: shared,
  shared4: shared,
}
type HostName = keyof typeof hosts
const names = Object.keys(hosts) as HostName[]
const sharedNames = names.filter((name) => name.startsWith('shared'))
const numberOf = (name: HostName): number => names.indexOf(name)

const pages = 4
const settings = {
  crawl: {
    maxAttempts: 3,
    maxCrawlDelay: '600ms',
    hostFailures: 2,
    hostRest: '50ms',
    hostRestMax: '5s',
    hostRests: 1,
    perAddress: 2,
  },
}
const dyingPaths = Array.from({ length: 8 }, (_, at) => `/dying/${at}`)
/** A timer counts whole milliseconds and may fire one early. */
const toleranceMs = 1

const html = (paths: string[]): string => paths.map((path) => `<a href="${path}">x</a>`).join('')

describe('hosts that ask for delays', () => {
  const busyAnswered = createGate()
  let site: Site
  let run: CrawlRun
  let busyUntil = 0
  let askedAgainAt = 0

  const logOf = (name: HostName): RequestLogEntry[] => site.log.filter((entry) => entry.hostIndex === numberOf(name))
  const hostOf = (name: HostName): string => new URL(site.origin(numberOf(name))).host

  /** The first answer with that status, and the next request to the same host. */
  function around(name: HostName, status: number): [RequestLogEntry, RequestLogEntry] {
    const log = logOf(name)
    const at = log.findIndex((entry) => entry.status === status)
    assert.ok(at >= 0 && at + 1 < log.length, `${name} answered ${log.map((entry) => entry.status)}`)
    return [log[at]!, log[at + 1]!]
  }

  function react({ hostIndex, path, status }: RequestLogEntry): void {
    const name = names[hostIndex]!
    if (name === 'asksByDate' && status === 200 && askedAgainAt === 0) askedAgainAt = Date.now()
    if (status === 429) busyAnswered.open()
    if (['asksInSeconds', 'asksByDate', 'stumbles'].includes(name) && status! >= 429) site.unset(path, hostIndex)
  }

  function setAnswers(): void {
    site.set('/', { status: 429, headers: { 'retry-after': '2' } }, numberOf('asksInSeconds'))
    const byDate = {
      // Evaluated when sent. A date has whole seconds: this is two to three seconds later.
      get 'retry-after'() {
        busyUntil = Math.floor(Date.now() / 1000 + 3) * 1000
        return new Date(busyUntil).toUTCString()
      },
    }
    site.set('/', { status: 503, headers: byDate }, numberOf('asksByDate'))
    site.set('/', { status: 503 }, numberOf('alwaysBusy'))
    site.set('/', { status: 500 }, numberOf('diesAlone'))
    site.set('/', { body: html(dyingPaths) }, numberOf('dies'))
    for (const path of dyingPaths) site.set(path, { status: 500 }, numberOf('dies'))
    for (const page of [1, 2]) site.set(`/page/${page}.html`, { status: 500 }, numberOf('stumbles'))
    site.setRobots('User-agent: erace\nCrawl-delay: 0.3\n', numberOf('wantsDelay'))
    site.setRobots('User-agent: *\nCrawl-delay: 86400\n', numberOf('wantsLongDelay'))
    const links = [1, 2, 3].map((page) => `/page/${page}.html`)
    site.set('/', { body: html(links), until: busyAnswered.opened }, numberOf('healthy'))
  }

  before(async () => {
    const latenciesMs = names.map((name) => (sharedNames.includes(name) ? 20 : 0))
    const addresses = Object.values(hosts)
    site = await createSite({ pages, apart: true, addresses, latenciesMs, onAnswered: react })
    setAnswers()
    run = await runCrawl(
      names.map((name) => `${site.origin(numberOf(name))}/`),
      { settings },
    )
  })
  after(() => site.close())

  test('a 429 with Retry-After in seconds pauses only that host for that long', () => {
    const [busy, next] = around('asksInSeconds', 429)
    assert.ok(next.startedAtMs - busy.endedAtMs! >= 2000 - toleranceMs, `${next.startedAtMs - busy.endedAtMs!} ms`)
    assert.equal(countByPath(site.log, numberOf('asksInSeconds')).size, pages)
    const meanwhile = logOf('healthy').filter(
      (entry) => entry.startedAtMs > busy.endedAtMs! && entry.startedAtMs < next.startedAtMs,
    )
    assert.ok(meanwhile.length > 0, 'other hosts go on')
  })

  test('a 503 with a Retry-After date pauses the host until then', () => {
    around('asksByDate', 503)
    assert.ok(askedAgainAt >= busyUntil - toleranceMs, `${busyUntil - askedAgainAt} ms early`)
    assert.equal(countByPath(site.log, numberOf('asksByDate')).size, pages)
  })

  test('a host that is always busy is retried up to the limit, then its page fails', () => {
    assert.deepEqual([...countByPath(site.log, numberOf('alwaysBusy'))], [['/', settings.crawl.maxAttempts]])
    assert.ok(run.result.details.statusCodes[503]! > settings.crawl.maxAttempts)
  })

  test('a host that keeps failing rests, is given up, and each of its pages counts as failed once', () => {
    const { givenUpHosts, failures } = run.result.details
    const dropped = new Map(givenUpHosts.map((entry) => [entry.host, entry.dropped]))
    assert.equal(dropped.get(hostOf('dies')), dyingPaths.length)
    // The third failure ended both its page and the host.
    assert.equal(dropped.get(hostOf('diesAlone')), 0)
    assert.deepEqual(failures, { 'http-server-error': 2, 'host-given-up': dyingPaths.length })
    assert.equal(run.result.failed, 2 + dyingPaths.length)
    const asked = logOf('dies').filter((entry) => entry.path.startsWith('/dying/'))
    assert.equal(asked.length, settings.crawl.hostFailures + settings.crawl.hostRests)
    assert.ok(run.log.some((line) => line.msg === 'host rests after failures' && line.host === hostOf('dies')))
    assert.ok(run.log.some((line) => line.msg === 'host given up for this run' && line.host === hostOf('dies')))
  })

  test('a host that recovers is crawled completely, and its rest is reported', () => {
    assert.equal(logOf('stumbles').filter((entry) => entry.status === 200).length, pages)
    assert.deepEqual(
      run.result.details.restingHosts.map(({ host }) => host),
      [hostOf('stumbles')],
    )
  })

  test('Crawl-delay is honoured up to the limit', () => {
    const [short, long] = [numberOf('wantsDelay'), numberOf('wantsLongDelay')]
    for (const index of [short, long]) assert.equal(countByPath(site.log, index).size, pages)
    assert.ok(shortestPauseMs(site.log, short) >= 300 - toleranceMs, `${shortestPauseMs(site.log, short)} ms`)
    assert.ok(shortestPauseMs(site.log, long) >= 600 - toleranceMs, `${shortestPauseMs(site.log, long)} ms`)
    const [robots, first] = logOf('wantsDelay')
    assert.ok(isRobots(robots!) && first!.startedAtMs - robots!.endedAtMs! >= 300 - toleranceMs, 'after robots.txt too')
  })

  test('hosts that share an address share its connection limit', () => {
    const log = sharedNames.flatMap(logOf)
    assert.equal(log.filter((entry) => entry.status === 200).length, pages * sharedNames.length)
    const underWay = log.map(
      ({ startedAtMs }) =>
        log.filter((other) => other.startedAtMs <= startedAtMs && startedAtMs < other.endedAtMs!).length,
    )
    assert.equal(Math.max(...underWay), settings.crawl.perAddress)
  })

  test('all other pages are stored', () => {
    const whole: HostName[] = ['asksInSeconds', 'asksByDate', 'stumbles', 'wantsDelay', 'wantsLongDelay', 'healthy']
    assert.equal(run.result.stored, (whole.length + sharedNames.length) * pages + 1)
    assert.equal(run.result.finished, true)
  })
})

test('each page of a given-up host counts as failed once, for any kind of failure', async (t) => {
  const links = Array.from({ length: 40 }, (_, at) => `/page/${at}`)
  const failures: Handler[] = [
    (_, response) => void response.writeHead(503).end(),
    (_, response) => void response.writeHead(500).end(),
    (_, response) => void response.socket?.end('this is not HTTP\r\n\r\n'),
  ]
  const sites = await Promise.all(
    failures.map((fail) =>
      createHandlerSite((path, response, request) => {
        if (path === '/') response.end(html(links) + response.socket?.localPort)
        else if (path === '/robots.txt') response.writeHead(404).end()
        else fail(path, response, request)
      }),
    ),
  )
  t.after(() => Promise.all(sites.map((site) => site.close())))
  const quick = { ...settings.crawl, perHost: 4, perAddress: 100, hostRest: '1ms', hostRestMax: '5ms' }
  const { result } = await runCrawl(
    sites.map(({ origin }) => `${origin}/`),
    { settings: { crawl: quick } },
  )
  assert.equal(result.stored, sites.length)
  assert.equal(result.failed, sites.length * links.length)
  assert.equal(result.details.givenUpHosts.length, sites.length)
  assert.equal(result.finished, true)
})

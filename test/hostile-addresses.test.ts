import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { startNameServer } from '../src/crawl/dns/name-server.testkit.ts'
import { type CrawlRun, runCrawl } from './site/crawl-run.ts'
import { isRobots } from './site/request-log.ts'
import { createSite, type Site } from './site/site.ts'

/**
 * A listener on every address of this machine represents the forbidden ones. Pages of an allowed origin refer to it in
 * every way and every notation that a page or URL can: nothing may ever connect.
 */
const allowed = '127.0.0.5'

/** Notations of forbidden addresses in a URL. */
const notations = [
  '127.0.0.9',
  '127.0.0.9.',
  '127.9',
  '127.0.9',
  '2130706441',
  '0x7f000009',
  '0X7F.0x0.0x0.0x9',
  '0177.0.0.011',
  '017700000011',
  '%31%32%37.0.0.9',
  '１２７．０．０．９',
  '127。0。0。9',
  'user:password@127.0.0.9',
  `${allowed}@127.0.0.9`,
  '0.0.0.0',
  '0',
  'localhost',
  'LOCALHOST',
  'localhost.',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.9]',
  '[::ffff:7f00:9]',
  '[::127.0.0.9]',
  '[64:ff9b::127.0.0.9]',
  '[2002:7f00:9::]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '169.254.169.254',
  '0xa9fea9fe',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '224.0.0.1',
  '255.255.255.255',
]

/** Raw UTF-8 in a header, as careless servers send it. */
const rawBytes = (text: string): string => Buffer.from(text).toString('latin1')

type Lure = (url: string) => { body?: string; redirect?: string }

/** Ways in which a page can lead to a URL. The target's path contains the way, so that each is refused separately. */
const lures: Record<string, Lure> = {
  link: (url) => ({ body: `<a href="${url}">x</a>` }),
  'link without scheme': (url) => ({ body: `<a href="${url.slice('http:'.length)}">x</a>` }),
  'link with backslashes': (url) => ({ body: `<a href="${url.replace('http://', 'http:\\\\')}">x</a>` }),
  'link over TLS': (url) => ({ body: `<a href="${url.replace('http:', 'https:')}">x</a>` }),
  frame: (url) => ({ body: `<iframe src="${url}"></iframe>` }),
  form: (url) => ({ body: `<form action="${url}"><input name=q></form>` }),
  'meta refresh': (url) => ({ body: `<meta http-equiv="Refresh" content="0; url='${url}'">` }),
  base: (url) => ({ body: `<base href="${url}"><a href="relative">x</a>` }),
  redirect: (url) => ({ redirect: rawBytes(url) }),
  'redirect without scheme': (url) => ({ redirect: rawBytes(url.slice('http:'.length)) }),
}

describe('a forbidden address', () => {
  let secret: Server
  let site: Site
  let run: CrawlRun
  let connections = 0
  const expectedUrls = new Set<string>()

  before(async () => {
    secret = createServer((socket) => {
      connections++
      socket.destroy()
    })
    // All addresses, of both families if available, so that every connection is noticed.
    const hasV6 = Object.values(networkInterfaces()).some((each) => each?.some(({ family }) => family === 'IPv6'))
    secret.listen(0, hasV6 ? '::' : '0.0.0.0')
    await once(secret, 'listening')
    const { port } = secret.address() as AddressInfo
    site = await createSite({ pages: 0, addresses: [allowed, allowed, allowed] })
    const paths: string[] = []
    for (const [name, lure] of Object.entries(lures)) {
      for (const [at, notation] of notations.entries()) {
        const target = `http://${notation}:${port}/${name.replaceAll(' ', '-')}/${at}/`
        const answer = lure(target)
        const path = `/${name.replaceAll(' ', '-')}/${at}`
        site.set(path, answer.body === undefined ? answer : { body: `<title>${path}</title>${answer.body}` })
        paths.push(path)
        expectedUrls.add(path)
      }
    }
    site.set('/', { body: paths.map((path) => `<a href="${path}">x</a>`).join('') })
    // Hosts whose robots.txt redirects to a forbidden address: their pages must not be fetched.
    site.set('/robots.txt', { redirect: `http://127.0.0.9:${port}/robots.txt` }, 1)
    site.set('/robots.txt', { redirect: `http://[::ffff:127.0.0.9]:${port}/robots.txt` }, 2)
    for (const host of [1, 2]) site.set('/', { body: 'never read' }, host)
    const seeds = [0, 1, 2].map((host) => `${site.origin(host)}/`)
    run = await runCrawl(seeds, { options: ['--restrict', '.'] })
  })
  after(async () => {
    secret.close()
    await site.close()
  })

  test('is never contacted, in any notation and by any kind of reference', () => {
    assert.equal(connections, 0)
  })

  test('is refused once per link, redirect, refresh and base, with the reason', () => {
    const refused = run.log.filter((entry) => entry.reason === 'address').map((entry) => new URL(String(entry.url)))
    const paths = refused.map((url) => url.pathname.replace(/\/(relative)?$/, ''))
    const missing = [...expectedUrls].filter((path) => !paths.includes(path))
    assert.deepEqual(missing, [])
    const byRobots = 2
    assert.equal(run.result.skipped.address, expectedUrls.size + byRobots)
  })

  test('does not prevent pages that link to it from being stored', () => {
    const redirects = Object.keys(lures).filter((name) => name.startsWith('redirect')).length * notations.length
    assert.equal(run.result.stored, 1 + expectedUrls.size - redirects)
    assert.equal(run.result.redirects, redirects)
    assert.equal(run.result.failed, 0)
    assert.equal(run.result.finished, true)
  })

  test('blocks a host whose robots.txt redirects there', () => {
    for (const host of [1, 2]) {
      const entries = site.log.filter((entry) => entry.hostIndex === host)
      assert.ok(entries.length > 0 && entries.every(isRobots))
    }
  })
})

test('a seed allows only its own host, and nothing if its name resolves to a private address', async () => {
  const names = await startNameServer((name, type) =>
    type === 'A' && name.endsWith('.example') ? { addresses: ['127.0.0.1'] } : {},
  )
  const site = await createSite({ pages: 0, addresses: ['127.0.0.1'] })
  const port = new URL(site.origin(0)).port
  const named = `http://inside.example:${port}`
  site.set('/', { body: `<a href="/next">x</a><a href="${named}/by-name">x</a><a href="/to-name">x</a>` })
  site.set('/next', { body: 'next' })
  site.set('/to-name', { redirect: `${named}/redirected` })
  try {
    const seeds = [`${named}/`, `${site.origin(0)}/`]
    const settings = { network: { nameservers: [names.server] } }
    const { result, log } = await runCrawl(seeds, { settings, options: ['--restrict', '.'] })
    assert.equal(result.stored, 2)
    const refused = log.filter(({ reason }) => reason === 'address').map(({ url }) => String(url))
    assert.deepEqual(refused.toSorted(), [`${named}/`, `${named}/by-name`, `${named}/redirected`])
    assert.ok(names.questions.some((question) => question.startsWith('inside.example')))
    assert.ok(site.log.every(({ path }) => !/by-name|redirected/.test(path)))
  } finally {
    await site.close()
    await names.close()
  }
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { PNG } from 'pngjs'
import {
  executable,
  placeOf,
  render,
  type Site,
  startBrowserProtocol,
  startSite,
  withoutBrowser,
} from './browser.testkit.ts'
import type { BrowserProtocol } from './browser-protocol.ts'

const login = `<form method="get" action="/account"><input name="user"><input name="pass" type="password"><button>Go</button></form>`

async function textOfRequest(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += piece
  return text
}

describe('pages in a browser', { skip: withoutBrowser, concurrency: 1 }, () => {
  let site: Site
  let browser: BrowserProtocol & { end(): Promise<void> }
  const at = (path: string, host = 'site.example') => `http://${host}:${site.port}${path}`
  const textOf = async (path: string, host?: string) => String((await render(browser, placeOf(at(path, host)))).body)

  before(async () => {
    site = await startSite({
      '/script': `<!DOCTYPE html><title>Prices</title><body><noscript>No scripts</noscript><script>
        fetch('/data').then((r) => r.json()).then(({ price }) => { document.body.insertAdjacentHTML('beforeend', '<p id="price">' + price + ' &amp; more</p>') })</script>`,
      '/data': (_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"price":"42 EUR"}'),
      '/consent': `<body><div id="banner"><button class="accept">Accept</button></div><script>
        document.querySelector('.accept').onclick = () => { document.body.innerHTML = '<h1>Story</h1>' }</script>`,
      '/shadow': `<body><my-card><b>Slotted</b></my-card><script>customElements.define('my-card', class extends HTMLElement {
        constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<p>Inside <slot></slot></p>' } })</script>`,
      '/moved': (_, response) =>
        response
          .writeHead(302, { location: at('/cookies/page?token=1', 'other.example'), 'set-cookie': 'a=1; Path=/' })
          .end(),
      '/cookies/set': (_, response) =>
        response
          .writeHead(302, { location: '/cookies/page', 'set-cookie': ['one=1; Path=/', 'two=2; HttpOnly'] })
          .end(),
      '/cookies/page': (request, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<head></head><body><a href="next">Next</a><p>[${request.headers.cookie ?? 'none'}]</p>`),
      '/form':
        '<form method="post" action="/session"><input name="user"><input name="pass" type="password"><button>Go</button></form>',
      '/session': async (request, response) => {
        const isRight = (await textOfRequest(request)) === 'user=ann&pass=pa+ss%26%22'
        const cookie = isRight ? { 'set-cookie': 'session=1; HttpOnly; Path=/' } : {}
        response.writeHead(303, { location: isRight ? '/mine' : '/form', ...cookie }).end()
      },
      '/mine': (request, response) => {
        const isKnown = request.headers.cookie === 'session=1'
        response.writeHead(200, { 'content-type': 'text/html' }).end(isKnown ? '<p class="mine">Mine</p>' : 'Sign in')
      },
      '/query': (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<body><script>
          fetch('${at('/api', 'other.example')}', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"q":1}' })
            .then((r) => r.text(), () => 'refused').then((text) => document.body.append(text))
          fetch('${at('/closed', 'other.example')}', { headers: { 'x-key': '1' } })
            .then((r) => r.text(), () => 'refused').then((text) => document.body.append(text))
          fetch('/api', { method: 'DELETE' }).then(() => 'deleted', () => 'kept').then((text) => document.body.append(text))</script>`),
      '/api': async (request, response) => {
        const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' }
        response.writeHead(200, { 'content-type': 'text/plain', ...cors }).end(`[${await textOfRequest(request)}]`)
      },
      '/closed': (_, response) => response.writeHead(200).end('closed'),
      '/basic': (request, response) => {
        const isKnown = request.headers.authorization === `Basic ${Buffer.from('ann:secret').toString('base64')}`
        response
          .writeHead(isKnown ? 200 : 401, { 'content-type': 'text/html' })
          .end(`<p>Known</p><img src="${at('/image', 'other.example')}"><script>fetch('/part')</script>`)
      },
      '/part': 'part',
      '/login': login,
      '/to-evil': (_, response) => response.writeHead(302, { location: at('/login', 'evil.example') }).end(),
      '/broken': (_, response) => response.writeHead(503).end('broken'),
      '/forbidden': (_, response) => response.writeHead(403).end('forbidden'),
      '/file': (_, response) =>
        response
          .writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' })
          .end('x'),
      '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
      '/chain': `<script>location.href = '/chain?' + Math.random()</script>`,
      '/tall': `<body style="margin:0"><div style="height:30000px;background:linear-gradient(red,blue)">Tall</div>`,
    })
    browser = startBrowserProtocol()
  })
  after(async () => {
    await browser.end()
    await site.close()
  })

  test('content loaded by scripts is read, with the title and a silent screenshot', async () => {
    const url = at('/script')
    const { body, type, title, isCut, parts } = await render(browser, placeOf(url))
    assert.match(String(body), /^<!DOCTYPE html><html>.*<p id="price">42 EUR &amp; more<\/p><\/body><\/html>$/s)
    assert.doesNotMatch(String(body), /No scripts/)
    assert.deepEqual([type, title, isCut], ['text/html; charset=utf-8', 'Prices', false])
    const [picture, ...more] = parts!
    assert.deepEqual(more, [])
    assert.deepEqual([picture!.url, picture!.role, picture!.body.type], [`${url}#screenshot`, 'silent', 'image/png'])
    const { width, height } = PNG.sync.read(picture!.body.body)
    assert.deepEqual([width, height], [1280, 800])
  })

  test('a click step dismisses a consent banner before the page is read', async () => {
    const text = await textOf('/consent#!click=.accept&wait=h1')
    assert.match(text, /<h1>Story<\/h1>/)
    assert.doesNotMatch(text, /banner/)
  })

  test('the content of shadow roots is part of the page', async () => {
    assert.match(await textOf('/shadow'), /<my-card><p>Inside <slot><b>Slotted<\/b><\/slot><\/p><\/my-card>/)
  })

  test('cookies are kept across redirects, but not until the next visit', async () => {
    assert.match(await textOf('/cookies/set'), /\[two=2; one=1\]/)
    assert.match(await textOf('/cookies/page'), /\[none\]/)
  })

  test('a redirected page gets a base element with its new URL', async () => {
    const text = await textOf('/moved')
    assert.ok(text.includes(`<base href="${at('/cookies/page', 'other.example')}">`), text)
    assert.match(text, /\[none\]/)
  })

  test('a page is read after signing in with a form; a wrong password fails', async () => {
    const steps = 'go /form\nfill [name=user] := {user}\nfill [name=pass] := {password}\npress Enter\nwait .mine'
    const secret = { kind: 'steps', user: 'ann', password: 'pa ss&"', steps }
    assert.match(String((await render(browser, placeOf(at('/mine'), secret))).body), /Mine/)
    const hasty = startBrowserProtocol({ timeoutMs: 5000 })
    await assert.rejects(hasty.open(placeOf(at('/mine'), { ...secret, password: 'wrong' })), { code: 'sign-in-failed' })
    await hasty.end()
  })

  test('cross-origin requests are sent only if CORS allows them, and DELETE requests never', async () => {
    const text = await textOf('/query#!wait=quiet')
    assert.match(text, /\[\{"q":1\}\]/)
    assert.match(text, /refused/)
    assert.match(text, /kept/)
    assert.ok(site.asked.includes('OPTIONS /api'))
    assert.deepEqual(
      site.asked.filter((line) => /DELETE|GET \/closed/.test(line)),
      [],
    )
  })

  test('a password is sent only to the origin of the source', async () => {
    const secret = { kind: 'password', user: 'ann', password: 'secret' }
    assert.match(String((await render(browser, placeOf(at('/basic'), secret))).body), /Known/)
    assert.ok(site.headers.get('/part')!.authorization?.startsWith('Basic '))
    assert.equal(site.headers.get('/image')!.authorization, undefined)
    await assert.rejects(browser.open(placeOf(at('/basic'), { ...secret, password: 'wrong' })), {
      code: 'sign-in-failed',
    })
  })

  test('credentials are typed into forms on the site of the source', async () => {
    const secret = {
      user: 'ann',
      password: 'pa ss&"',
      steps: `go=/login&fill=[name=user]:={user}&fill=[name=pass]:={password}&click=button`,
    }
    const started = site.asked.length
    await render(browser, placeOf(at('/script'), secret)).catch(() => {})
    // A page that was left may still request its resources.
    const asked = site.asked.slice(started).filter((line) => /login|account/.test(line))
    assert.deepEqual(asked.slice(0, 2), ['GET /login', 'GET /account?user=ann&pass=pa+ss%26%22'])
  })

  test('other sites get no credentials, unless the sign-in steps name them', async () => {
    const typing = 'fill=[name=pass]:={password}&click=button'
    const started = site.asked.length
    const led = { password: 'hidden', steps: `go=/to-evil&${typing}` }
    await assert.rejects(render(browser, placeOf(at('/script'), led)), (error: Error & { code: string }) => {
      assert.equal(error.code, 'sign-in-failed')
      assert.match(error.message, /evil\.example/)
      assert.doesNotMatch(error.message + error.stack, /hidden/)
      return true
    })
    assert.deepEqual(
      site.asked.slice(started).filter((line) => line.includes('hidden')),
      [],
    )
    const named = { password: 'hidden', steps: `go=${at('/login', 'evil.example')}&${typing}` }
    await assert.rejects(render(browser, placeOf(at('/script'), named)), { code: 'not-found' })
    assert.ok(site.asked.includes('GET /account?user=&pass=hidden'))
    await assert.rejects(render(browser, placeOf(at(`/login#!${typing}`))), { code: 'sign-in-failed' })
  })

  test('HTTP, redirect, step, DNS and address failures have their own error codes', async () => {
    const outcomes: [path: string, code: string][] = [
      ['/missing', 'not-found'],
      ['/broken', 'http-server-error'],
      ['/forbidden', 'http-client-error'],
      ['/file', 'browser-failed'],
      ['/loop', 'redirect-limit'],
      ['/chain', 'redirect-limit'],
      ['/script#!click=.%5B', 'url-invalid'],
    ]
    for (const [path, code] of outcomes) {
      await assert.rejects(render(browser, placeOf(at(path))), { code }, path)
    }
    const hasty = startBrowserProtocol({ timeoutMs: 3000 })
    await assert.rejects(render(hasty, placeOf(at('/script#!click=.nothing'))), { code: 'step-failed' })
    await hasty.end()
    await assert.rejects(render(browser, placeOf(at('/forbidden'), { kind: 'password', user: 'a', password: 'b' })), {
      code: 'sign-in-failed',
    })
    await assert.rejects(render(browser, placeOf(at('/', 'unknown.example'))), { code: 'dns-not-found' })
    await assert.rejects(render(browser, placeOf(at('/', 'inside.example'))), { code: 'address-refused' })
  })

  test('a screenshot is at most 10,000 pixels high', async () => {
    const { parts } = await render(browser, placeOf(at('/tall')))
    const { width, height } = PNG.sync.read(parts![0]!.body.body)
    assert.deepEqual([width, height], [1280, 10_000])
  })

  test('a remote browser can be shared, and is left without additional contexts', async () => {
    const elsewhere = await startElsewhere()
    const [one, other] = [startBrowserProtocol({ cdp: elsewhere.cdp }), startBrowserProtocol({ cdp: elsewhere.cdp })]
    const reached: string[] = []
    const target = createServer((socket) => {
      reached.push('tcp')
      socket.destroy()
    })
    target.listen(0, '127.0.0.2')
    await once(target, 'listening')
    const { port } = target.address() as { port: number }
    const trap = await startSite({
      '/': `<p>Trap</p><img src="http://127.0.0.2:${port}/"><script>new WebSocket('ws://127.0.0.2:${port}/')
        new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.2:${port}/', { mode: 'no-cors' })"])))</script>`,
    })
    try {
      const pages = await Promise.all([
        render(one, placeOf(at('/script'))),
        render(other, placeOf(at('/cookies/set'))),
        render(one, placeOf(`http://site.example:${trap.port}/`)),
      ])
      const texts = pages.map(({ body }) => String(body))
      assert.match(texts[0]!, /42 EUR/)
      assert.match(texts[1]!, /two=2; one=1/)
      assert.match(texts[2]!, /Trap/)
      assert.deepEqual(reached, [])
      assert.equal(trap.headers.get('/')!['x-erace-visit'], undefined)
      await Promise.all([one.end(), other.end()])
      assert.equal(await elsewhere.contexts(), 1)
    } finally {
      await Promise.all([one.end(), other.end()])
      target.close()
      await trap.close()
      await elsewhere.end()
    }
    const nowhere = startBrowserProtocol({ cdp: 'http://127.0.0.1:9' })
    await assert.rejects(render(nowhere, placeOf(at('/script'))), { code: 'browser-failed' })
    await nowhere.end()
  })
})

/** A remote Chromium, not started by the protocol. */
async function startElsewhere() {
  const folder = mkdtempSync(join(tmpdir(), 'erace-test-'))
  const given = ['--headless', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync']
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const program = spawn(executable, [...given, ...root, '--remote-debugging-port=0', `--user-data-dir=${folder}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(program, 'exit')
  let log = ''
  for await (const piece of program.stderr) {
    log += piece
    if (/DevTools listening on \S+\s/.test(log)) break
  }
  const cdp = /DevTools listening on (\S+)/.exec(log)![1]!
  return {
    cdp,
    /** Number of open contexts. */
    async contexts(): Promise<number> {
      const { chromium } = await import('playwright-core')
      const browser = await chromium.connectOverCDP(cdp)
      const count = browser.contexts().length
      await browser.close()
      return count
    },
    async end(): Promise<void> {
      program.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAppError } from '../../core/errors.ts'
import { retry } from '../../core/work/retry.ts'
import { placeOf, render, type Site, startBrowserProtocol, startSite, withoutBrowser } from './browser.testkit.ts'
import type { BrowserProtocol } from './browser-protocol.ts'
import { isRunning, killAll, type Process, processOf, processTree } from './process-tree.ts'

/** The browsers that this process has started, with all of their processes. */
const browserProcesses = (): Process[] => processTree(processOf(process.pid)).slice(1)

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(20)
}

describe('hostile pages in a browser', { skip: withoutBrowser, concurrency: 1 }, () => {
  let site: Site
  let browser: BrowserProtocol & { end(): Promise<void> }
  const at = (path: string, host = 'site.example') => `http://${host}:${site.port}${path}`

  before(async () => {
    site = await startSite({
      '/plain': '<p>Plain</p>',
      '/endless': '<p>Endless</p><script>for (;;) {}</script>',
      '/alerts': '<p>Alerts</p><script>for (;;) alert(1)</script>',
      '/windows': `<p>Windows</p><a target="_blank" href="/plain">Open</a><script>
        for (let i = 0; i < 1000; i++) window.open('/plain?' + i)
        document.querySelector('a').onclick = () => { for (let i = 0; i < 1000; i++) window.open('/plain?' + i) }</script>`,
      '/window': `<p>Window</p><a href="#">Open</a><script>
        document.querySelector('a').onclick = () => {
          const other = window.open('/plain')
          const look = () => other.closed ? document.body.insertAdjacentHTML('beforeend', '<b id="closed">') : setTimeout(look, 20)
          look()
        }</script>`,
      '/huge': `<body><script>const text = 'word '.repeat(1000)
        for (let i = 0; i < 400; i++) document.body.append(document.createElement('p'), text)</script>`,
      '/deep': `<body><script>let at = document.body
        for (let i = 0; i < Number(location.search.slice(1)); i++) at = at.appendChild(document.createElement('div'))
        at.append('bottom')</script>`,
      '/memory': `<script>const kept = []
        const eat = () => { kept.push(new Uint8Array(32 << 20).fill(1)); setTimeout(eat, 1) }; eat()</script>`,
      '/slow': () => {},
      '/never-quiet': `<p>Busy</p><script>setInterval(() => fetch('/plain?' + Math.random()), 50)</script>`,
      '/unload': `<p>Stay</p><script>onbeforeunload = (e) => { e.preventDefault(); return 'no' }</script>`,
    })
    browser = startBrowserProtocol()
  })
  after(async () => {
    await browser.end()
    await site.close()
  })

  const textOf = async (path: string) => String((await render(browser, placeOf(at(path)))).body)

  test('pages that never finish are ended, and the next page is rendered', async () => {
    const hasty = startBrowserProtocol({ timeoutMs: 5000 })
    try {
      for (const path of ['/endless', '/alerts']) {
        await assert.rejects(render(hasty, placeOf(at(path))), { code: 'browser-failed' })
        assert.match(await textOf('/plain'), /Plain/)
      }
      await assert.rejects(render(hasty, placeOf(at('/slow'))), { code: 'total-timeout' })
      assert.match(String((await render(hasty, placeOf(at('/never-quiet')))).body), /Busy/)
      assert.deepEqual([hasty.counts.started, hasty.counts.killed], [3, 2])
    } finally {
      await hasty.end()
    }
  })

  test('windows that a page opens are closed during the visit', async () => {
    const { windows } = browser.counts
    assert.match(await textOf('/window#!click=a&wait=%23closed'), /id="closed"/)
    assert.equal(browser.counts.windows, windows + 1)
  })

  test('pages that open a thousand windows are rendered, and the windows counted', async () => {
    assert.match(await textOf('/windows'), /Windows/)
    const { windows } = browser.counts
    assert.match(await textOf('/windows#!click=a'), /Windows/)
    assert.ok(browser.counts.windows > windows)
    assert.match(await textOf('/plain'), /Plain/)
  })

  test('huge documents are cut at the limit, and extremely deep ones fail', async () => {
    const { body, isCut } = await render(browser, placeOf(at('/huge')))
    assert.deepEqual([body.length, isCut], [1 << 20, true])
    assert.match(await textOf('/deep?500'), /bottom/)
    await assert.rejects(textOf('/deep?50000'), { code: 'browser-failed' })
    assert.match(await textOf('/plain'), /Plain/)
  })

  test('a beforeunload handler does not block the next page', async () => {
    assert.match(await textOf('/unload'), /Stay/)
    assert.match(await textOf('/plain'), /Plain/)
  })

  test('an aborted visit ends with a timeout error', async () => {
    const controller = new AbortController()
    const asked = site.asked.length
    const visit = render(browser, placeOf(at('/slow'), null, controller.signal))
    await until(() => site.asked.length > asked)
    controller.abort()
    await assert.rejects(visit, { code: 'total-timeout' })
  })

  test('a browser that uses too much memory is killed, but no other browser', async () => {
    const small = startBrowserProtocol({ memoryBytes: 700 << 20 })
    try {
      const waiting = render(small, placeOf(at('/plain#!wait=3000')))
      await assert.rejects(render(small, placeOf(at('/memory#!wait=30000'))), {
        code: 'browser-failed',
        message: /memory|crashed/,
      })
      assert.match(String((await waiting).body), /Plain/)
      assert.equal(small.counts.killed, 1)
    } finally {
      await small.end()
    }
  })

  test('a visit fails if its browser is killed, and the next visit works', async () => {
    const one = startBrowserProtocol({ maxPages: 1 })
    try {
      await render(one, placeOf(at('/plain')))
      const asked = site.asked.length
      const visit = render(one, placeOf(at('/slow')))
      await until(() => site.asked.length > asked)
      const before = new Set(processTree(processOf(process.pid)).map(({ pid }) => pid))
      assert.ok(before.size > 1)
      killAll(browserProcesses())
      await assert.rejects(visit, { code: 'browser-failed' })
      assert.match(String((await render(one, placeOf(at('/plain')))).body), /Plain/)
      assert.equal(one.counts.started, 2)
    } finally {
      await one.end()
    }
  })

  test('the number of open pages is limited, and closing leaves no processes behind', async () => {
    await browser.close()
    assert.deepEqual(browserProcesses(), [])
    const two = startBrowserProtocol({ maxPages: 2 })
    const later = {
      ...{ firstMs: 10, lastMs: 50 },
      shouldRetry: (error: unknown) => isAppError(error, 'browser-busy'),
    }
    await Promise.all(Array.from({ length: 6 }, () => retry(() => render(two, placeOf(at('/plain'))), later)))
    assert.deepEqual([two.counts.started, two.counts.visits], [2, 6])
    const left = browserProcesses()
    const visits = [render(two, placeOf(at('/slow'))), render(two, placeOf(at('/slow')))]
    await assert.rejects(render(two, placeOf(at('/plain'))), { code: 'browser-busy' })
    const failed = Promise.all(visits.map((one) => assert.rejects(one, { code: 'browser-failed' })))
    await two.end()
    await failed
    assert.ok(left.length > 4)
    assert.deepEqual(left.filter(isRunning), [])
    browser = startBrowserProtocol()
  })

  test('an unused browser is closed after a while', async () => {
    const brief = startBrowserProtocol({ keepForMs: 1 })
    try {
      await render(brief, placeOf(at('/plain')))
      await until(() => browserProcesses().length === 0)
      await render(brief, placeOf(at('/plain')))
      assert.equal(brief.counts.started, 2)
    } finally {
      await brief.end()
    }
  })

  test('no request of a page reaches an address that the guard refuses', async () => {
    const reached: string[] = []
    const target = createServer((socket) => {
      reached.push('tcp')
      socket.destroy()
    })
    target.listen(0, '127.0.0.2')
    const udp = createSocket('udp4', () => reached.push('udp'))
    udp.bind(0, '127.0.0.2')
    await Promise.all([once(target, 'listening'), once(udp, 'listening')])
    const { port } = target.address() as { port: number }
    const { port: udpPort } = udp.address()
    const trap = await startSite({
      '/': `<body><p>Done</p>
        <img src="http://127.0.0.2:${port}/image"><iframe src="http://127.0.0.2:${port}/frame"></iframe>
        <iframe src="https://127.0.0.2:${port}/tls"></iframe>
        <link rel="preconnect" href="http://127.0.0.2:${port}"><link rel="dns-prefetch" href="http://127.0.0.2:${port}">
        <link rel="prefetch" href="http://127.0.0.2:${port}/prefetch"><video src="http://127.0.0.2:${port}/video" autoplay></video>
        <form id="f" method="post" target="inner" action="http://127.0.0.2:${port}/form"></form><iframe name="inner"></iframe>
        <script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://127.0.0.2:${port}/speculation"]}]}</script>
        <script>
          const tried = []
          const attempt = (name, run) => { try { const result = run(); tried.push(name); result?.catch?.(() => {}) } catch { tried.push(name + ' refused') } }
          attempt('fetch', () => fetch('http://127.0.0.2:${port}/fetch', { mode: 'no-cors' }))
          attempt('named', () => fetch('http://inside.example:${port}/fetch', { mode: 'no-cors' }))
          attempt('post', () => fetch('http://127.0.0.2:${port}/post', { mode: 'no-cors', method: 'POST', body: 'x' }))
          attempt('beacon', () => navigator.sendBeacon('http://127.0.0.2:${port}/beacon', 'x'))
          attempt('websocket', () => { new WebSocket('ws://127.0.0.2:${port}/socket') })
          attempt('events', () => { new EventSource('http://127.0.0.2:${port}/events') })
          attempt('transport', () => { new WebTransport('https://127.0.0.2:${udpPort}/') })
          attempt('rtc', () => {
            const peer = new RTCPeerConnection({ iceServers: [{ urls: ['stun:127.0.0.2:${udpPort}', 'turn:127.0.0.2:${port}?transport=tcp'], username: 'a', credential: 'b' }] })
            peer.createDataChannel('x')
            return peer.createOffer().then((offer) => peer.setLocalDescription(offer))
          })
          attempt('worker', () => { new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.2:${port}/worker', { mode: 'no-cors' })"]))) })
          attempt('shared', () => { new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.2:${port}/shared', { mode: 'no-cors' })"]))) })
          attempt('form', () => document.getElementById('f').submit())
          setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<b id="end">' + tried.join() + '</b>'), 1500)
        </script>`,
    })
    try {
      const { refused } = browser.counts
      const { body } = await render(browser, placeOf(`http://site.example:${trap.port}/#!wait=%23end&wait=quiet`))
      assert.match(String(body), /fetch,named,post,beacon,websocket,events,transport refused,rtc,worker,shared,form/)
      assert.deepEqual(reached, [])
      assert.ok(browser.counts.refused >= refused + 8, `${browser.counts.refused - refused} refused`)
    } finally {
      target.close()
      udp.close()
      await trap.close()
    }
  })

  test('URLs that robots.txt forbids are not requested', async () => {
    const polite = startBrowserProtocol({}, { mayFetch: async (url) => !url.includes('/plain') })
    try {
      const started = site.asked.length
      await render(polite, placeOf(at('/never-quiet#!wait=1000')))
      await assert.rejects(render(polite, placeOf(at('/plain'))), { code: 'redirect-refused', message: /robots\.txt/ })
      assert.deepEqual([...new Set(site.asked.slice(started))], ['GET /never-quiet'])
    } finally {
      await polite.end()
    }
  })

  test('a process that is killed leaves no browser behind', async () => {
    const child: ChildProcess = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `
        import { placeOf, render, startBrowserProtocol } from '${new URL('browser.testkit.ts', import.meta.url).href}'
        const browser = startBrowserProtocol()
        await render(browser, placeOf('${at('/plain')}'))
        process.send('rendered')
        render(browser, placeOf('${at('/endless')}')).catch(() => {})
        setInterval(() => {}, 1000)
      `,
      ],
      { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    )
    await once(child, 'message')
    await until(() => site.asked.at(-1) === 'GET /endless')
    const tree = processTree(processOf(child.pid!))
    assert.ok(tree.length > 4)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await until(() => !tree.some(isRunning))
  })
})

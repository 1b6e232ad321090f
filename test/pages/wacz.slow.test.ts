import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createExportFolder, pageWith } from '../../src/archive/export/export.testkit.ts'
import { startBrowser, withoutBrowser } from './browser.ts'

/** The published engine of ReplayWeb.page. */
const engine = fileURLToPath(new URL('sw.js', import.meta.resolve('@webrecorder/wabac')))
const start = Date.UTC(2026, 0, 1)

test('ReplayWeb.page opens an exported WACZ file, lists its pages and replays them', {
  skip: withoutBrowser,
}, async (t) => {
  const pages = Array.from({ length: 1500 }, (_, n) =>
    pageWith('many.example', `/${n}`, `<h1>page ${n}</h1>`, { at: start + n * 1000, title: `Page ${n}` }),
  )
  const folder = await createExportFolder([
    pageWith('a.example', '/1', '<h1>first</h1>', { at: start, gzip: true, title: 'First – „eins“' }),
    pageWith('b.example', '/copy', '<h1>first</h1>', { at: start + 1000, title: 'Copy' }),
    pageWith('a.example', '/1', '<h1>second</h1>', { at: start + 86_400_000, title: 'Second' }),
    ...pages,
  ])
  t.after(() => folder.remove())
  const file = join(folder.out, 'site.wacz')
  const { records, faults } = await folder.export({ kind: 'wacz', file })
  assert.deepEqual([records, faults], [1503, []])

  const server = createServer(serving(readFileSync(file), readFileSync(engine)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await startBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage()
  await page.goto(origin)
  const added = await page.evaluate(open, `${origin}/site.wacz`)
  assert.deepEqual(added, { type: 'collAdded', error: null })

  const asked = (path: string) =>
    page.evaluate(async (each) => {
      const answer = await fetch(each)
      return { status: answer.status, text: await answer.text() }
    }, path)
  const { text: listed } = await asked('/w/api/c/kept?all=1')
  const titles = (JSON.parse(listed) as { pages: { url: string; title: string }[] }).pages.map(({ title }) => title)
  assert.equal(titles.length, 1503)
  for (const title of ['First – „eins“', 'Copy', 'Second', 'Page 1499']) assert.ok(titles.includes(title), title)

  const replayed = async (time: string, url: string) => {
    const { status, text } = await asked(`/w/kept/${time}id_/${url}`)
    return `${status} ${/<h1>[^<]*/.exec(text)?.[0].slice(4) ?? ''}`
  }
  assert.equal(await replayed('20260101000000', 'http://a.example/1'), '200 first')
  assert.equal(await replayed('20260102000000', 'http://a.example/1'), '200 second')
  assert.equal(await replayed('20260101000001', 'http://b.example/copy'), '200 first')
  assert.equal(await replayed('20260101000001', 'http://many.example/1234'), '200 page 1234')
  assert.equal(await replayed('20260101000001', 'http://many.example/none'), '404 ')
})

/** The browser API that the page uses; DOM types and Node types conflict. */
type Workers = {
  controller: { postMessage(message: object): void } | null
  ready: Promise<unknown>
  register(path: string): Promise<unknown>
  addEventListener(type: string, listener: (event: { data: Message }) => void, options?: { once: boolean }): void
}
type Message = { msg_type: string; error?: string }

/** Starts the engine and makes it open the file. Runs in the page. */
async function open(sourceUrl: string): Promise<{ type: string; error: string | null }> {
  const { navigator } = globalThis as unknown as { navigator: { serviceWorker: Workers } }
  const workers = navigator.serviceWorker
  await workers.register('/sw.js')
  await workers.ready
  if (workers.controller === null)
    await new Promise<void>((resolve) => workers.addEventListener('controllerchange', () => resolve(), { once: true }))
  return new Promise((resolve) => {
    workers.addEventListener('message', ({ data }) => {
      if (data.msg_type === 'collAdded' || data.error !== undefined)
        resolve({ type: data.msg_type, error: data.error ?? null })
    })
    workers.controller!.postMessage({ msg_type: 'addColl', name: 'kept', file: { sourceUrl }, type: 'wacz' })
  })
}

/** Serves the viewer's page, its engine and the file, with range requests. */
function serving(wacz: Buffer, script: Buffer): RequestListener {
  return ({ url, headers }, response) => {
    if (url === '/sw.js') return void response.setHeader('content-type', 'text/javascript').end(script)
    if (url !== '/site.wacz') return void response.setHeader('content-type', 'text/html').end('<p>viewer</p>')
    const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? []
    const last = wacz.length - 1
    const first = from === '' ? Math.max(0, wacz.length - Number(to)) : Number(from)
    const end = from === '' || to === '' ? last : Math.min(Number(to), last)
    const range = `bytes ${first}-${end}/${wacz.length}`
    response.writeHead(206, { 'accept-ranges': 'bytes', 'content-range': range, 'content-length': end - first + 1 })
    response.end(wacz.subarray(first, end + 1))
  }
}

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { filled, waysAway, waysOut } from '../../src/core/inert/reaching-out.testkit.ts'
import { createKeptArchive } from '../../src/server/routes/archive/archive.testkit.ts'
import { startBrowser, visit, withoutBrowser } from './browser.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const page = (body: string) => ({ body, headers: { 'content-type': 'text/html; charset=utf-8' } })

test('archived pages replay in a browser, link to each other, and contact no third parties', {
  skip: withoutBrowser,
}, async (t) => {
  const hits: string[] = []
  const third = createServer(({ url = '' }, response) => {
    hits.push(url)
    response.end()
  })
  await new Promise<void>((resolve) => third.listen(0, '127.0.0.1', resolve))
  t.after(() => third.close())
  const name = `127.0.0.1:${(third.address() as AddressInfo).port}`
  const hostile = filled([...waysOut, ...waysAway], { third: `http://${name}`, name })
  const folder = mkdtempSync(join(tmpdir(), 'erace-types-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const mime = join(folder, 'mime.types')
  writeFileSync(mime, '*/*')
  const kept = await createKeptArchive(
    {
      '/front':
        page(`<title>Front page</title><link rel=stylesheet href=/style><h1>Front</h1><img id=dot src=/dot alt=dot width=40 height=40>
        <p class=lead>The town council has voted for the new tram line.</p><p><a id=on href="/story">Read the story</a></p>`),
      '/story': page(`<title>Story</title><h1>Story</h1><p>It opens in spring.</p>`),
      '/hostile': page(`<title>Hostile</title><h1>Hostile</h1>${hostile}`),
      '/style': {
        body: 'body{font-family:serif;margin:2em}.lead{color:rgb(10, 120, 60)}',
        headers: { 'content-type': 'text/css' },
      },
      '/dot': { body: png, headers: { 'content-type': 'image/png' } },
    },
    {},
    { options: ['--mime', mime], forAll: true },
  )
  t.after(() => kept.close())
  const origin = await kept.erace.server.listen({ port: 0, host: '127.0.0.1' })
  const account = { email: 'reader@example.org', password: 'a long password' }
  await kept.erace.addUser(account.email, { password: account.password })
  const browser = await startBrowser()
  t.after(() => browser.close())

  for (const size of ['desktop', 'phone'] as const) {
    const { context, page: tab, picture } = await visit(browser, size)
    const asked: string[] = []
    context.on('request', (request) => asked.push(request.url()))
    await tab.goto(`${origin}/sign-in`)
    const answer = await context.request.post(`${origin}/api/v1/session`, { data: account, headers: { origin } })
    assert.ok(answer.ok(), await answer.text())
    asked.length = 0

    await tab.goto(`${origin}/web/2099/${kept.url('/front')}`)
    const frame = tab.frameLocator('iframe')
    await frame.getByRole('heading', { name: 'Front' }).waitFor()
    assert.match(await tab.locator('header').innerText(), /Captured \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
    assert.equal(await frame.locator('.lead').evaluate(colourOf), 'rgb(10, 120, 60)')
    assert.equal(await frame.locator('#dot').evaluate(naturalWidth), 1)
    assert.equal(await tab.evaluate(overflow), 0)
    await picture('replay')

    // The frame has an opaque origin, so the click doesn't send the session cookie: our own page redirects.
    await frame.locator('#on').click()
    await tab.frameLocator('iframe').getByRole('heading', { name: 'Story' }).waitFor()
    assert.match(tab.url(), /\/web\/\d{14}\/http:\/\/127\.0\.0\.1:\d+\/story$/)
    await tab.getByRole('link', { name: 'All captures' }).click()
    await tab.getByRole('heading', { name: /^Captures of/ }).waitFor()
    await picture('captures')

    await tab.goto(`${origin}/web/2099/${kept.url('/hostile')}`)
    await tab.frameLocator('iframe').getByRole('heading', { name: 'Hostile' }).waitFor()
    await tab.waitForLoadState('networkidle')
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:')),
      [],
    )
    assert.deepEqual(hits, [])
    await context.close()
  }
})

type Element = { naturalWidth: number }
const naturalWidth = (element: unknown): number => (element as Element).naturalWidth
function colourOf(element: unknown): string {
  const { getComputedStyle } = globalThis as unknown as { getComputedStyle(of: unknown): { color: string } }
  return getComputedStyle(element).color
}
/** By how much the page is wider than the screen. */
function overflow(): number {
  const { document } = globalThis as unknown as {
    document: { documentElement: { scrollWidth: number; clientWidth: number } }
  }
  return document.documentElement.scrollWidth - document.documentElement.clientWidth
}

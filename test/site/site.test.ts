import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countByPath, maxOpenConnections } from './request-log.ts'
import { createGate, createSite } from './site.ts'

test('every page of the graph is reachable from the root page, on every host', async (t) => {
  const site = await createSite({ pages: 40, addresses: ['127.0.0.1', '127.0.0.2'] })
  t.after(() => site.close())
  const seen = new Set([`${site.origin(0)}/`])
  for (const url of seen)
    for (const [, href] of (await (await fetch(url)).text()).matchAll(/href="([^"]+)"/g))
      seen.add(new URL(href!, url).href)
  assert.equal(seen.size, 80)
  assert.equal(site.log.length, 80)
  assert.deepEqual([...countByPath(site.log, 1).values()], Array(40).fill(1))
})

test('responses can be set, delayed, changed, redirected and requested conditionally', async (t) => {
  const gate = createGate()
  const site = await createSite({ pages: 3, etags: true, robots: 'User-agent: *\nDisallow: /private\n' })
  t.after(() => site.close())
  site.set('/held', { body: 'at last', until: gate.opened, gzip: true })
  site.set('/moved', { redirect: '/page/1.html', status: 301 })
  const held = fetch(`${site.origin()}/held`)
  const root = await fetch(`${site.origin()}/`)
  await root.text()
  const headers = { 'if-none-match': root.headers.get('etag')! }
  assert.equal((await fetch(`${site.origin()}/`, { headers })).status, 304)
  site.change(0)
  assert.match(await (await fetch(`${site.origin()}/`, { headers })).text(), /Edition 2/)
  assert.equal((await fetch(`${site.origin()}/moved`, { redirect: 'manual' })).headers.get('location'), '/page/1.html')
  assert.match(await (await fetch(`${site.origin()}/robots.txt`)).text(), /Disallow/)
  assert.equal((await fetch(`${site.origin()}/none`)).status, 404)
  gate.open()
  assert.equal(await (await held).text(), 'at last')
  assert.equal(site.log.find((entry) => entry.path === '/held')?.status, 200)
  assert.ok(maxOpenConnections(site.log) >= 2)
})

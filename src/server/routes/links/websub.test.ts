import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { createManualClock } from '../../../core/clock.ts'
import { startHub } from '../../../fetchers/news/hub.testkit.ts'
import { createWebSub, type WebSub, type WebSubDeps } from '../../../fetchers/news/websub.ts'
import { createTestServer } from '../../server.testkit.ts'

const topic = 'https://news.example/feed?a=1&b=2'

/** Listens first: callbacks need the server's URL, which is only known then. */
async function start(t: { after(end: () => Promise<void>): void }, settings = {}) {
  const clock = createManualClock(Date.now())
  const heard: string[] = []
  let webSub: WebSub | null = null
  const test = await createTestServer({
    settings,
    needs: {
      webSub: {
        verify: (token, query) => webSub!.verify(token, query),
        deliver: (token, body, signature) => webSub!.deliver(token, body, signature),
      },
    },
  })
  t.after(() => test.close())
  const address = await test.server.listen({ port: 0, host: '127.0.0.1' })
  const hub = await startHub()
  t.after(() => hub.end())
  const send: WebSubDeps['send'] = async (url, form) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return (await fetch(url, { method: 'POST', headers, body: form })).status
  }
  webSub = createWebSub({ publicUrl: address, send, clock, onNews: (each) => heard.push(each) })
  return { webSub, hub, heard, clock, address }
}

test('subscribes to a hub, receives news, renews and unsubscribes', async (t) => {
  const { webSub, hub, heard, clock } = await start(t)
  await webSub.subscribe(hub.url, topic)
  await webSub.subscribe(hub.url, topic)
  await hub.settled()
  assert.deepEqual(hub.verified, [{ mode: 'subscribe', status: 200, isRight: true }])
  assert.equal(webSub.isActive(topic), true)
  assert.deepEqual(await hub.publish(topic, '<feed/>'), [202])
  assert.deepEqual(heard, [topic])

  clock.advance(700_000)
  await webSub.renew()
  await hub.settled()
  assert.equal(hub.verified.length, 1)
  clock.advance(150_000)
  await webSub.renew()
  await hub.settled()
  assert.equal(hub.verified.length, 2)
  clock.advance(500_000)
  assert.deepEqual(await hub.publish(topic, '<feed/>'), [202])
  assert.deepEqual(heard, [topic, topic])

  await webSub.unsubscribe(topic)
  await hub.settled()
  assert.deepEqual(hub.verified.at(-1), { mode: 'unsubscribe', status: 200, isRight: true })
  assert.equal(hub.subscriptions.size, 0)
})

test('accepts a wrong signature with 202, but ignores the news', async (t) => {
  const { webSub, hub, heard } = await start(t)
  await webSub.subscribe(hub.url, topic)
  await hub.settled()
  for (const signature of ['', '00', 'f'.repeat(64), 'ü'])
    assert.deepEqual(
      await hub.publish(topic, '<feed/>', () => (signature === 'ü' ? 'x'.repeat(5000) : signature)),
      [202],
    )
  assert.deepEqual(heard, [])
})

test('refuses unsolicited, oversized and too many requests, and invalid URLs', async (t) => {
  const { webSub, hub, heard, address } = await start(t, { 'server.requestsPerMinute': 20 })
  const query = (mode: string, about: string) =>
    `?hub.mode=${mode}&hub.topic=${encodeURIComponent(about)}&hub.challenge=abc&hub.lease_seconds=1000`
  const status = async (path: string, init: RequestInit = {}) => (await fetch(`${address}${path}`, init)).status
  assert.equal(await status(`/websub/unknown${query('subscribe', topic)}`), 404)
  assert.equal(await status('/websub/unknown', { method: 'POST', body: 'x' }), 404)
  await webSub.subscribe(hub.url, topic)
  await hub.settled()
  const [callback] = hub.subscriptions.keys()
  const path = new URL(callback!).pathname
  assert.equal(await status(`${path}${query('subscribe', 'https://other.example/')}`), 404)
  assert.equal(await status(`${path}${query('unsubscribe', topic)}`), 404)
  assert.equal(await status(`${path}?hub.mode=subscribe`), 404)
  assert.equal(await status(`${path}?hub.mode=subscribe&hub.mode=x`), 404)
  assert.equal(await status(path, { method: 'POST', body: 'x'.repeat(2_000_000) }), 413)
  assert.deepEqual(heard, [])
  const statuses = new Set<number>()
  for (let i = 0; i < 30; i++) statuses.add(await status(path, { method: 'POST', body: 'x' }))
  assert.deepEqual([...statuses].sort(), [202, 429])
  // Invalid URLs of a hub and of a feed.
  await assert.rejects(webSub.subscribe('ftp://hub.example/', topic))
  await assert.rejects(webSub.subscribe(`${hub.url}?`, 'x'.repeat(3000)))
})

test('a hub may call another server at the same address, which relays to the subscriber', async () => {
  const clock = createManualClock(Date.now())
  const heard: string[] = []
  const said: string[] = []
  const key = Buffer.alloc(32, 7)
  const forms: URLSearchParams[] = []
  const open = (own: Uint8Array, onNews: (each: string) => void) =>
    createWebSub({
      ...{ publicUrl: 'https://e.example', clock, onNews },
      send: async (_, form) => {
        forms.push(new URLSearchParams(form))
        return 202
      },
      shared: { key: own, tellOthers: (message) => said.push(message) },
    })
  const leader = open(key, (each) => heard.push(each))
  const other = open(key, () => assert.fail('it has no subscription'))
  const stranger = open(Buffer.alloc(32, 8), () => assert.fail('it has another key'))
  await leader.subscribe('https://hub.example/', topic)
  const token = forms[0]!.get('hub.callback')!.split('/').at(-1)!
  const asked = { 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.challenge': 'x', 'hub.lease_seconds': '1000' }
  assert.equal(stranger.verify(token, new Map(Object.entries(asked))), null)
  assert.equal(other.verify(token, new Map(Object.entries({ ...asked, 'hub.topic': `${topic}2` }))), null)
  assert.deepEqual([said, leader.isActive(topic)], [[], false])
  assert.equal(other.verify(token, new Map(Object.entries(asked))), 'x')
  leader.relayed(said.pop()!)
  assert.equal(leader.isActive(topic), true)

  const body = Buffer.from('<feed/>')
  const sign = `sha256=${createHmac('sha256', forms[0]!.get('hub.secret')!).update(body).digest('hex')}`
  assert.equal(stranger.deliver(token, body, sign), false)
  assert.equal(other.deliver(token, Buffer.from('<other/>'), sign), false)
  assert.equal(other.deliver(token, body, sign), true)
  assert.equal(said.length, 1)
  leader.relayed(said[0]!)
  other.relayed(said[0]!)
  assert.deepEqual(heard, [topic])
})

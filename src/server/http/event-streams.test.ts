import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Arrivals } from '../../services/events/arrivals.ts'
import { createEventHub } from '../../services/events/event-hub.ts'
import { readEvents } from '../routes/inbox/event-stream.testkit.ts'
import { createEventStreams, type StreamRequest } from './event-streams.ts'

/** No events so far. */
const noArrivals: Arrivals = {
  announce: () => {},
  restart: () => {},
  join: async () => ({ unread: 0, at: 0, missed: [] }),
  leave: () => {},
  published: async () => {},
}

async function createSite(t: TestContext, parts: Partial<StreamRequest> = {}, heartbeatMs?: number) {
  const hub = createEventHub()
  const streams = createEventStreams({
    hub,
    arrivals: noArrivals,
    maxStreams: 2000,
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
  })
  const server = createServer((_request, response: ServerResponse) => {
    const facts = { owner: 'ada', isAdministrator: false, crawl: false, headers: {}, lastSeen: null }
    void streams.open({ ...facts, isStillKnown: async () => true, response, ...parts })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.after(() => server.close().closeAllConnections())
  return { hub, streams, port, url: `http://127.0.0.1:${port}/` }
}

describe('event streams', () => {
  test('disconnect a client that does not read, but no others', async (t) => {
    const site = await createSite(t)
    const quick = await readEvents(site.url)
    await quick.next()
    const slow = connect(site.port, '127.0.0.1', () => slow.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'))
    slow.on('error', () => {})
    await once(slow, 'readable')
    while (site.hub.count() < 2) await setImmediate()
    const padding = 'x'.repeat(64 * 1024)
    let n = 0
    while (site.hub.count() === 2) {
      n++
      site.hub.publish('ada', { name: 'annotation', id: n, data: { n, padding } })
      // The quick reader gets each event before the next is sent.
      assert.equal((await quick.next())!.id, String(n))
      assert.ok(n < 2000, 'the slow reader was never cut')
    }
    assert.equal(site.hub.count(), 1)
    site.hub.publish('ada', { name: 'counts', data: {} })
    assert.equal((await quick.next())!.event, 'counts')
    slow.destroy()
    await quick.close()
  })

  test('disconnect a client within three ticks after its session has ended', async (t) => {
    let isKnown = true
    const site = await createSite(t, { isStillKnown: async () => isKnown })
    const reader = await readEvents(site.url)
    await reader.next()
    for (let n = 0; n < 3; n++) await site.streams.tick()
    assert.equal(site.streams.count(), 1)
    isKnown = false
    for (let n = 0; n < 3; n++) await site.streams.tick()
    assert.equal(await reader.next(), null)
  })

  test('stay open if the session check fails', async (t) => {
    const site = await createSite(t, { isStillKnown: () => Promise.reject(new Error('gone')) })
    const reader = await readEvents(site.url)
    await reader.next()
    for (let n = 0; n < 3; n++) await site.streams.tick()
    site.hub.publish('ada', { name: 'counts', data: {} })
    assert.equal((await reader.next())!.event, 'counts')
    await reader.close()
  })

  test('send a comment to keep an idle connection alive', async (t) => {
    const site = await createSite(t, {}, 10)
    const reader = await readEvents(site.url)
    await reader.next()
    assert.equal(await reader.piece(), ':')
    await reader.close()
  })

  test('serialise an event once for all clients', async (t) => {
    const site = await createSite(t)
    const readers = await Promise.all(Array.from({ length: 10 }, () => readEvents(site.url)))
    for (const reader of readers) await reader.next()
    let written = 0
    const data = { toJSON: () => ++written }
    site.hub.publish('ada', { name: 'counts', data })
    for (const reader of readers) assert.equal((await reader.next())!.data, 1)
    assert.equal(written, 1)
    for (const reader of readers) await reader.close()
  })
})

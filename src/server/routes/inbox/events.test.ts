import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestServer } from '../../server.testkit.ts'
import { cookieOf, listening, readEvents, type SeenEvent } from './event-stream.testkit.ts'
import { annotate, withServer } from './inbox.testkit.ts'

const ada = 'ada@example.org'
const bob = 'bob@example.org'

async function stream(server: TestServer, email: string, headers: Record<string, string> = {}, query = '') {
  return readEvents(`${await listening(server)}${query}`, { ...(await cookieOf(server, email)), ...headers })
}

async function arrive(server: TestServer, owner: string, parts?: Parameters<typeof annotate>[2]): Promise<number> {
  const id = await annotate(server, owner, parts)
  server.parts.events.arrivals.announce([id])
  return id
}

const idsOf = (events: readonly SeenEvent[]): number[] =>
  events.filter(({ event }) => event === 'annotation').map(({ id }) => Number(id))

describe('live events', () => {
  test(
    'a stream starts with the unread count, and sends new annotations as the list shows them',
    withServer(async (server) => {
      const before = await annotate(server, ada)
      const reader = await stream(server, ada)
      assert.equal(reader.status, 200)
      assert.equal(reader.headers['content-type'], 'text/event-stream; charset=utf-8')
      assert.equal(reader.headers['x-content-type-options'], 'nosniff')
      assert.deepEqual(await reader.next(), { id: String(before), event: 'hello', data: { unread: 1 } })
      const id = await arrive(server, ada, { title: 'line\none' })
      const [annotation, counts] = await reader.until('counts')
      const listed = (await server.as(ada).get(`/annotations/${id}`)).json()
      assert.deepEqual(annotation, { id: String(id), event: 'annotation', data: listed })
      assert.deepEqual(counts!.data, (await server.as(ada).get('/annotations/counts')).json())
      await reader.close()
    }),
  )

  test(
    'addresses have no access in them, as everywhere else',
    withServer(async (server) => {
      const reader = await stream(server, ada)
      await reader.next()
      await arrive(server, ada, { url: `https://~b-${'5f'.repeat(12)}@www.example.org/x` })
      const [annotation] = await reader.until('counts')
      const { url, link } = annotation!.data as Record<string, unknown>
      assert.deepEqual([url, link], Array(2).fill('https://www.example.org/x'))
      await reader.close()
    }),
  )

  test(
    'users receive their own events only',
    withServer(async (server) => {
      const [one, two] = [await stream(server, ada), await stream(server, bob)]
      await Promise.all([one.next(), two.next()])
      const own = await arrive(server, ada)
      const other = await arrive(server, bob)
      assert.deepEqual(idsOf(await one.until('counts')), [own])
      assert.deepEqual(idsOf(await two.until('counts')), [other])
      await one.close()
      await two.close()
    }),
  )

  test(
    'the owner is notified when a channel is added, changed or removed',
    withServer(async (server) => {
      const [one, two] = [await stream(server, ada), await stream(server, bob)]
      await Promise.all([one.next(), two.next()])
      const { id } = (await server.as(ada).post('/channels', { kind: 'feed', name: 'x' })).json()
      await server.as(ada).patch(`/channels/${id}`, { state: 'off' })
      await server.as(ada).delete(`/channels/${id}`)
      for (let n = 0; n < 3; n++) {
        const { event, data } = (await one.next())!
        assert.deepEqual([event, data], ['channel', { id }])
      }
      await arrive(server, bob)
      assert.deepEqual(
        (await two.until('counts')).map(({ event }) => event),
        ['annotation', 'counts'],
      )
      await one.close()
      await two.close()
    }),
  )

  test(
    'a reconnecting client gets what it missed, without gaps or repetitions',
    withServer(async (server) => {
      const first = await stream(server, ada)
      const hello = await first.next()
      await first.close()
      const expected: number[] = []
      // The reader saw only the greeting, which is enough to resume from.
      let lastSeen = hello!.id
      const found: number[] = []
      for (let round = 0; round < 4; round++) {
        for (let n = 0; n < 3; n++) expected.push(await arrive(server, ada))
        const reader = await stream(server, ada, { 'last-event-id': lastSeen })
        assert.equal((await reader.next())!.event, 'hello')
        const live = await arrive(server, ada)
        expected.push(live)
        for (;;) {
          const event = (await reader.next())!
          if (event.event !== 'annotation') continue
          found.push(Number(event.id))
          lastSeen = event.id
          if (found.length % 4 === 3 && round === 1) break // in the middle of the events
          if (Number(event.id) === live) break
        }
        await reader.close()
      }
      assert.deepEqual(found, expected)
    }),
  )

  test(
    'annotations announced out of order are sent in the order of their ids',
    withServer(async (server) => {
      const reader = await stream(server, ada)
      await reader.next()
      const ids = [await annotate(server, ada), await annotate(server, ada), await annotate(server, ada)]
      const { announce } = server.parts.events.arrivals
      announce([ids[2]!])
      announce([ids[0]!, ids[1]!])
      assert.deepEqual(idsOf(await reader.until('counts')), ids)
      await reader.close()
    }),
  )

  test(
    'a client that missed too much gets a reset event',
    withServer(async (server) => {
      const first = await annotate(server, ada)
      let last = first
      for (let n = 0; n < 201; n++) last = await annotate(server, ada)
      const reader = await stream(server, ada, { 'last-event-id': String(first) })
      assert.deepEqual(
        [await reader.next(), await reader.next()].map((event) => [event!.event, event!.id]),
        [
          ['hello', String(first)],
          ['reset', String(last)],
        ],
      )
      const foreign = await stream(server, ada, { 'last-event-id': String(last + 1000) })
      assert.deepEqual([(await foreign.next())!.event, (await foreign.next())!.event], ['hello', 'reset'])
      const wrong = await stream(server, ada, { 'last-event-id': '-1; DROP' })
      assert.equal((await wrong.next())!.id, String(last))
      for (const each of [reader, foreign, wrong]) await each.close()
    }),
  )

  test(
    'muted and backlog annotations are counted, but not sent',
    withServer(async (server) => {
      const reader = await stream(server, ada)
      await reader.next()
      await arrive(server, ada, { muted: true })
      await arrive(server, ada, { backlog: true })
      await server.parts.events.arrivals.published()
      const id = await arrive(server, ada)
      const events: SeenEvent[] = []
      while (idsOf(events).length === 0) events.push((await reader.next())!)
      assert.deepEqual(idsOf(events), [id])
      assert.ok(events.length > 1)
      const { unread, archived } = (await reader.next())!.data as { unread: number; archived: number }
      assert.deepEqual({ unread, archived }, { unread: 2, archived: 1 })
      await reader.close()
    }),
  )

  test(
    'marks are sent to the other tabs of the same user only',
    withServer(async (server) => {
      const id = await annotate(server, ada)
      const [tab, other] = [await stream(server, ada), await stream(server, bob)]
      await Promise.all([tab.next(), other.next()])
      await server.as(ada).patch(`/annotations/${id}`, { read: true })
      const told = (await tab.next())!
      const { unread, changed } = told.data as { unread: number; changed: unknown }
      assert.deepEqual([told.event, unread, changed], ['counts', 0, { ids: [id], marks: { read: true } }])
      const theirs = await arrive(server, bob)
      assert.equal((await other.next())!.id, String(theirs))
      await tab.close()
      await other.close()
    }),
  )

  test(
    'figures of the crawl are sent only to administrators who ask for them',
    withServer(async (server) => {
      await server.addUser('root@example.org', { role: 'administrator' })
      const user = await stream(server, ada, {}, '?crawl=1')
      const idle = await stream(server, 'root@example.org')
      const looking = await stream(server, 'root@example.org', {}, '?crawl=1')
      for (const each of [user, idle, looking]) await each.next()
      server.parts.events.hub.publishToAdministrators({ name: 'crawl', data: { queued: 1 } })
      assert.deepEqual((await looking.next())!.data, { queued: 1 })
      for (const email of [ada, 'root@example.org'])
        server.parts.events.hub.publish(email, { name: 'source', data: { id: 1, state: 'checking' } })
      assert.equal((await user.next())!.event, 'source')
      assert.equal((await idle.next())!.event, 'source')
      for (const each of [user, idle, looking]) await each.close()
    }),
  )

  test(
    'signing out everywhere or being disabled closes the streams of that user only',
    withServer(async (server) => {
      const root = 'root@example.org'
      await server.addUser(root, { role: 'administrator' })
      const [kept, own, other] = await Promise.all([root, ada, bob].map((email) => stream(server, email)))
      for (const each of [kept, own, other]) assert.equal((await each!.next())!.event, 'hello')
      assert.equal((await server.as(ada).delete('/sessions')).statusCode, 204)
      assert.equal(await own!.next(), null)
      const { id } = (await server.stores.accounts.findByEmail(bob))!
      assert.equal((await server.as(root).patch(`/users/${id}`, { disabled: true })).statusCode, 200)
      assert.equal(await other!.next(), null)
      server.parts.events.hub.publish(root, { name: 'source', data: { id: 1, state: 'checking' } })
      assert.equal((await kept!.next())!.event, 'source')
      await kept!.close()
    }),
  )

  test(
    'streams are limited per user and in total',
    withServer(
      async (server) => {
        await listening(server)
        const open = await Promise.all(Array.from({ length: 20 }, () => stream(server, ada)))
        const more = await server.as(ada).get('/events')
        assert.deepEqual([more.statusCode, more.json().error.code], [429, 'too-many-streams'])
        const last = await stream(server, bob)
        assert.equal(last.status, 200)
        assert.equal((await server.as(bob).get('/events')).json().error.code, 'too-many-streams')
        assert.equal((await server.nobody().get('/events')).statusCode, 401)
        for (const each of [...open, last]) await each.close()
      },
      { settings: { 'server.maxStreams': 21 } },
    ),
  )

  test(
    'a stream ends with the server, and is cleaned up when its reader leaves',
    withServer(async (server) => {
      const [gone, staying] = [await stream(server, ada), await stream(server, bob)]
      await Promise.all([gone.next(), staying.next()])
      const { hub } = server.parts.events
      await gone.close()
      while (hub.count() > 1) await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual([...hub.owners()], [bob])
      const closing = server.server.close()
      assert.equal(await staying.next(), null)
      await closing
      assert.equal(hub.count(), 0)
    }),
  )
})

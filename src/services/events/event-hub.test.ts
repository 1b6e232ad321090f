import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEventHub, type LiveEvent } from './event-hub.ts'

function createListener(room = Number.POSITIVE_INFINITY) {
  const taken: LiveEvent[] = []
  const listener = { taken, cuts: 0, take: (event: LiveEvent) => taken.push(event) <= room, cut: () => listener.cuts++ }
  return listener
}

const user = { isAdministrator: false, crawl: false }
const event: LiveEvent = { name: 'counts', data: {} }

test('an event of one owner goes to all listeners of that owner, and to no others', () => {
  const hub = createEventHub()
  const [one, two, other] = [createListener(), createListener(), createListener()]
  hub.subscribe('ada', user, one)
  hub.subscribe('ada', user, two)
  hub.subscribe('bob', user, other)
  hub.publish('ada', event)
  assert.deepEqual([one.taken, two.taken, other.taken], [[event], [event], []])
  assert.deepEqual([hub.count(), hub.countOf('ada'), [...hub.owners()]], [3, 2, ['ada', 'bob']])
})

test('a listener that cannot keep up is disconnected once and gets nothing more', () => {
  const hub = createEventHub()
  const slow = createListener(1)
  const quick = createListener()
  const leave = hub.subscribe('ada', user, slow)
  hub.subscribe('ada', user, quick)
  for (let n = 0; n < 5; n++) hub.publish('ada', event)
  assert.deepEqual([slow.taken.length, slow.cuts, quick.taken.length], [2, 1, 5])
  leave()
  assert.equal(hub.count(), 1)
})

test('crawl stats are sent only to administrators who subscribed to them', () => {
  const hub = createEventHub()
  const [plain, idle, looking] = [createListener(), createListener(), createListener()]
  hub.subscribe('ada', { isAdministrator: false, crawl: true }, plain)
  hub.subscribe('root', { isAdministrator: true, crawl: false }, idle)
  assert.equal(hub.wantsCrawl(), false)
  const leave = hub.subscribe('root', { isAdministrator: true, crawl: true }, looking)
  assert.equal(hub.wantsCrawl(), true)
  hub.publishToAdministrators({ name: 'crawl', data: 1 })
  hub.publishToAdministrators({ name: 'source', data: 2 })
  assert.deepEqual(
    [plain, idle, looking].map(({ taken }) => taken.map(({ data }) => data)),
    [[], [2], [1, 2]],
  )
  leave()
  leave()
  assert.deepEqual([hub.wantsCrawl(), hub.count()], [false, 2])
})

test('an owner without listeners is forgotten', () => {
  const hub = createEventHub()
  const leave = hub.subscribe('ada', user, createListener())
  assert.equal(hub.isHeard('ada'), true)
  leave()
  assert.equal(hub.isHeard('ada'), false)
  hub.publish('ada', event)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { annotate, withServer } from '../../server/routes/inbox/inbox.testkit.ts'
import { createSqliteInbox } from '../../store/sqlite/inbox/inbox.ts'
import { createEventHub, type LiveEvent } from '../events/event-hub.ts'
import { createInboxService, createProfileNames } from './inbox-service.ts'

const ada = 'ada@example.org'

test(
  'matches of a filter are marked in batches, and each batch is published',
  withServer(async (server) => {
    const hub = createEventHub()
    const told: LiveEvent[] = []
    hub.subscribe(ada, { isAdministrator: false, crawl: false }, { take: (event) => told.push(event) > 0, cut() {} })
    const inbox = createInboxService({
      store: createSqliteInbox(server.db),
      names: createProfileNames(server.stores.profiles),
      hub,
      clock: systemClock,
      countFailing: async () => 7,
      portion: 2,
    })
    for (let n = 0; n < 5; n++) await annotate(server, ada)
    const portions: [count: number, more: boolean][] = []
    for (let more = true; more; ) {
      const done = await inbox.markAll(ada, { state: 'all' }, { read: true })
      portions.push([done.ids.length, done.more])
      more = done.more
    }
    assert.deepEqual(portions, [
      [2, true],
      [2, true],
      [1, false],
    ])
    assert.deepEqual(
      told.map(({ data }) => (data as { unread: number }).unread),
      [3, 1, 0],
    )
    assert.equal((await inbox.counts(ada)).failing, 7)
    assert.deepEqual(await inbox.markAll(ada, { state: 'all' }, { read: true }), { ids: [], more: false })
    assert.equal(told.length, 3)
  }),
)

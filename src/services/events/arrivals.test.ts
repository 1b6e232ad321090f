import assert from 'node:assert/strict'
import { test } from 'node:test'
import { annotate, withServer } from '../../server/routes/inbox/inbox.testkit.ts'
import type { TestServer } from '../../server/server.testkit.ts'
import type { LiveEvent } from './event-hub.ts'

const ada = 'ada@example.org'
const bob = 'bob@example.org'

/** Subscribes for an owner and records all events except counts. */
async function listen({ parts }: TestServer, owner: string) {
  const { hub, arrivals } = parts.events
  const told: [LiveEvent['name'], number | undefined][] = []
  const take = ({ name, id }: LiveEvent): boolean => name === 'counts' || told.push([name, id]) > 0
  const leave = hub.subscribe(owner, { isAdministrator: false, crawl: false }, { take, cut: () => {} })
  await arrivals.join(owner, null)
  return { told, leave }
}

test(
  'without a list of ids, every listener gets its own new annotations',
  withServer(async (server) => {
    const { arrivals } = server.parts.events
    const [hers, his] = [await listen(server, ada), await listen(server, bob)]
    const first = await annotate(server, ada)
    const second = await annotate(server, bob)
    arrivals.announce(null)
    await arrivals.published()
    assert.deepEqual([hers.told, his.told], [[['annotation', first]], [['annotation', second]]])
    arrivals.announce(null)
    await arrivals.published()
    assert.equal(hers.told.length, 1)
  }),
)

test(
  'when notifications may have been lost, every listener reloads, and continues from there',
  withServer(async (server) => {
    const { arrivals } = server.parts.events
    const { told, leave } = await listen(server, ada)
    const missed = await annotate(server, ada)
    arrivals.restart()
    await arrivals.published()
    const next = await annotate(server, ada)
    arrivals.announce([next])
    await arrivals.published()
    assert.deepEqual(told, [
      ['reset', missed],
      ['annotation', next],
    ])
    leave()
    arrivals.leave(ada)
    arrivals.restart()
    await arrivals.published()
    assert.equal(told.length, 2)
  }),
)

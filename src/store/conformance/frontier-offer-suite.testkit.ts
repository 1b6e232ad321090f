import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UNLIMITED_DEPTH } from '../../core/request.ts'
import type { Arrival } from '../frontier.ts'
import { type StoreEngine, withSystem } from './engine.testkit.ts'
import { batchOf, offerOf, offersOf, queuedUrls, queueOf } from './samples.testkit.ts'

/** Which links are accepted, and where they end up. */
export function frontierOfferSuite(engine: StoreEngine): void {
  describe(`offers to the frontier (${engine.name})`, () => {
    test(
      'a link is queued once while it waits and never again in the run',
      withSystem(engine, {}, async (system) => {
        const [{ frontier }] = (await system.open(1)) as [never]
        const link = offerOf(system.hostOf(0, 0), '/a')
        assert.deepEqual(await frontier.offer([link, link]), { accepted: 1, known: 1, limited: 0 })
        assert.deepEqual(await frontier.offer([link]), { accepted: 0, known: 1, limited: 0 })
        await frontier.settle(batchOf({ done: await queueOf(frontier) }))
        assert.deepEqual(await frontier.offer([link]), { accepted: 0, known: 1, limited: 0 })
        assert.deepEqual(frontier.counts(), { queued: 0, seen: 1, hosts: 1, givenUp: 0 })
      }),
    )
  })
}

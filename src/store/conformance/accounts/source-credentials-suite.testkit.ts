import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CredentialStore, CredentialsDraft } from '../../contracts/credentials.ts'
import type { StoreEngine } from '../engine.testkit.ts'
import { withInbox } from '../inbox-suite.testkit.ts'

const HOUR = 3_600_000

const draft = (id: string, parts: Partial<CredentialsDraft> = {}): CredentialsDraft => ({
  ...{ id, owner: 'ann', name: `näme ${id}`, kind: 'password', hint: 'ann 💡', sealed: Buffer.from([0, 255, 1, 39]) },
  ...{ createdAt: 5, ...parts },
})
const fresh = { usedAt: 0, failedSince: 0, failure: '', failures: 0, retryAt: 0 }

export function sourceCredentialsSuite(engine: StoreEngine): void {
  describe(`credentials (${engine.name})`, () => {
    test(
      'are listed by owner in the order of their names, even after a restart',
      withInbox(engine, async ({ credentials, open }) => {
        const [b, a] = [draft('b'), draft('a')]
        assert.equal(await credentials.add(b), true)
        assert.equal(await credentials.add(a), true)
        assert.equal(await credentials.add(draft('b', { hint: 'another' })), false)
        await credentials.add(draft('c', { owner: 'bob' }))
        for (const store of [credentials, open().credentials]) {
          assert.deepEqual(await store.list('ann'), [
            { ...a, changedAt: 5, ...fresh },
            { ...b, changedAt: 5, ...fresh },
          ])
          assert.deepEqual(await store.find('c'), { ...draft('c', { owner: 'bob' }), changedAt: 5, ...fresh })
          assert.equal(await store.find('d'), null)
        }
      }),
    )

    test(
      'can be replaced and removed only by their owner',
      withInbox(engine, async ({ credentials }) => {
        await credentials.add(draft('a'))
        const by = { kind: 'bearer', hint: '', sealed: Buffer.from('new'), changedAt: 9 }
        assert.equal(await credentials.replace('bob', 'a', by), false)
        assert.equal(await credentials.remove('bob', 'a'), false)
        assert.equal(await credentials.replace('ann', 'a', by), true)
        assert.deepEqual(await credentials.find('a'), { ...draft('a'), ...by, ...fresh })
        assert.equal(await credentials.remove('ann', 'a'), true)
        assert.equal(await credentials.remove('ann', 'a'), false)
        assert.deepEqual(await credentials.list('ann'), [])
      }),
    )

    test(
      'are retried after an hour, then at doubled intervals up to a day; simultaneous failures count once',
      withInbox(engine, async ({ credentials }) => {
        await credentials.add(draft('a'))
        const waits: number[] = []
        let at = 1000
        for (let n = 0; n < 7; n++) {
          await credentials.noteFailed('a', { changedAt: 5, at, reason: `refusal ${n}` })
          await credentials.noteFailed('a', { changedAt: 5, at: at + 1, reason: 'at the same time' })
          const { retryAt, failedSince, failure, failures } = (await credentials.find('a'))!
          assert.deepEqual(
            { failedSince, failure, failures },
            { failedSince: 1000, failure: `refusal ${n}`, failures: n + 1 },
          )
          waits.push((retryAt - at) / HOUR)
          at = retryAt
        }
        assert.deepEqual(waits, [1, 2, 4, 8, 16, 24, 24])
      }),
    )

    test(
      'lose their failures once accepted or replaced; results from before the replacement are ignored',
      withInbox(engine, async ({ credentials }) => {
        await credentials.add(draft('a'))
        const failed = async (store: CredentialStore) => (await store.find('a'))!.failedSince > 0
        await credentials.noteFailed('a', { changedAt: 5, at: 10, reason: 'wrong password' })
        assert.equal(await failed(credentials), true)
        await credentials.noteUsed('a', { changedAt: 5, at: 20 })
        assert.deepEqual(await credentials.find('a'), { ...draft('a'), changedAt: 5, ...fresh, usedAt: 20 })
        await credentials.noteFailed('a', { changedAt: 5, at: 30, reason: 'wrong password' })
        const by = { kind: 'password', hint: 'x', sealed: Buffer.from('new'), changedAt: 40 }
        await credentials.replace('ann', 'a', by)
        assert.equal(await failed(credentials), false)
        await credentials.noteFailed('a', { changedAt: 5, at: 50, reason: 'wrong password' })
        await credentials.noteUsed('a', { changedAt: 5, at: 60 })
        assert.deepEqual(await credentials.find('a'), { ...draft('a'), ...by, ...fresh, usedAt: 20 })
      }),
    )
  })
}

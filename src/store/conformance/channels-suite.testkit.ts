import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChannelDraft } from '../contracts/channels.ts'
import { freshHealth } from '../rules/channels.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { withInbox } from './inbox-suite.testkit.ts'

const draft = (id: string, parts: Partial<ChannelDraft> = {}): ChannelDraft => ({
  ...{ id, owner: 'ann', kind: 'webhook', name: 'ops ïdea', createdAt: 5 },
  ...{ settings: { url: 'https://x.example/', secret: '💡', lines: ['a', 'b'] }, ...parts },
})

export function channelsSuite(engine: StoreEngine): void {
  describe(`channels (${engine.name})`, () => {
    test(
      'are listed by owner in the order they were added, even after a restart',
      withInbox(engine, async ({ channels, open }) => {
        const [b, a] = [draft('b'), draft('a', { createdAt: 6 })]
        assert.deepEqual(await channels.add(b), { ...b, ...freshHealth })
        await channels.add(a)
        await channels.add(draft('c', { owner: 'bob' }))
        for (const store of [channels, open().channels]) {
          assert.deepEqual(await store.list('ann'), [
            { ...b, ...freshHealth },
            { ...a, ...freshHealth },
          ])
          assert.deepEqual(await store.find('c'), { ...draft('c', { owner: 'bob' }), ...freshHealth })
          assert.equal(await store.find('d'), null)
        }
      }),
    )

    test(
      'can be changed and removed only by their owner',
      withInbox(engine, async ({ channels }) => {
        await channels.add(draft('a'))
        assert.equal(await channels.change('bob', 'a', { name: 'x' }), false)
        assert.equal(await channels.remove('bob', 'a'), false)
        assert.equal(await channels.change('ann', 'a', { name: 'x', settings: { url: 'y' } }), true)
        assert.deepEqual(await channels.find('a'), {
          ...draft('a', { name: 'x', settings: { url: 'y' } }),
          ...freshHealth,
        })
        assert.equal(await channels.remove('ann', 'a'), true)
        assert.equal(await channels.remove('ann', 'a'), false)
        assert.deepEqual(await channels.list('ann'), [])
      }),
    )

    test(
      'record their health, which new settings or reactivation reset; a channel that is off stays off',
      withInbox(engine, async ({ channels }) => {
        await channels.add(draft('a'))
        const failing = { state: 'failing', reason: 'status 503', failures: 4, retryAt: 99, sentAt: 7 } as const
        await channels.note('a', failing)
        assert.deepEqual(await channels.find('a'), { ...draft('a'), ...failing })
        await channels.change('ann', 'a', { settings: { url: 'y' } })
        assert.deepEqual(await channels.find('a'), {
          ...draft('a', { settings: { url: 'y' } }),
          ...freshHealth,
          sentAt: 7,
        })
        await channels.note('a', failing)
        await channels.change('ann', 'a', { state: 'off' })
        await channels.note('a', { ...failing, state: 'active' })
        assert.equal((await channels.find('a'))!.state, 'off')
        await channels.change('ann', 'a', { name: 'other' })
        assert.equal((await channels.find('a'))!.state, 'off')
        await channels.change('ann', 'a', { state: 'active' })
        assert.deepEqual((await channels.find('a'))!.failures, 0)
      }),
    )

    test(
      'are counted by kind across all owners',
      withInbox(engine, async ({ channels }) => {
        assert.deepEqual(await channels.figures(), [])
        for (const [id, kind] of [
          ['a', 'webhook'],
          ['b', 'email'],
          ['c', 'webhook'],
        ] as const)
          await channels.add(draft(id, { kind, owner: id }))
        await channels.note('c', { ...freshHealth, state: 'failing', failures: 3 })
        assert.deepEqual(await channels.figures(), [
          { kind: 'email', channels: 1, failing: 0, waiting: 0 },
          { kind: 'webhook', channels: 2, failing: 1, waiting: 0 },
        ])
      }),
    )
  })
}

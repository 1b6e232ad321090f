import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openWatching, profileWith, sourceAt } from '../watching/watching.testkit.ts'
import { createOwnerSources } from './owner-sources.ts'
import { followChecks } from './source-events.ts'
import { createSourceFinder } from './source-unread.ts'

const a = 'http://a.example/'
const b = 'http://b.example/'

describe('sources of an owner', () => {
  test('are cached, and only changed profiles are read again', async () => {
    const { profiles, put, remove, close } = await openWatching()
    const read: string[] = []
    const counted: typeof profiles = {
      ...profiles,
      urdsOf(id) {
        read.push(id)
        return profiles.urdsOf(id)
      },
    }
    const load = createOwnerSources(counted, ['http', 'https'])
    await put(profileWith('one', 'ann', [sourceAt(a)]), profileWith('two', 'ann', [sourceAt(b)]))
    await Promise.all([load('ann'), load('ann')])
    await load('ann')
    assert.deepEqual(read.splice(0).sort(), ['one', 'two'])
    await put(profileWith('hers', 'eve', [sourceAt(a)]))
    await profiles.setUrds([(await load('ann')).sources[0]!.id], { muted: true })
    await remove('one')
    const { sources } = await load('ann')
    assert.deepEqual(
      sources.map(({ uri, muted }) => [uri, muted]),
      [[b, true]],
    )
    assert.deepEqual(read, ['two'])
    // The profile changes its owner.
    await put(profileWith('two', 'eve', [sourceAt(b)]))
    assert.deepEqual((await load('ann')).sources, [])
    close()
  })

  test('include what was changed before they were asked for, even while they are being read for another call', async () => {
    const { profiles, put, close } = await openWatching()
    const [read, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const held: typeof profiles = {
      ...profiles,
      async list(page) {
        const found = await profiles.list(page)
        read.resolve()
        await released.promise
        return found
      },
    }
    const load = createOwnerSources(held, ['http', 'https'])
    const before = load('ann')
    await read.promise
    await put(profileWith('one', 'ann', [sourceAt(a)]))
    const after = [load('ann'), load('ann')]
    released.resolve()
    assert.deepEqual((await before).sources, [])
    for (const { sources } of await Promise.all(after))
      assert.deepEqual(
        sources.map(({ uri }) => uri),
        [a],
      )
    close()
  })

  test('are evicted from a full cache and read again', async () => {
    const { profiles, put, close } = await openWatching()
    await put(profileWith('one', 'ann', [sourceAt(a)]), profileWith('two', 'eve', [sourceAt(b)]))
    const load = createOwnerSources(profiles, ['http', 'https'], 1)
    const before = await load('ann')
    await load('eve')
    assert.notEqual(await load('ann'), before)
    assert.equal((await load('ann')).sources.length, 1)
    close()
  })
})

describe('the source of a page', () => {
  test('is the source at that URL, else a source that follows links to it', async () => {
    const { profiles, put, close } = await openWatching()
    const scope = { kind: 'pattern', source: '/java/' } as const
    const deep = [sourceAt(b, { depth: 2 }), sourceAt('http://c.example/', { depth: 1, scope })]
    await put(profileWith('p', 'ann', [sourceAt(a), sourceAt(`${a}x`), ...deep]))
    const { sources } = await createOwnerSources(profiles, ['http', 'https'])('ann')
    const moved = sources.find(({ uri }) => uri === `${a}x`)!.watch
    const find = createSourceFinder(sources, (watch) => (watch === moved ? 'http://d.example/' : ''))
    const found = (url: string) => find(url)?.uri
    assert.deepEqual([a, 'http://d.example/', `${b}far/away`, 'http://e.example/java/1', `${a}y`].map(found), [
      a,
      `${a}x`,
      b,
      'http://c.example/',
      undefined,
    ])
    close()
  })
})

describe('check notifications', () => {
  test('are sent only to owners who are listening', async () => {
    const { service, put, turn, close } = await openWatching({ pages: { [a]: { words: 'a' } } })
    const states: string[] = []
    const forgotten: number[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    followChecks({
      checks: service,
      sources: { noteCheck: (watch) => forgotten.push(watch), stateOf: async () => 'changed' },
      isHeard: (owner) => owner === 'ann',
      onState(owner, { state }) {
        states.push(`${owner} ${state}`)
        if (states.length === 2) resolve()
      },
      onProblem: assert.fail,
    })
    await put(profileWith('one', 'ann', [sourceAt(a)]), profileWith('two', 'eve', [sourceAt(a)]))
    await turn()
    await promise
    assert.deepEqual([states, forgotten.length], [['ann changed', 'ann changed'], 2])
    close()
  })
})

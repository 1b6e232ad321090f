import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StoreEngine } from '../engine.testkit.ts'
import { hashOf, withAccounts } from './accounts-suite.testkit.ts'

export function signInFailuresSuite(engine: StoreEngine): void {
  describe(`sign-in failures (${engine.name})`, () => {
    test(
      'failures are counted by key until cleared, even across restarts',
      withAccounts(engine, async ({ signInFailures, open }) => {
        assert.deepEqual(await signInFailures.find('a'), { count: 0, lastAt: 0 })
        const none = { count: 0, lastAt: 0 }
        assert.equal(await signInFailures.replace('a', none, { count: 1, lastAt: 10 }), true)
        assert.equal(await signInFailures.replace('a', { count: 1, lastAt: 10 }, { count: 2, lastAt: 30 }), true)
        assert.equal(await signInFailures.replace('A', none, { count: 1, lastAt: 40 }), true)
        assert.equal(await signInFailures.replace('c', none, { count: 1, lastAt: 50 }), true)
        assert.deepEqual(await open().signInFailures.find('a'), { count: 2, lastAt: 30 })
        await signInFailures.clear(['A', 'unknown'])
        assert.deepEqual(await signInFailures.find('A'), { count: 0, lastAt: 0 })
        assert.equal(await signInFailures.clearBefore(50), 1)
        assert.deepEqual(await signInFailures.find('a'), { count: 0, lastAt: 0 })
        assert.equal((await signInFailures.find('c')).count, 1)
      }),
    )

    test(
      'only one of several concurrent updates with the same expected value succeeds',
      withAccounts(engine, async ({ signInFailures, open }) => {
        const stores = [signInFailures, open().signInFailures, open().signInFailures]
        for (let count = 0; count < 4; count++) {
          const expected = { count, lastAt: count }
          const next = { count: count + 1, lastAt: count + 1 }
          const won = await Promise.all(stores.map((store) => store.replace('a', expected, next)))
          assert.equal(won.filter(Boolean).length, 1)
        }
        assert.equal(await signInFailures.replace('a', { count: 4, lastAt: 0 }, { count: 5, lastAt: 5 }), false)
        assert.equal(await signInFailures.replace('a', { count: 0, lastAt: 0 }, { count: 1, lastAt: 5 }), false)
        assert.equal(await signInFailures.replace('a', { count: 3, lastAt: 3 }, { count: 0, lastAt: 0 }), false)
        assert.deepEqual(await signInFailures.find('a'), { count: 4, lastAt: 4 })
        assert.equal(await signInFailures.replace('a', { count: 4, lastAt: 4 }, { count: 0, lastAt: 0 }), true)
        assert.deepEqual(await signInFailures.find('a'), { count: 0, lastAt: 0 })
      }),
    )
  })
}

export function serverSecretsSuite(engine: StoreEngine): void {
  describe(`server secrets (${engine.name})`, () => {
    test(
      'the first secret stored under a name is kept, even across restarts',
      withAccounts(engine, async ({ serverSecrets, open }) => {
        assert.deepEqual(Buffer.from(await serverSecrets.agree('a', hashOf('one'))), hashOf('one'))
        assert.deepEqual(Buffer.from(await open().serverSecrets.agree('a', hashOf('two'))), hashOf('one'))
        assert.deepEqual(Buffer.from(await open().serverSecrets.agree('b', hashOf('two'))), hashOf('two'))
      }),
    )
  })
}

export function setupSuite(engine: StoreEngine): void {
  describe(`set-up (${engine.name})`, () => {
    test(
      'the hash of the set-up link is stored until it is removed',
      withAccounts(engine, async ({ setup, open }) => {
        assert.equal(await setup.hash(), null)
        for (const key of ['first', 'second']) {
          await setup.setHash(hashOf(key))
          assert.deepEqual(Buffer.from((await open().setup.hash())!), hashOf(key))
        }
        await setup.setHash(null)
        await setup.setHash(null)
        assert.equal(await open().setup.hash(), null)
      }),
    )

    test(
      'servers on a shared store agree on one key until it is used; in a data folder the newest key is valid',
      withAccounts(engine, async ({ setup, open }) => {
        assert.equal(await setup.agree('first'), 'first')
        assert.equal(await open().setup.agree('second'), engine.isShared ? 'first' : 'second')
        await setup.setHash(null)
        assert.equal(await open().setup.agree('third'), 'third')
      }),
    )
  })
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StoreEngine } from '../engine.testkit.ts'
import { hashOf, withAccounts } from './accounts-suite.testkit.ts'

export function signInFailuresSuite(engine: StoreEngine): void {
  describe(`sign-in failures (${engine.name})`, () => {
    test(
      'failures are counted under their key until they are cleared, also over a restart',
      withAccounts(engine, async ({ signInFailures, open }) => {
        assert.deepEqual(await signInFailures.find('a'), { count: 0, lastAt: 0 })
        assert.deepEqual(await signInFailures.record('a', 10), { count: 1, lastAt: 10 })
        assert.deepEqual(await signInFailures.record('a', 30), { count: 2, lastAt: 30 })
        assert.deepEqual(await signInFailures.record('A', 40), { count: 1, lastAt: 40 })
        assert.deepEqual(await signInFailures.record('c', 50), { count: 1, lastAt: 50 })
        assert.deepEqual(await open().signInFailures.find('a'), { count: 2, lastAt: 30 })
        await signInFailures.clear(['A', 'unknown'])
        assert.deepEqual(await signInFailures.find('A'), { count: 0, lastAt: 0 })
        assert.equal(await signInFailures.clearBefore(50), 1)
        assert.deepEqual(await signInFailures.find('a'), { count: 0, lastAt: 0 })
        assert.equal((await signInFailures.find('c')).count, 1)
      }),
    )
  })
}

export function setupSuite(engine: StoreEngine): void {
  describe(`set-up (${engine.name})`, () => {
    test(
      'the hash of the set-up link is there until it is removed',
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
      'servers of a shared store agree on one key until it is used; in a data folder the new key is valid',
      withAccounts(engine, async ({ setup, open }) => {
        assert.equal(await setup.agree('first'), 'first')
        assert.equal(await open().setup.agree('second'), engine.isShared ? 'first' : 'second')
        await setup.setHash(null)
        assert.equal(await open().setup.agree('third'), 'third')
      }),
    )
  })
}

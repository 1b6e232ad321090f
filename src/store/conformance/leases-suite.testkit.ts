import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { type StoreEngine, withSystem } from './engine.testkit.ts'

/** What every engine promises about the write lease. */
export function leasesSuite(engine: StoreEngine): void {
  describe(`leases (${engine.name})`, () => {
    test(
      'a lease is exclusive, and the refusal names the holder',
      withSystem(engine, { shards: 3 }, async ({ leases }) => {
        const lease = await leases.acquire('the first')
        assert.equal(lease.shards, 3)
        await assert.rejects(leases.acquire('the second'), (error) => {
          assert.ok(isAppError(error, 'store-locked'))
          assert.match(error.message, /the first/)
          return true
        })
        await lease.release()
        const next = await leases.acquire('the second')
        await next.release()
      }),
    )

    test(
      'the epoch grows each time the lease is acquired',
      withSystem(engine, {}, async ({ leases }) => {
        const epochs: number[] = []
        for (const holder of ['a', 'b', 'a']) {
          const lease = await leases.acquire(holder)
          epochs.push(lease.epoch)
          await lease.release()
        }
        assert.ok(epochs[0]! < epochs[1]! && epochs[1]! < epochs[2]!)
      }),
    )

    test(
      'releasing twice does not free a lease that another holder has acquired since',
      withSystem(engine, {}, async ({ leases }) => {
        const lease = await leases.acquire('a')
        await lease.release()
        const other = await leases.acquire('b')
        await lease.release()
        await assert.rejects(leases.acquire('c'), (error) => isAppError(error, 'store-locked'))
        await other.release()
      }),
    )
  })
}

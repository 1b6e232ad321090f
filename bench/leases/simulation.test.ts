import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { setPartitions } from './database.ts'
import { createSimulation, type Simulation } from './simulation.ts'

usePostgres()

const LEASE_MS = 15_000
const RENEW_EVERY_MS = 5_000

async function simulated(partitions: number, work: (simulation: Simulation) => Promise<void>): Promise<void> {
  const { pool, destroy } = await createDatabase()
  try {
    await setPartitions(pool, partitions)
    await work(createSimulation({ pool, seed: 1, leaseMs: LEASE_MS, renewEveryMs: RENEW_EVERY_MS }))
  } finally {
    await destroy()
  }
}

describe('lease simulation', () => {
  test('distributes all partitions as holders join, leave and die', () =>
    simulated(256, async (simulation) => {
      const isWhole = (): void => assert.equal(sum(simulation.held()), 256)
      simulation.start(4)
      await simulation.settle()
      assert.deepEqual(simulation.held(), [64, 64, 64, 64])
      simulation.join()
      const joined = await simulation.settle()
      isWhole()
      assert.equal(joined.moves, simulation.held().at(-1))
      await simulation.leave()
      const left = await simulation.settle()
      isWhole()
      assert.ok(left.longestGapMs < 1000)
      simulation.die()
      const died = await simulation.settle()
      isWhole()
      assert.ok(died.longestGapMs > LEASE_MS - RENEW_EVERY_MS && died.longestGapMs <= LEASE_MS + RENEW_EVERY_MS)
    }))

  test('distributes a different number of partitions evenly', () =>
    simulated(512, async (simulation) => {
      simulation.start(2)
      await simulation.settle()
      assert.deepEqual(simulation.held(), [256, 256])
    }))
})

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import {
  createNearDuplicateMemory,
  freeNearDuplicates,
  type NearDuplicateLog,
  openNearDuplicateLog,
} from './near-duplicate-log.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
/** Far from each other in all bands. */
const hashOf = (n: number): bigint => BigInt.asUintN(64, BigInt(n + 1) * 0x9e3779b97f4a7c15n)

/** What a processor does: look up the cluster, store the annotation, and notify the other processors. */
async function record(log: NearDuplicateLog, version: number, hash: bigint): Promise<number> {
  return log.exclusively(async () => {
    const cluster = log.find(hash) ?? version
    await turn()
    log.add(cluster, hash)
    return cluster
  })
}

describe('the log of near-duplicates', () => {
  test('what one processor has met is known to the others before they decide', async () => {
    const memory = createNearDuplicateMemory()
    const [a, b] = [openNearDuplicateLog(memory), openNearDuplicateLog(memory)]
    assert.equal(await record(a, 7, hashOf(1)), 7)
    assert.equal(await record(b, 8, hashOf(1) ^ 0b101n), 7)
    assert.equal(await record(b, 9, hashOf(2)), 9)
    assert.equal(await record(a, 10, hashOf(2)), 9)
  })

  test('of processors that meet a near-duplicate at the same time one is the first, and all agree', async () => {
    const memory = createNearDuplicateMemory()
    const logs = Array.from({ length: 5 }, () => openNearDuplicateLog(memory))
    for (let cluster = 0; cluster < 20; cluster++) {
      const clusters = await Promise.all(logs.map((log, n) => record(log, cluster * 10 + n, hashOf(cluster))))
      assert.equal(new Set(clusters).size, 1, String(clusters))
    }
  })

  test('a decision that fails lets the next one decide', async () => {
    const memory = createNearDuplicateMemory()
    const [a, b] = [openNearDuplicateLog(memory), openNearDuplicateLog(memory)]
    await assert.rejects(
      a.exclusively(() => Promise.reject(new Error('the disk is full'))),
      /full/,
    )
    assert.equal(await record(b, 3, hashOf(1)), 3)
  })

  test('a thread that dies while it decides lets the next one decide, and leaves a lock alone that it does not hold', async () => {
    const memory = createNearDuplicateMemory()
    const log = openNearDuplicateLog(memory, undefined, 0)
    const dying = new Worker(
      `import { workerData } from 'node:worker_threads'
       const { openNearDuplicateLog } = await import(workerData.module)
       await openNearDuplicateLog(workerData.memory, undefined, 1).exclusively(() => process.exit(3))`,
      { eval: true, workerData: { memory, module: new URL('./near-duplicate-log.ts', import.meta.url).href } },
    )
    const [code] = await once(dying, 'exit')
    assert.equal(code, 3)
    let isDecided = false
    const decided = record(log, 3, hashOf(1)).then(() => {
      isDecided = true
    })
    freeNearDuplicates(memory, 2)
    await turn()
    assert.equal(isDecided, false)
    freeNearDuplicates(memory, 1)
    await decided
    const held = log.exclusively(async () => {
      freeNearDuplicates(memory, 1)
      return Atomics.load(memory.lock, 0)
    })
    assert.equal(await held, 1)
  })

  test('one that was away for longer than the ring is long knows the last ones', async () => {
    const memory = createNearDuplicateMemory(8)
    const [a, away] = [openNearDuplicateLog(memory), openNearDuplicateLog(memory)]
    for (let n = 0; n < 20; n++) await record(a, n + 1, hashOf(n))
    await away.exclusively(async () => {
      const known = Array.from({ length: 20 }, (_, n) => away.find(hashOf(n)))
      assert.deepEqual(known.slice(0, 12), Array(12).fill(null))
      assert.deepEqual(known.slice(12), [13, 14, 15, 16, 17, 18, 19, 20])
    })
  })

  test('what the store had is known to the one that has loaded it', async () => {
    const log = openNearDuplicateLog(createNearDuplicateMemory())
    log.load([{ cluster: 5, hash: BigInt.asIntN(64, hashOf(11)) }])
    assert.equal(log.find(hashOf(11)), 5)
    assert.equal(log.find(hashOf(12)), null)
  })
})

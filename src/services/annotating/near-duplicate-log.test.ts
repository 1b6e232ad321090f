import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createNearDuplicateMemory, type NearDuplicateLog, openNearDuplicateLog } from './near-duplicate-log.ts'

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

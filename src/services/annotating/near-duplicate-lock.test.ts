import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { AnnotationBatch } from '../../store/contracts/annotations.ts'
import type { StoredText } from '../../store/contracts/stories.ts'
import {
  createLockedNearDuplicates,
  createNearDuplicateMemory,
  freeNearDuplicates,
  openNearDuplicateLock,
} from './near-duplicate-lock.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('decisions on near-duplicates', () => {
  test('concurrent processors of the same story agree on one cluster', async () => {
    const memory = createNearDuplicateMemory()
    const kept: StoredText[] = []
    const annotations = {
      async textsInBands(bands: readonly number[]) {
        await turn()
        return kept.filter(({ cluster }) => Math.floor(cluster / 10) === bands[0])
      },
      async commit({ nearDuplicates }: Pick<AnnotationBatch, 'nearDuplicates'>) {
        await turn()
        kept.push(...nearDuplicates)
        return []
      },
      ofCluster: async () => ({ kind: 'none' }) as const,
    }
    const stores = Array.from({ length: 5 }, (_, part) =>
      createLockedNearDuplicates(openNearDuplicateLock(memory, part), annotations),
    )
    for (let story = 0; story < 20; story++) {
      const clusters = await Promise.all(
        stores.map((store, n) =>
          store.decide([story], async (found) => {
            const cluster = found.candidates[0]?.cluster ?? story * 10 + n
            await annotations.commit({
              nearDuplicates: [
                { cluster, host: '', sketch: Buffer.of(), versionId: 0, documentId: 0, at: 0, bands: [story] },
              ],
            })
            return cluster
          }),
        ),
      )
      assert.equal(new Set(clusters).size, 1, String(clusters))
    }
  })

  test('the lock is released when the decision fails', async () => {
    const memory = createNearDuplicateMemory()
    const [a, b] = [openNearDuplicateLock(memory, 0), openNearDuplicateLock(memory, 1)]
    await assert.rejects(
      a.exclusively(() => Promise.reject(new Error('the disk is full'))),
      /full/,
    )
    assert.equal(await b.exclusively(async () => 3), 3)
  })

  test('the lock of a dead thread can be freed, and only by the number of its holder', async () => {
    const memory = createNearDuplicateMemory()
    const lock = openNearDuplicateLock(memory, 0)
    const dying = new Worker(
      `import { workerData } from 'node:worker_threads'
       const { openNearDuplicateLock } = await import(workerData.module)
       await openNearDuplicateLock(workerData.memory, 1).exclusively(() => process.exit(3))`,
      { eval: true, workerData: { memory, module: new URL('./near-duplicate-lock.ts', import.meta.url).href } },
    )
    const [code] = await once(dying, 'exit')
    assert.equal(code, 3)
    let isDecided = false
    const decided = lock.exclusively(async () => {
      isDecided = true
    })
    freeNearDuplicates(memory, 2)
    await turn()
    assert.equal(isDecided, false)
    freeNearDuplicates(memory, 1)
    await decided
    const held = lock.exclusively(async () => {
      freeNearDuplicates(memory, 1)
      return Atomics.load(memory, 0)
    })
    assert.equal(await held, 1)
  })
})

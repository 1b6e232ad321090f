import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPermanentLease, type PartitionLease } from '../../frontier/partition-lease.ts'
import { createWriteBuffers, type WriteBuffersOptions } from './write-buffers.ts'

/** Buffers of words; writes are recorded, and complete when the test lets them. */
function openWriteBuffers(parts: Partial<WriteBuffersOptions<string>> = {}) {
  const kept: string[] = []
  const waiting: (() => void)[] = []
  const writeBuffers = createWriteBuffers<string>({
    maxItems: 3,
    maxBytes: 100,
    maxWaitMs: 3_600_000,
    parallel: 2,
    bytesOf: (word) => word.length,
    async write(words) {
      kept.push(words.join(' '))
      await new Promise<void>((resolve) => waiting.push(resolve))
    },
    ...parts,
  })
  return {
    writeBuffers,
    kept,
    async goOn(): Promise<void> {
      for (const resolve of waiting.splice(0)) resolve()
      await new Promise(setImmediate)
    },
  }
}

describe('write buffers', () => {
  test('are written when large enough, a few at once and each by one write at a time', async () => {
    const { writeBuffers, kept, goOn } = openWriteBuffers()
    const [a, b, c] = [createPermanentLease(), createPermanentLease(), createPermanentLease()]
    for (const lease of [a, b, c]) for (const word of ['x', 'y']) writeBuffers.add(lease, word)
    assert.deepEqual(kept, [])
    writeBuffers.add(a, 'z')
    writeBuffers.add(b, 'z')
    writeBuffers.add(c, 'z')
    assert.deepEqual(kept, ['x y z', 'x y z'])
    for (const word of ['1', '2', '3']) writeBuffers.add(a, word)
    await goOn()
    assert.deepEqual(kept.slice(2), ['x y z', '1 2 3'])
    assert.equal(writeBuffers.bytes(), 6)
    await goOn()
    assert.equal(writeBuffers.bytes(), 0)
  })

  test('are written when they hold enough bytes', async () => {
    const { writeBuffers, kept, goOn } = openWriteBuffers()
    writeBuffers.add(createPermanentLease(), 'w'.repeat(100))
    assert.equal(kept.length, 1)
    await goOn()
  })

  test('say when bytes no longer wait, after those are no longer counted', async () => {
    const seen: number[] = []
    const { writeBuffers, goOn } = openWriteBuffers({
      onWritten: () => void seen.push(writeBuffers.bytes(), writeBuffers.size()),
    })
    writeBuffers.add(createPermanentLease(), 'w'.repeat(100))
    await goOn()
    assert.deepEqual(seen, [0, 0])
  })

  test('of a leaving lease are written without waiting for more', async () => {
    const { writeBuffers, kept, goOn } = openWriteBuffers({ parallel: 1 })
    const lease: PartitionLease = createPermanentLease()
    writeBuffers.add(lease, 'first')
    lease.state = 'leaving'
    writeBuffers.hurry(lease)
    writeBuffers.add(lease, 'second')
    assert.deepEqual(kept, ['first'])
    await goOn()
    assert.deepEqual(kept, ['first', 'second'])
    await goOn()
    assert.deepEqual(writeBuffers.all(lease), [])
  })

  test('are all written by a flush, including items added meanwhile', async () => {
    const kept: string[] = []
    const lease = createPermanentLease()
    const { writeBuffers } = openWriteBuffers({
      async write(words) {
        if (kept.push(words.join(' ')) === 1) writeBuffers.add(lease, 'late')
      },
    })
    writeBuffers.add(lease, 'early')
    await writeBuffers.flush()
    assert.deepEqual(kept, ['early', 'late'])
    assert.equal(writeBuffers.size(), 0)
  })

  test('are written when the first item has waited long enough', async () => {
    const { promise, resolve } = Promise.withResolvers<string[]>()
    const { writeBuffers } = openWriteBuffers({
      maxWaitMs: 5,
      waitMsForEach: 1,
      write: async (words) => resolve(words),
    })
    writeBuffers.add(createPermanentLease(), 'alone')
    assert.deepEqual(await promise, ['alone'])
  })
})

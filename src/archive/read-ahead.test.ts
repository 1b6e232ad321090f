import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readAhead } from './read-ahead.ts'

describe('reading ahead', () => {
  test('reads several items at a time and yields them in order', async () => {
    let reading = 0
    let most = 0
    const got: number[] = []
    const items = Array.from({ length: 100 }, (_, n) => n)
    const read = async (n: number): Promise<number> => {
      most = Math.max(most, ++reading)
      for (let turn = n % 7; turn >= 0; turn--) await null
      reading--
      return n * 2
    }
    for await (const [item, result] of readAhead(items, read, { weigh: () => 1 })) {
      assert.equal(result, item * 2)
      got.push(item)
    }
    assert.deepEqual(got, items)
    assert.equal(most, 16)
  })

  test('reads large items one at a time', async () => {
    let reading = 0
    for await (const _ of readAhead(
      [1, 2, 3],
      async () => {
        assert.equal(++reading, 1)
        await null
        reading--
      },
      { weigh: () => 100_000_000 },
    ));
  })

  test('stops at a failure, after the batches before it', async () => {
    const got: number[] = []
    const read = async (n: number): Promise<void> => {
      if (n === 40) throw new Error('no more')
    }
    await assert.rejects(async () => {
      const items = Array.from({ length: 100 }, (_, n) => n)
      for await (const [item] of readAhead(items, read, { weigh: () => 1 })) got.push(item)
    }, /no more/)
    assert.equal(got.length, 32)
  })
})

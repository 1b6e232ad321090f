import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSeeding, withSeedHosts } from './seeding.ts'

const seeds = Array.from({ length: 2_500 }, (_, n) => `http://h${n % 7}.example/${n}`)

describe('seeding', () => {
  test('offers all seeds once, in batches and in order', async () => {
    const batches: (readonly string[])[] = []
    const seeding = createSeeding(seeds)
    await seeding.run(
      async (urls) => {
        assert.equal(seeding.isComplete(), false)
        batches.push(urls)
      },
      () => false,
    )
    assert.deepEqual(batches.flat(), seeds)
    assert.ok(batches.length > 1)
    assert.equal(seeding.isComplete(), true)
  })

  test('continues with the batch that failed, and stops when asked to', async () => {
    const seeding = createSeeding(seeds)
    const accepted: string[] = []
    let calls = 0
    const offer = async (urls: readonly string[]): Promise<void> => {
      if (++calls === 2) throw new Error('away')
      accepted.push(...urls)
    }
    await assert.rejects(
      seeding.run(offer, () => false),
      /away/,
    )
    await seeding.run(offer, () => accepted.length >= 2_000)
    assert.equal(seeding.isComplete(), false)
    await seeding.run(offer, () => false)
    assert.deepEqual(accepted, seeds)
  })

  test('gives shards one seed per origin', () => {
    const given = [
      'http://a.example/1',
      'http://a.example/2',
      'http://a.example:81',
      'https://a.example?x',
      'http://b.example#y',
    ]
    assert.deepEqual(withSeedHosts({ seeds: given }).seeds, [given[0], given[2], given[3], given[4]])
  })
})

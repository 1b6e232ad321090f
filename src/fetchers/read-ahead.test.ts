import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReadAhead } from './read-ahead.ts'

/** Twenty messages of ten bytes, and the batches in which they were fetched. */
function mailbox(sizes: Readonly<Record<string, number>> = {}, lengths: Readonly<Record<string, number>> = sizes) {
  const urls = Array.from({ length: 20 }, (_, i) => `m${i}`)
  const batches: string[][] = []
  const ahead = createReadAhead({
    maxBodyBytes: 1000,
    sizeOf: async (url) => sizes[url] ?? 10,
    async fetch(wanted, maxBytes) {
      batches.push([...wanted])
      const there = wanted.filter((url) => lengths[url] !== -1)
      return new Map(there.map((url) => [url, Buffer.alloc(Math.min(lengths[url] ?? 10, maxBytes), url)]))
    },
  })
  ahead.expect(urls)
  return { urls, ahead, batches }
}

test('messages read in order are fetched in growing batches, each once', async () => {
  const { urls, ahead, batches } = mailbox()
  for (const url of urls) assert.match((await ahead.read(url))!.toString(), new RegExp(`^${url}`))
  assert.deepEqual(batches.flat(), urls)
  assert.deepEqual(
    batches.map(({ length }) => length),
    [1, 2, 4, 8, 5],
  )
})

test('messages read out of order are fetched individually', async () => {
  const { ahead, batches } = mailbox()
  for (const url of ['m7', 'm3', 'm5', 'm19', 'other']) await ahead.read(url)
  assert.deepEqual(batches, [['m7'], ['m3'], ['m5'], ['m19'], ['other']])
})

test('messages read concurrently are fetched in order, each once', async () => {
  const { urls, ahead, batches } = mailbox()
  const sources = await Promise.all(urls.map((url) => ahead.read(url)))
  assert.equal(sources.length, 20)
  assert.deepEqual(batches.flat(), urls)
})

test('a long message is read correctly, even if the server reports it as short', async () => {
  const long = mailbox({ m5: 5000 })
  for (const url of long.urls) assert.equal((await long.ahead.read(url))!.length, url === 'm5' ? 1001 : 10)
  assert.deepEqual(long.batches.flat(), long.urls)
  const lying = mailbox({}, { m5: 5000 })
  for (const url of lying.urls) assert.equal((await lying.ahead.read(url))!.length, url === 'm5' ? 1001 : 10)
  assert.ok(lying.batches.some((batch) => batch.length === 1 && batch[0] === 'm5'))
})

test('a missing message is null, and the others are read', async () => {
  const { urls, ahead } = mailbox({}, { m4: -1 })
  for (const url of urls) assert.equal((await ahead.read(url))?.length, url === 'm4' ? undefined : 10)
})

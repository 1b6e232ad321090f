import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReadingShare } from './reading-share.ts'

/** Handles `pages` pages in each of `steps` steps of 100 ms; returns how many went to another shard in the last step. */
function run(busy: number[], steps: number, pages: number, after = (_given: number): void => {}): number {
  let now = 0
  let given = 0
  const share = createReadingShare({ index: 0, shards: busy.length, busyOf: (shard) => busy[shard]!, now: () => now })
  for (let step = 0; step < steps; step++, now += 100) {
    given = 0
    for (let page = 0; page < pages; page++) if (share.next() !== null) given++
    after(given)
  }
  return given
}

test('each thread reads its own pages if all are about equally busy', () => {
  assert.equal(run([1, 1], 10, 20), 0)
  assert.equal(run([0.4, 0.5], 10, 20), 0)
  assert.equal(run([1], 10, 20), 0)
})

test('an idle thread soon reads most pages of a busy one', () => {
  assert.ok(run([1, 0], 4, 20) >= 19)
})

test('the share adapts until both threads are equally busy', () => {
  // Fetching takes 40% of the work, reading 60%, of which the other thread does its share.
  const busy = [1, 0]
  const [fetching, reading] = [0.4 * 1.8, 0.6 * 1.8]
  const given = run(busy, 60, 20, (each) => {
    busy[0] = Math.min(1, fetching + reading * (1 - each / 20))
    busy[1] = Math.min(1, reading * (each / 20))
  })
  assert.ok(given >= 14 && given <= 19, `${given} of 20`)
  assert.ok(Math.abs(busy[0]! - busy[1]!) < 0.15, busy.join(', '))
})

test('a thread that becomes busy gets no more pages, and the least busy of several is chosen', () => {
  const busy = [1, 0]
  let step = 0
  const given = run(busy, 40, 20, () => {
    if (++step === 5) {
      busy[0] = 0.7
      busy[1] = 1
    }
  })
  assert.equal(given, 0)
  const share = createReadingShare({ index: 1, shards: 3, busyOf: (shard) => [0.5, 1, 0.1][shard]!, now: () => 0 })
  assert.deepEqual(new Set(Array.from({ length: 20 }, share.next)), new Set([null, 2]))
})

test('a thread gets at most 64 pages of another at a time', () => {
  const share = createReadingShare({ index: 0, shards: 2, busyOf: (shard) => 1 - shard, now: () => 0 })
  let given = 0
  for (let page = 0; page < 1_000; page++) {
    const shard = share.next()
    if (shard === null) continue
    share.note(shard, 1)
    given++
  }
  assert.equal(given, 64)
  share.note(1, -1)
  assert.ok(Array.from({ length: 10 }, share.next).includes(1))
})

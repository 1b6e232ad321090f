import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createPartFaults } from './guarded.ts'
import { createMemoryDocuments, openDocumentSet, openHostAssignment, openUrlSet } from './sets.ts'

const folder = mkdtempSync(join(tmpdir(), 'erace-sets-'))
after(() => rmSync(folder, { recursive: true }))
const define = new URL('./part.ts', import.meta.url).href

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, `import * as erace from ${JSON.stringify(define)}\n${text}`)
  return path
}

function createFaults() {
  const lines: string[] = []
  return { lines, ...createPartFaults((_level, message) => lines.push(message)) }
}

const digest = (n: number): Buffer => Buffer.alloc(32, n)

describe('sets of a thread', () => {
  test('a Bloom filter has no false negatives and few false positives', async () => {
    const set = await openUrlSet('bloom', 10_000, createFaults())
    const key = (n: number): [number, number] => [Math.imul(n, 0x9e3779b1) >>> 0, Math.imul(n ^ 77, 0x85ebca6b) >>> 0]
    for (let n = 0; n < 10_000; n++) set.set(...key(n), 5)
    for (let n = 0; n < 10_000; n++) assert.ok(set.get(...key(n)) >= 5)
    let invented = 0
    for (let n = 10_000; n < 30_000; n++) if (set.get(...key(n)) >= 0) invented++
    assert.ok(invented < 400, `${invented} of 20,000`)
  })

  test('the memory document set compares digests; the stored one relies on the store', async () => {
    const memory = createMemoryDocuments(1000)
    assert.equal(memory.isCopy({ url: 'a', digest: digest(1) }, true), false)
    assert.equal(memory.isCopy({ url: 'b', digest: digest(1) }, false), true)
    assert.equal(memory.isCopy({ url: 'c', digest: digest(2) }, false), false)
    const stored = await openDocumentSet('digest', 1000, createFaults())
    assert.equal(stored.isCopy({ url: 'a', digest: digest(1) }, true), true)
  })

  test('dynamic assignment prefers idle threads, then those with the fewest hosts', async () => {
    const { assign } = (await openHostAssignment('dynamic', createFaults()))!
    const load = (hosts: number, queued: number) => ({ hosts, queued })
    assert.equal(assign('a', [load(1, 5), load(0, 0), load(0, 0)]), 1)
    assert.equal(assign('a', [load(1, 5), load(3, 0), load(2, 1)]), 1)
    assert.equal(assign('a', [load(2, 5), load(1, 9), load(2, 1)]), 1)
    assert.equal(await openHostAssignment('hashed', createFaults()), null)
  })

  test('custom parts are used; if they fail, built-in ones answer and failures are counted by name', async () => {
    const faults = createFaults()
    const good = await openUrlSet(
      file(
        'good.ts',
        `const map = new Map()
         export default erace.defineUrlSet({ name: 'map', create: () => ({
           get: (hi, lo) => map.get(hi + ' ' + lo) ?? -1, set: (hi, lo, depth) => void map.set(hi + ' ' + lo, depth) }) })`,
      ),
      1000,
      faults,
    )
    good.set(1, 2, 3)
    assert.deepEqual([good.get(1, 2), good.get(2, 1)], [3, -1])
    assert.deepEqual(faults.counts(), {})
    const bad = await openUrlSet(
      file(
        'bad.ts',
        `export default erace.defineUrlSet({ name: 'bad', create: () => ({ get: () => 'x', set() { throw new Error('no') } }) })`,
      ),
      1000,
      faults,
    )
    bad.set(1, 2, 3)
    assert.equal(bad.get(1, 2), 3)
    const copies = await openDocumentSet(
      file(
        'copies.ts',
        `export default erace.defineDocumentSet({ name: 'copies', create: () => ({ isCopy() { throw new Error('no') } }) })`,
      ),
      1000,
      faults,
    )
    assert.equal(copies.isCopy({ url: 'a', digest: digest(1) }, true), true)
    const far = await openHostAssignment(
      file('far.ts', `export default erace.defineFrontier({ name: 'far', create: () => ({ assign: () => 99 }) })`),
      faults,
    )
    assert.equal(
      far!.assign('a', [
        { hosts: 1, queued: 1 },
        { hosts: 0, queued: 0 },
      ]),
      1,
    )
    assert.deepEqual(faults.counts(), { bad: 2, copies: 1, far: 1 })
    assert.equal(faults.lines.length, 3)
    assert.match(faults.lines[0]!, /the part bad failed/)
  })
})

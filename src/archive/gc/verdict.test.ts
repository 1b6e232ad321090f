import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Retention } from '../../config/retention.ts'
import { collectableOf } from '../../store/conformance/samples.testkit.ts'
import { judge } from './verdict.ts'

const NOW = 1_000_000

const superseded = collectableOf(7, { supersededAt: NOW - 5000, newer: 2 })
const current = collectableOf(7)

function limits(parts: { maxAgeMs?: number; maxVersions?: number; maxBytes?: number }): Retention {
  return { kind: 'limits', maxAgeMs: null, maxVersions: null, maxBytes: null, ...parts }
}

describe('verdict on a version', () => {
  test('removes a version that was superseded for longer than the maximum age', () => {
    assert.equal(judge(superseded, limits({ maxAgeMs: 5000 }), null, NOW).kind, 'stays')
    assert.deepEqual(judge(superseded, limits({ maxAgeMs: 4999 }), null, NOW), { kind: 'remove', reason: 'age' })
  })

  test('keeps the maximum number of newest versions of a document', () => {
    assert.equal(judge(superseded, limits({ maxVersions: 3 }), null, NOW).kind, 'stays')
    assert.deepEqual(judge(superseded, limits({ maxVersions: 2 }), null, NOW), { kind: 'remove', reason: 'versions' })
  })

  test('removes versions superseded up to the size cut-off, with ties decided by id', () => {
    const retention = limits({ maxBytes: 1 })
    const at = superseded.supersededAt!
    const kindAt = (supersededAt: number, versionId: number) =>
      judge(superseded, retention, { supersededAt, versionId }, NOW).kind
    assert.equal(kindAt(at - 1, 99), 'stays')
    assert.equal(kindAt(at, 6), 'stays')
    assert.equal(kindAt(at, 7), 'remove')
    assert.equal(kindAt(at + 1, 1), 'remove')
  })

  test('keeps every version if the retention is forever', () => {
    assert.equal(judge({ ...superseded, newer: 999, supersededAt: 0 }, { kind: 'forever' }, null, NOW).kind, 'stays')
  })

  test('never removes a current version', () => {
    const all = limits({ maxAgeMs: 1, maxVersions: 1, maxBytes: 1 })
    assert.equal(judge(current, all, { supersededAt: NOW, versionId: 99 }, NOW).kind, 'stays')
  })

  test('drops the body of an unwanted version, current or not, unless the version is removed', () => {
    const drop = { kind: 'drop', reason: 'unwanted' }
    const forever: Retention = { kind: 'forever' }
    assert.deepEqual(judge({ ...current, wanted: false }, forever, null, NOW), drop)
    assert.deepEqual(judge({ ...superseded, wanted: false }, forever, null, NOW), drop)
    assert.equal(judge({ ...superseded, wanted: false }, limits({ maxVersions: 1 }), null, NOW).kind, 'remove')
    for (const body of ['dropped', 'lost', 'none'] as const)
      assert.equal(judge({ ...current, wanted: false, body }, forever, null, NOW).kind, 'stays')
  })

  test('keeps a pinned version, and counts it as held if it would have been removed', () => {
    const held = { kind: 'stays', held: true }
    assert.deepEqual(judge({ ...superseded, pinnedBy: 'ann' }, limits({ maxVersions: 1 }), null, NOW), held)
    assert.deepEqual(judge({ ...current, wanted: false, pinnedBy: 'ann' }, { kind: 'forever' }, null, NOW), held)
    const stays = { kind: 'stays', held: false }
    assert.deepEqual(judge({ ...superseded, pinnedBy: 'ann' }, { kind: 'forever' }, null, NOW), stays)
  })
})

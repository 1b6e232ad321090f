import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { VersionStore } from '../store/contracts/versions.ts'
import { createKeptText } from './kept-text.ts'

test('texts of many versions are read 32 at a time, and a failure holds up no other', async () => {
  let reading = 0
  let most = 0
  const version: VersionStore['version'] = async (id) => {
    most = Math.max(most, ++reading)
    await turn()
    reading--
    if (id % 3 === 0) throw new Error(`version ${id}`)
    return null
  }
  const objects = { read: () => assert.fail('there is nothing to read') }
  const kept = createKeptText({ versions: { version }, objects })
  const results = await Promise.allSettled(Array.from({ length: 100 }, (_, id) => kept.text(id, null)))
  assert.equal(most, 32)
  const failed = results.flatMap((result, id) => (result.status === 'rejected' ? [id] : []))
  assert.deepEqual(
    failed,
    Array.from({ length: 34 }, (_, n) => n * 3),
  )
})

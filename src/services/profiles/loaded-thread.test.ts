import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLoadedThread } from './loaded-thread.ts'

test('a thread can be ended as soon as it is there, and the process goes on', async () => {
  for (let n = 0; n < 10; n++) {
    const thread = await startLoadedThread(new URL('./base/profile-base-worker.ts', import.meta.url))
    assert.equal(await thread.terminate(), 1)
  }
})

test('a thread that can not be loaded says why', async () => {
  await assert.rejects(startLoadedThread(new URL('./not-there.ts', import.meta.url)), /not-there/)
})

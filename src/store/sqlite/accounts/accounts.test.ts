import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { openDatabase } from '../folder/database.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { createSqliteAccounts } from './accounts.ts'
import type { RaceOrder } from './accounts-race.testkit.ts'

describe('accounts in a file shared by several threads', () => {
  test('only one thread adds the first account', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'erace-accounts-'))
    const path = join(folder, 'catalog.db')
    const db = openDatabase(path, { migrations: catalogMigrations })
    try {
      const gate = new SharedArrayBuffer(8)
      const state = new Int32Array(gate)
      const names = ['a', 'b', 'c', 'd']
      const workers = names.map((name) => {
        const workerData: RaceOrder = { path, gate, rounds: 20, name }
        return new Worker(new URL('./accounts-race.testkit.ts', import.meta.url), { workerData })
      })
      const ends = workers.map(async (worker) => (await once(worker, 'message'))[0] as string[])
      for (let here = 0; here < names.length; here = Atomics.load(state, 0))
        await Atomics.waitAsync(state, 0, here).value
      Atomics.store(state, 1, 1)
      Atomics.notify(state, 1)
      const won = (await Promise.all(ends)).flat()
      assert.equal(won.length, 1)
      const kept = await createSqliteAccounts(db).list({ after: 0, limit: 9 })
      assert.deepEqual(
        kept.map(({ email }) => email),
        won,
      )
    } finally {
      db.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

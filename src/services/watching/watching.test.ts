import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import { loadConfig } from '../../config/load-config.ts'
import { createSqliteAccounts } from '../../store/sqlite/accounts/accounts.ts'
import { createSqliteCrawls } from '../../store/sqlite/frontier/crawls.ts'
import { openWatching } from './watching.testkit.ts'
import { createWatching } from './watching.ts'

test('the watch loop retains nothing from past ticks', async () => {
  const { profiles, watches, fetcher, clock, db, close } = await openWatching()
  const config = await loadConfig({ env: {} })
  const watching = createWatching({
    ...{ fetcher, config, clock, log: pino({ enabled: false }), countTasks: async () => 0, maxTasks: 100 },
    stores: { profiles, watches, accounts: createSqliteAccounts(db), crawls: createSqliteCrawls(db) },
  })
  const ending = new AbortController()
  const results: WeakRef<object>[] = []
  const failure = new Promise<never>(() => {})
  await watching.run({
    signal: ending.signal,
    failure,
    // The loop ignores the result, and must not retain it.
    async beforeTick(): Promise<never> {
      const result = {}
      results.push(new WeakRef(result))
      return result as never
    },
    afterTick() {
      if (results.length === 100) ending.abort()
      else watching.service.checkNow(0)
    },
  })
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // WeakRef targets stay alive until the end of the current turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  assert.equal(results.filter((result) => result.deref() !== undefined).length, 0)
  assert.ok(failure instanceof Promise)
  close()
})

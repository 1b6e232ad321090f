// The delivery engine, as `erace up` and `erace serve` start it, in its own process.
import pino from 'pino'
import { openDelivery } from '../../src/app/delivery.ts'
import { postgresStores } from '../../src/app/engines/postgres-stores.ts'
import { sqliteStores } from '../../src/app/engines/sqlite-stores.ts'
import { startArchive } from '../../src/app/server/archive.ts'
import { configOf } from '../../src/config/load-config.ts'
import { createRetries } from '../../src/core/work/retries.ts'
import type { StoreSet } from '../../src/store/contracts/store-set.ts'
import { openPool } from '../../src/store/postgres/connection/pool.ts'
import { openDatabase } from '../../src/store/sqlite/folder/database.ts'
import { paths } from '../../src/store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../src/store/sqlite/folder/schema-catalog.ts'
import { answerCalls, childData } from './child.ts'

/** A data folder or the address of a database. */
export type EngineTarget = { folder: string } | { address: string }
export type EngineData = { target: EngineTarget; mailPort: number; aheadMs: number }

const LOOK_EVERY_MS = 2
/** As in `erace serve`: one connection for LISTEN. */
const MORE_CONNECTIONS = 1

const { target, mailPort, aheadMs } = await childData<EngineData>()
const config = configOf({
  'delivery.allow': ['127.0.0.0/8'],
  'mail.server': `smtp://127.0.0.1:${mailPort}`,
  'mail.from': 'erace@erace.example',
  'server.url': 'https://erace.example',
})
const maxConnections = config.cluster.connections + MORE_CONNECTIONS
let ahead = aheadMs
const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() }
const pool = 'address' in target ? openPool({ address: target.address, maxConnections, name: 'bench' }) : null
const stores = openStores()
const delivery = await openDelivery({
  ...{ config, stores, clock, log: pino({ level: 'warn' }, pino.destination(2)) },
  archive: startArchive(target, config),
  address: () => config.server.url,
})
delivery.start(createRetries(clock))

function openStores(): StoreSet {
  if (pool !== null) return postgresStores(pool, [0, 0])
  const { folder } = target as { folder: string }
  return sqliteStores(folder, openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true }))
}

function countOf(outcome: string): number {
  const counts = delivery.watch.counts().filter((each) => each.outcome === outcome)
  return counts.reduce((sum, { count }) => sum + count, 0)
}

const calls = {
  /** Resolves when this many messages have been sent since the start. */
  async sent(count: number): Promise<void> {
    delivery.wake()
    while (countOf('sent') < count) {
      if (countOf('failed') + countOf('retried') > 0) throw new Error('a receiver refused a message')
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  },
  /** Advances the engine's clock. */
  advance(ms: number): void {
    ahead += ms
  },
  usage() {
    const { user, system } = process.cpuUsage()
    const peakBytes = process.resourceUsage().maxRSS * 1024
    return { cpuSeconds: (user + system) / 1e6, peakBytes, statements: pool?.traffic().statements ?? 0 }
  },
  async end() {
    await delivery.end()
    await stores.close()
  },
}
export type EngineCalls = typeof calls
answerCalls(calls)

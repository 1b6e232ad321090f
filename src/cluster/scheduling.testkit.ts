import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { scheduleDeps } from '../app/cluster-schedule.ts'
import { postgresStores } from '../app/engines/postgres-stores.ts'
import { configOf } from '../config/load-config.ts'
import { systemClock } from '../core/clock.ts'
import type { Profile } from '../core/profile.ts'
import { createRetries } from '../core/work/retries.ts'
import { openTestWorker, seed, type TestPage } from '../fetchers/cluster/store-worker.testkit.ts'
import { createProfileKeys } from '../services/profiles/keyed-profile.ts'
import { createPostgresEvents } from '../store/postgres/cluster/events.ts'
import { openPool, type PostgresPool } from '../store/postgres/connection/pool.ts'
import { createDatabase } from '../store/postgres/testkit/postgres.testkit.ts'
import { type ClusterSchedule, startClusterSchedule } from './scheduling.ts'

const LEASE = '2s'
const GIVE_UP_MS = 30_000

export type RunningSchedule = ClusterSchedule & {
  name: string
  /** The checks that listeners were notified of. */
  notified: string[]
  gate: Gate
  end(): Promise<void>
}

/** Holds back everything a process sends to the database, starting with the statement that closes the gate. */
export type Gate = {
  closeAt(part: string): void
  /** Resolves when a statement waits at the closed gate. */
  reached: Promise<void>
  open(): void
}

/** A process that schedules; its connections have the same name. */
export async function startSchedule(
  address: string,
  name: string,
  fingerprints: readonly [number, number],
): Promise<RunningSchedule> {
  const pool = openPool({ address, maxConnections: 6, name })
  const { gate, gated } = gatePool(pool)
  const events = createPostgresEvents({ pool })
  const schedule = await startClusterSchedule(
    scheduleDeps({
      stores: postgresStores(gated, fingerprints),
      clock: systemClock,
      config: configOf({ 'cluster.lease': LEASE, 'schedule.minEvery': '1s' }),
      log: pino({ level: 'silent' }),
      retries: createRetries(systemClock),
      ...{ holder: name, address, events },
    }),
  )
  const notified: string[] = []
  schedule.checks.onCheck((watch, phase) => notified.push(`${watch} ${phase}`))
  let isEnded = false
  return {
    ...schedule,
    name,
    notified,
    gate,
    async end() {
      if (isEnded) return
      isEnded = true
      gate.open()
      await schedule.stop()
      await events.close()
      await pool.close()
    },
  }
}

/** A database with a worker of its own, whose web is in memory. */
export async function openCluster(pages: Record<string, TestPage>) {
  const database = await createDatabase()
  const running: RunningSchedule[] = []
  const web = new Map(Object.entries(pages))
  const stores = postgresStores(database.pool, seed)
  const keyed = createProfileKeys({})
  const worker = await openTestWorker(database.pool, web)

  async function start(name: string): Promise<RunningSchedule> {
    const started = await startSchedule(database.address, name, seed)
    running.push(started)
    return started
  }

  return {
    pool: database.pool,
    web,
    worker,
    start,
    watches: stores.watches,
    crawls: stores.crawls,
    /** Skips first visits: a process that takes over a first visit repeats it. */
    async put(...profiles: Profile[]) {
      await stores.profiles.put(profiles.map(keyed))
      await database.pool.query('UPDATE urds SET visited_at = 1')
    },
    async rowOf(uri: string) {
      return (await stores.watches.all()).find((row) => row.uri === uri)!
    },
    async close() {
      for (const each of running) await each.end()
      await worker.close()
      await database.destroy()
    },
  }
}

function gatePool(pool: PostgresPool): { gate: Gate; gated: PostgresPool } {
  let part: string | null = null
  let closed: PromiseWithResolvers<void> | null = null
  const reached = Promise.withResolvers<void>()
  const pass = async (text: string): Promise<void> => {
    if (part !== null && text.includes(part)) {
      part = null
      closed = Promise.withResolvers()
      reached.resolve()
    }
    await closed?.promise
  }
  const gated: PostgresPool = {
    ...pool,
    async query(text, values) {
      await pass(text)
      return pool.query(text, values)
    },
    transaction: (work) =>
      pool.transaction((tx) =>
        work({
          async query(text, values) {
            await pass(text)
            return tx.query(text, values)
          },
          send: tx.send,
          unhurried: tx.unhurried,
        }),
      ),
  }
  return {
    gated,
    gate: {
      closeAt(text) {
        part = text
      },
      reached: reached.promise,
      open() {
        part = null
        closed?.resolve()
        closed = null
      },
    },
  }
}

/** Polls until the condition is true; throws after `GIVE_UP_MS`. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endAt = systemClock.monotonic() + GIVE_UP_MS
  while (!(await isSo())) {
    if (systemClock.monotonic() > endAt) throw new Error(`never: ${what}`)
    await wait(20)
  }
}

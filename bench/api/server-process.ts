// The real server on a data folder, in its own process; the benchmark `api` starts it and talks to it over IPC.
import pino from 'pino'
import { sqliteStores } from '../../src/app/engines/sqlite-stores.ts'
import { startArchive } from '../../src/app/server/archive.ts'
import { startServer } from '../../src/app/server/server.ts'
import { configOf } from '../../src/config/load-config.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createPolicy } from '../../src/services/scheduler/queues/policy.ts'
import { budgetsOf } from '../../src/services/scheduler/schedule-settings.ts'
import { createScheduler } from '../../src/services/scheduler/scheduler.ts'
import { draftOf, nothing } from '../../src/store/conformance/annotations-suite.testkit.ts'
import { openDatabase } from '../../src/store/sqlite/folder/database.ts'
import { paths } from '../../src/store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../src/store/sqlite/folder/schema-catalog.ts'
import { emailOf, OWNERS, profileIdOf } from './inbox-data.ts'
import type { FromServer, ToServer } from './server-child.ts'

const folder = process.argv[2]!
const config = configOf({ 'server.port': 0, 'server.requestsPerMinute': 10_000_000 })
const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
const { schedule } = config
const scheduler = createScheduler({
  clock: systemClock,
  policy: createPolicy(schedule.policy),
  budgets: budgetsOf(schedule),
})
const stores = sqliteStores(folder, db)
const { annotations } = stores
const server = await startServer({
  config,
  log: pino({ level: 'silent' }),
  stores,
  archive: startArchive({ folder }, config),
  watching: scheduler,
  scheduler,
})
let arrived = 0

/** One new annotation for each owner, as the annotation engine would report them. */
async function arrive(): Promise<void> {
  arrived++
  const at = Date.now()
  const text = `change number ${arrived}`
  const drafts = Array.from({ length: OWNERS }, (_, owner) =>
    // A version that does not exist yet, so that each is new.
    draftOf(1, 1_000_000_000 + arrived, {
      owner: emailOf(owner),
      profile: profileIdOf(owner, 0),
      kind: 'changed',
      at,
      title: `Arrival ${arrived}`,
      summary: { text, marks: [] },
      explanation: { tracked: true },
    }),
  )
  const batch = { ...nothing, annotations: drafts }
  server.announce((await annotations.commit(batch)).map(({ id }) => id))
}

const send = (message: FromServer): void => void process.send!(message)

process.on('message', async (message: ToServer) => {
  if (message === 'figures') {
    const { rss, heapUsed } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    send({ kind: 'figures', rssBytes: rss, heapBytes: heapUsed, cpuSeconds: (user + system) / 1e6 })
  } else if (message === 'arrive') {
    await arrive()
  } else {
    await server.close()
    await stores.close()
    process.disconnect()
  }
})
send({ kind: 'ready', url: server.url })

import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from './core/clock.ts'
import { type AnnotatorData, mustEnd, runAnnotatorThread } from './main-annotator.ts'
import { embeddedStores } from './main-embedded-stores.ts'
import { createKeys } from './main-keys.ts'
import { createProcessor } from './services/annotating/processor.ts'
import { createLoggedStories, openStoryLog } from './services/annotating/story-log.ts'
import { openDatabase } from './store/embedded/database.ts'
import { paths } from './store/embedded/folder.ts'
import { catalogMigrations } from './store/embedded/schema-catalog.ts'

/** A filtering processor in a thread of its own, on the embedded store. */
const { folder, config, orders, part, parts, storyMemory } = workerData as AnnotatorData

const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true, cacheKib: 4096 })
const stores = embeddedStores(folder, db)
const log = openStoryLog(storyMemory)
log.load(await stores.annotations.stories(100_000))

await runAnnotatorThread(parentPort!, {
  mustEnd: () => mustEnd(orders),
  create: async (events) =>
    createProcessor({
      stores,
      stories: createLoggedStories(log, stores.annotations),
      config,
      clock: systemClock,
      keyOf: createKeys(config, stores.seed),
      part,
      parts,
      events,
    }),
})
await stores.close()

import { parentPort, workerData } from 'node:worker_threads'
import { createBodyReader } from './cache/body-reader.ts'
import { omitRulesOf } from './config/source-rules.ts'
import { systemClock } from './core/clock.ts'
import { isAppError } from './core/errors.ts'
import { createOmitRules } from './core/text/omit-rules.ts'
import { type AnnotatorData, annotatorOrders, type FromAnnotator } from './main-annotator.ts'
import { createKeys } from './main-keys.ts'
import { createAnnotateTask } from './services/annotating/annotate-task.ts'
import { createBuiltInScorers } from './services/annotating/built-in-scorers.ts'
import { createLanding } from './services/annotating/landing.ts'
import { createRecipients } from './services/annotating/recipients.ts'
import { openStoryLog } from './services/annotating/story-log.ts'
import { createProfileMirror } from './services/profiles/profile-mirror.ts'
import type { Task } from './store/annotations.ts'
import { createEmbeddedAnnotations } from './store/embedded/annotations.ts'
import { openDatabase } from './store/embedded/database.ts'
import { paths, readFacts } from './store/embedded/folder.ts'
import { createEmbeddedObjects } from './store/embedded/objects.ts'
import { createEmbeddedProfiles } from './store/embedded/profiles.ts'
import { catalogMigrations } from './store/embedded/schema-catalog.ts'
import { createEmbeddedVersions } from './store/embedded/versions.ts'
import { createEmbeddedWatches } from './store/embedded/watches.ts'

/**
 * A filtering processor in a thread of its own: takes the oldest tasks of its share of the documents, one after the other, and
 * settles each with its annotations. It rests when there are none and looks again when it is woken, or after a while.
 */
const { folder, config, orders, part, parts, storyMemory } = workerData as AnnotatorData
const port = parentPort!
const tell = (message: FromAnnotator): void => port.postMessage(message)

const BATCH = 64
const REST_MS = 500
const RETRY_MS = 1000

const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true, cacheKib: 4096 })
const versions = createEmbeddedVersions(db)
const annotations = createEmbeddedAnnotations(db)
const watches = createEmbeddedWatches(db)
const profiles = createEmbeddedProfiles(db)
const mirror = createProfileMirror(profiles)
const { scorers, learn } = createBuiltInScorers()
const recipients = createRecipients(scorers, (profile, message) =>
  tell({ kind: 'problem', message: 'a profile can not be matched', fields: { profile: profile.id, message } }),
)
const stories = openStoryLog(storyMemory)
const annotate = createAnnotateTask({
  versions,
  annotations,
  recipients,
  learn,
  stories,
  // First visits come to their end without a change of the profile that the mirror would see.
  async visitedAt({ id, profile, visitedAt }) {
    if (visitedAt > 0) return visitedAt
    return (await profiles.urdsOf(profile)).find((urd) => urd.id === id)?.visitedAt ?? 0
  },
  bodies: createBodyReader({ versions, objects: createEmbeddedObjects(db, paths.archive(folder)) }),
  omitFor: createOmitRules(omitRulesOf(config.sources)),
  clock: systemClock,
})

const mustEnd = (): boolean => Atomics.load(orders, annotatorOrders.end) === 1

const landing = createLanding({ versions, keyOf: createKeys(config, readFacts(db)?.seed ?? [0, 0]) })

async function refresh(tasks: readonly Task[]): Promise<void> {
  const changes = await mirror.refresh()
  if (changes !== null) recipients.apply(changes)
  const concerned = new Set(tasks.map(({ watch }) => watch))
  for (const { id, uri, landed } of await watches.find([...concerned])) {
    // The row says where it was at the end of the last check; this one may have led elsewhere.
    const place = (await landing(uri)) ?? landed
    if (place !== '') recipients.setLanded(id, place)
  }
}

/** False when there was nothing to do. */
async function work(): Promise<boolean> {
  const tasks = await annotations.tasks({ limit: BATCH, part, parts })
  if (tasks.length === 0) return false
  // After the tasks: whoever was there when a version was kept is known by now.
  await refresh(tasks)
  for (const task of tasks) {
    if (mustEnd()) return true
    const made = await annotate(task)
    if (made.length > 0) tell({ kind: 'annotated', ids: made.map(({ id }) => id) })
  }
  return true
}

let wake: () => void = () => {}
let wasWoken = false
port.on('message', () => {
  wasWoken = true
  wake()
})

/** Until `ms` have passed or somebody says that there is work. */
async function rest(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, wasWoken ? 0 : ms)
  wake = resolve
  await promise
  clearTimeout(timer)
  wasWoken = false
}

stories.load(await annotations.stories(100_000))
while (!mustEnd()) {
  try {
    if (!(await work())) await rest(REST_MS)
  } catch (error) {
    if (!isAppError(error) || error.retry === 'never') throw error
    tell({ kind: 'problem', message: 'the annotation engine waits', fields: { error: error.message } })
    await rest(RETRY_MS)
  }
}
db.close()
port.close()

import { createBodyReader } from '../../archive/body-reader.ts'
import type { Config } from '../../config/config.ts'
import { omitRulesOf } from '../../config/source-rules.ts'
import type { Clock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { createOmitRules } from '../../core/text/omit-rules.ts'
import type { Annotation, NearDuplicateStore, Task } from '../../store/contracts/annotations.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import { createProfileMirror } from '../profiles/profile-mirror.ts'
import { scorersOf } from '../scoring/scorers-of.ts'
import { createAnnotateTask, type Pause } from './annotate-task.ts'
import { createRecipients } from './recipients.ts'
import { createTaskAttempts } from './task-attempts.ts'

export type ProcessorDeps = {
  stores: Pick<StoreSet, 'annotations' | 'objects' | 'profiles' | 'versions' | 'watches'>
  nearDuplicates: NearDuplicateStore
  config: Config
  clock: Clock
  /** The key under which a URL is filed; null for an invalid one. */
  keyOf(url: string): DocumentKey | null
  /** Index of the processor, and the number of processors. */
  part: number
  parts: number
  /** How the previous processor died, if it did. */
  died?: string
  events: ProcessorEvents
}

export type ProcessorEvents = {
  /** A task was done or set aside, and created these annotations. */
  onSettled(ids: readonly number[]): void
  /** A task's partition now belongs to another worker, which repeats it. */
  onRefused(): void
  onProblem(message: string, fields: Record<string, unknown>): void
}

export type Processor = {
  /** Processes a batch of the oldest tasks of its share. Returns false if there was nothing it could do. */
  work(mustEnd: () => boolean): Promise<boolean>
}

const BATCH = 64
/** Maximum size of a small version, whose task takes milliseconds. */
const SMALL_BYTES = 200_000
/** Time a task runs before small ones get their turn. */
const SLICE_MS = 20

/**
 * A filtering processor: takes the oldest tasks of its share of the documents and settles each with its annotations. Small versions come
 * first, and while a large one is processed those that arrive meanwhile have their turn after each slice of it. The versions of one
 * document stay in order.
 */
export function createProcessor(deps: ProcessorDeps): Processor {
  const { stores, config, clock, part, parts, events } = deps
  const { annotations, objects, profiles, versions, watches } = stores
  const mirror = createProfileMirror(profiles)
  const { scorers, learn } = scorersOf(config, events.onProblem)
  const recipients = createRecipients(scorers, (profile, message) =>
    events.onProblem('a profile cannot be matched', { profile: profile.id, message }),
  )
  const landing = createLanding({ versions, keyOf: deps.keyOf })
  const annotate = createAnnotateTask({
    versions,
    annotations,
    recipients,
    learn,
    nearDuplicates: deps.nearDuplicates,
    // The end of a first visit doesn't change the profile, so the mirror doesn't see it.
    async visitedAt(urd) {
      if (urd.visitedAt === 0) {
        const stored = (await profiles.urdsOf(urd.profile)).find(({ id }) => id === urd.id)
        urd.visitedAt = stored?.visitedAt ?? 0
      }
      return urd.visitedAt
    },
    setAside: (urds, aside, asideUrl) => profiles.setUrds(urds, { aside, asideUrl }),
    setUrds: profiles.setUrds,
    onProblem: events.onProblem,
    bodies: createBodyReader({ versions, objects }),
    omitFor: createOmitRules(omitRulesOf(config.sources)),
    clock,
  })

  const problem = (message: string) => (task: Task, reason: string) =>
    events.onProblem(message, { version: task.versionId, watch: task.watch, reason })
  const attempts = createTaskAttempts({
    annotations,
    clock,
    died: deps.died ?? '',
    onFailed: problem('a version could not be processed and is tried again'),
    onSetAside: problem('a version could not be processed and was set aside'),
  })

  async function settle(task: Task, pause?: Pause): Promise<void> {
    let made: readonly Annotation[] = []
    await attempts.settle(task, async () => {
      made = await annotate(task, pause)
    })
    events.onSettled(made.map(({ id }) => id))
  }

  /** Pause function for the tasks of a batch: settles small tasks that arrived later. `left` are the unfinished tasks of the batch. */
  function createPause(newestOfBatch: number, left: ReadonlySet<Task>, mustEnd: () => boolean): Pause {
    /** Documents with a task that was skipped here. */
    const passed = new Set<number>()
    let newest = newestOfBatch
    let restedAt = clock.monotonic()

    function isSmall({ documentId, size, attempts }: Task): boolean {
      // A task begun before may kill the thread, and with it the paused one.
      if (size > SMALL_BYTES || attempts > 0 || passed.has(documentId)) return false
      return ![...left].some((task) => task.documentId === documentId)
    }

    return async () => {
      if (clock.monotonic() - restedAt < SLICE_MS || mustEnd()) return
      const later = await annotations.tasks({ limit: BATCH, part, parts, after: newest })
      const small: Task[] = []
      for (const task of later) {
        newest = task.id
        if (isSmall(task)) small.push(task)
        else passed.add(task.documentId)
      }
      if (small.length > 0) {
        await refresh(small)
        await attempts.begin(small)
        for (const task of small) if (!mustEnd()) await settle(task)
      }
      restedAt = clock.monotonic()
    }
  }

  async function refresh(tasks: readonly Task[]): Promise<void> {
    const changes = await mirror.refresh()
    if (changes !== null) recipients.apply(changes)
    const concerned = new Set(tasks.map(({ watch }) => watch))
    for (const { id, uri, landed } of await watches.find([...concerned])) {
      // The row has the landing URL of the last check; this one may have led elsewhere.
      const place = (await landing(uri)) ?? landed
      if (place !== '') recipients.setLanded(id, place)
    }
  }

  return {
    async work(mustEnd) {
      const tasks = await annotations.tasks({ limit: BATCH, part, parts })
      if (tasks.length === 0) return false
      // Refresh after reading the tasks, so that all profiles that existed when a version was stored are known.
      await refresh(tasks)
      await attempts.begin(tasks)
      const left = new Set(tasks)
      const pause = createPause(tasks.at(-1)!.id, left, mustEnd)
      for (const task of smallFirst(tasks)) {
        if (mustEnd()) {
          await attempts.giveBack()
          return true
        }
        try {
          await settle(task, pause)
          left.delete(task)
        } catch (error) {
          if (!isAppError(error, 'lease-lost')) throw error
          events.onRefused()
          await attempts.giveBack()
          // The new owners of the partitions will be known in a moment.
          return false
        }
      }
      return true
    },
  }
}

/** Moves documents with a large version to the end, keeping the order otherwise. */
function smallFirst(tasks: readonly Task[]): Task[] {
  const large = new Set(tasks.flatMap(({ documentId, size }) => (size > SMALL_BYTES ? [documentId] : [])))
  const isLarge = ({ documentId }: Task): boolean => large.has(documentId)
  return [...tasks.filter((task) => !isLarge(task)), ...tasks.filter(isLarge)]
}

type LandingDeps = {
  versions: Pick<VersionStore, 'document'>
  /** The key under which a URL is filed; null for an invalid one. */
  keyOf(url: string): DocumentKey | null
}

/** As many as any crawl follows; also ends redirect loops. */
const MAX_REDIRECTS = 20

/**
 * Resolves where a source redirects to, from the archive; null if it does not. A redirect is stored before its target is
 * fetched, so a version from there can be traced back to its source even before the check is over.
 */
export function createLanding({ versions, keyOf }: LandingDeps): (uri: string) => Promise<string | null> {
  return async (uri) => {
    let url = uri
    for (let n = 0; n < MAX_REDIRECTS; n++) {
      const key = keyOf(url)
      const document = key === null ? null : await versions.document(key)
      if (document === null || document.location === '') break
      url = document.location
    }
    return url === uri ? null : url
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { deliveryDefaults, type Profile, partDefaults, type Source } from '../../src/core/profile.ts'
import { createProfileKeys } from '../../src/services/profiles/keyed-profile.ts'
import type { Annotation } from '../../src/store/contracts/annotations.ts'
import { createSqliteProfiles } from '../../src/store/sqlite/accounts/profiles.ts'
import { createSqliteCollectionRuns } from '../../src/store/sqlite/documents/collection-runs.ts'
import { createSqliteVersions } from '../../src/store/sqlite/documents/versions.ts'
import { type Database, openDatabase } from '../../src/store/sqlite/folder/database.ts'
import { openFolder, paths } from '../../src/store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../src/store/sqlite/folder/schema-catalog.ts'
import { createSqliteWatches } from '../../src/store/sqlite/frontier/watches.ts'
import { createSqliteAnnotations } from '../../src/store/sqlite/inbox/annotations.ts'
import { createSqliteInbox } from '../../src/store/sqlite/inbox/inbox.ts'
import { startErace } from '../kit/erace.ts'

/** A data folder that a test shares with a running `erace up`. */
export async function createUpFolder(folder: string) {
  await openFolder({ folder, holder: 'test', shards: 2 }).close()
  const db: Database = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  const profiles = createSqliteProfiles(db)
  const annotations = createSqliteAnnotations(db)
  const watches = createSqliteWatches(db)
  const collectionRuns = createSqliteCollectionRuns(db)
  const inbox = createSqliteInbox(db)
  const versions = createSqliteVersions(db)
  const keyed = createProfileKeys({})
  return {
    profiles,
    watches,
    collectionRuns,
    put: (...given: Profile[]) => profiles.put(given.map(keyed)),
    countTasks: annotations.countTasks,
    /** Whether an annotation was read and its version collected since. */
    async wasCollected(owner: string, id: number): Promise<boolean> {
      const item = await inbox.find(owner, id)
      return item?.read === true && (await versions.version(item.versionId)) === null
    },
    async annotations(): Promise<Annotation[]> {
      return annotations.list({ after: 0, limit: 1_000_000 })
    },
    start: (settings: Record<string, string> = {}) =>
      startErace(['up', '--json', '--data', folder], {
        ERACE_NETWORK_ALLOW: '127.0.0.0/8',
        ERACE_SCHEDULE_MINEVERY: '200ms',
        ERACE_CRAWL_DELAY: '0',
        ERACE_CRAWL_DELAYFACTOR: '0',
        ERACE_CRAWL_PERHOST: '8',
        ERACE_SERVER_PORT: '0',
        // Tests send requests faster than users do.
        ERACE_SERVER_REQUESTSPERMINUTE: '1000000',
        ...settings,
      }),
    close: () => db.close(),
  }
}

/** Lifts all rate limits of checks. */
export const noCheckLimits = {
  ERACE_SCHEDULE_CHECKSPERSECOND: '100000',
  ERACE_SCHEDULE_PERUSERPERSECOND: '100000',
  ERACE_SCHEDULE_PERHOSTPERSECOND: '100000',
}

export type UpFolder = Awaited<ReturnType<typeof createUpFolder>>

export function sourceOf(uri: string, parts: Partial<Source> = {}): Source {
  return {
    uri,
    everyMs: 500,
    everyMaxMs: 500,
    depth: 0,
    scope: { kind: 'host' },
    process: 'filter',
    window: null,
    ...partDefaults,
    ...parts,
  }
}

export function profileOf(
  id: string,
  owner: string,
  sources: Source[],
  keywords: Record<string, number>,
  parts: Partial<Profile['interests']> & Partial<Pick<Profile, 'paused' | 'urgency'>> = {},
): Profile {
  const { paused = false, urgency = 1, ...interests } = parts
  return {
    id,
    owner,
    name: id,
    paused,
    sources,
    interests: {
      keywords: Object.entries(keywords).map(([key, weight]) => ({ key, weight })),
      exclude: [],
      expression: '',
      threshold: 1,
      stemming: '',
      scorer: 'keywords',
      ignore: [],
      match: 'change',
      ...interests,
    },
    urgency,
    amount: 'summary',
    delivery: deliveryDefaults,
  }
}

/** Pause between two polls, so that they don't take the CPU from what they wait for. */
const POLL_MS = 20

/** Polls until the condition holds. */
export async function until(what: string, holds: () => Promise<boolean> | boolean, limitMs = 90_000): Promise<void> {
  const endAt = performance.now() + limitMs
  while (!(await holds())) {
    if (performance.now() > endAt) throw new Error(`timed out waiting for: ${what}`)
    await pause(POLL_MS)
  }
}

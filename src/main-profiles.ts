import { existsSync } from 'node:fs'
import { availableParallelism, hostname } from 'node:os'
import { createBodyReader } from './cache/body-reader.ts'
import type { Engine, Place } from './cli/engine.ts'
import type { Config } from './config/config.ts'
import { omitRulesOf } from './config/source-rules.ts'
import { systemClock } from './core/clock.ts'
import type { PreviewProgress, PreviewReport } from './core/preview-report.ts'
import type { ProfileUrd } from './core/profile-draft.ts'
import { createOmitRules } from './core/text/omit-rules.ts'
import { previewProfile } from './services/preview/preview-profile.ts'
import { createProfileKeys, namingOf } from './services/profiles/keyed-profile.ts'
import { createProfileBase } from './services/profiles/profile-base.ts'
import { eachProfile, importProfiles as importInto } from './services/profiles/profile-import.ts'
import { urdsOf } from './services/profiles/urd-values.ts'
import { type Database, openDatabase } from './store/embedded/database.ts'
import { openCatalogForReading, openFolder, paths } from './store/embedded/folder.ts'
import { createEmbeddedObjects } from './store/embedded/objects.ts'
import { createEmbeddedProfiles } from './store/embedded/profiles.ts'
import { catalogMigrations } from './store/embedded/schema-catalog.ts'
import { createEmbeddedVersions } from './store/embedded/versions.ts'
import { createEmbeddedWatches } from './store/embedded/watches.ts'

/** The profile base on the embedded store, beside whoever else uses the data folder. */
export const importProfiles: Engine['importProfiles'] = async ({ dataDir, config }, profiles) => {
  const db = await openForProfiles(dataDir, config)
  try {
    return await importInto(createEmbeddedProfiles(db), createProfileKeys(namingOf(config)), profiles)
  } finally {
    db.close()
  }
}

export const exportProfiles: Engine['exportProfiles'] = async ({ dataDir }, owner) => {
  const db = openCatalogForReading(dataDir)
  return closing(db, eachProfile(createEmbeddedProfiles(db), owner))
}

export const exportUrds: Engine['exportUrds'] = async (place, owner) => {
  const db = openCatalogForReading(place.dataDir)
  return closing(db, eachUrd(db, owner))
}

export const queryProfiles: Engine['queryProfiles'] = async ({ dataDir }: Place, xpath, owner) => {
  const db = openCatalogForReading(dataDir)
  const base = createProfileBase()
  try {
    const profiles = createEmbeddedProfiles(db)
    const version = await profiles.revision()
    return await base.query(
      { key: owner ?? '', version, profiles: () => eachProfile(profiles, owner), urds: () => eachUrd(db, owner) },
      xpath,
    )
  } finally {
    await base.end()
    db.close()
  }
}

export const previewProfiles: Engine['previewProfiles'] = async ({ dataDir, config }, profiles, request, hooks) => {
  const db = openCatalogForReading(dataDir)
  try {
    const versions = createEmbeddedVersions(db)
    const watches = await createEmbeddedWatches(db).all()
    const deps = {
      versions,
      bodies: createBodyReader({ versions, objects: createEmbeddedObjects(db, paths.archive(dataDir)) }),
      omitFor: createOmitRules(omitRulesOf(config.sources)),
      clock: systemClock,
      landed: new Map(watches.flatMap(({ uri, landed }) => (landed === '' ? [] : [[uri, landed]]))),
    }
    const keyed = createProfileKeys(namingOf(config))
    const reports: PreviewReport[] = []
    for (const [profile, draft] of profiles.entries()) {
      // Sources are named as they would be once it is saved.
      const named = keyed({ ...draft, id: '', owner: '' }).profile
      const onProgress = (progress: PreviewProgress): void => hooks.onProgress({ ...progress, profile })
      reports.push(await previewProfile(deps, named, { ...request, onProgress, signal: hooks.signal }))
    }
    return reports
  } finally {
    db.close()
  }
}

async function* eachUrd(db: Database, owner: string | null): AsyncGenerator<ProfileUrd> {
  const profiles = createEmbeddedProfiles(db)
  const checkedAt = new Map((await createEmbeddedWatches(db).all()).map((watch) => [watch.id, watch.checkedAt]))
  for await (const profile of eachProfile(profiles, owner)) {
    const rows = await profiles.urdsOf(profile.id)
    yield* urdsOf(profile, (place) => {
      const row = rows.find((urd) => urd.place === place)
      return { id: String(row?.id ?? `${profile.id}-${place}`), lastCheckedAt: checkedAt.get(row?.watch ?? 0) ?? 0 }
    })
  }
}

/** A folder that is not there yet is made: profiles may come before anything was fetched. */
async function openForProfiles(folder: string, config: Config): Promise<Database> {
  if (!existsSync(paths.catalog(folder))) {
    const shards = config.crawl.threads === 0 ? availableParallelism() : config.crawl.threads
    await openFolder({ folder, holder: `process ${process.pid} on ${hostname()}`, shards }).close()
  }
  return openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
}

async function* closing<T>(db: Database, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items
  } finally {
    db.close()
  }
}

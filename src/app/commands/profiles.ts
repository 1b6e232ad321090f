import { createBodyReader } from '../../archive/body-reader.ts'
import type { Engine } from '../../cli/engine.ts'
import { omitRulesOf } from '../../config/source-rules.ts'
import { systemClock } from '../../core/clock.ts'
import type { ProfileUrd } from '../../core/profile.ts'
import type { PreviewProgress, PreviewReport } from '../../core/reports/profile-report.ts'
import { createOmitRules } from '../../core/text/omit-rules.ts'
import { namingOf } from '../../crawl/normalize/naming.ts'
import { previewProfile } from '../../services/preview/preview-profile.ts'
import { createProfileBase } from '../../services/profiles/base/profile-base.ts'
import { createProfileKeys } from '../../services/profiles/keyed-profile.ts'
import { eachProfile, importProfiles as importInto } from '../../services/profiles/profile-import.ts'
import { urdsOf } from '../../services/profiles/values/urd-values.ts'
import { openStores, withStores } from '../engines/open-engine.ts'
import type { TargetStores } from '../engines/target.ts'

/** The profile base, while others may use it. Profiles may be created before anything is fetched. */
export const importProfiles: Engine['importProfiles'] = (target, profiles) =>
  withStores(target, 'create', (stores) =>
    importInto(stores.profiles, createProfileKeys(namingOf(target.config.crawl)), profiles),
  )

export const exportProfiles: Engine['exportProfiles'] = async (target, owner) => {
  const stores = await openStores(target)
  return closing(stores, eachProfile(stores.profiles, owner))
}

export const exportUrds: Engine['exportUrds'] = async (target, owner) => {
  const stores = await openStores(target)
  return closing(stores, eachUrd(stores, owner))
}

export const queryProfiles: Engine['queryProfiles'] = (target, xpath, owner) =>
  withStores(target, 'read', async (stores) => {
    const { profiles } = stores
    const base = createProfileBase()
    try {
      const version = await profiles.revision()
      return await base.query(
        { key: owner ?? '', version, profiles: () => eachProfile(profiles, owner), urds: () => eachUrd(stores, owner) },
        xpath,
      )
    } finally {
      await base.end()
    }
  })

export const previewProfiles: Engine['previewProfiles'] = (target, profiles, request, hooks) =>
  withStores(target, 'read', async ({ versions, objects, watches }) => {
    const { config } = target
    const deps = {
      versions,
      bodies: createBodyReader({ versions, objects }),
      omitFor: createOmitRules(omitRulesOf(config.sources)),
      clock: systemClock,
      landed: new Map((await watches.all()).flatMap(({ uri, landed }) => (landed === '' ? [] : [[uri, landed]]))),
    }
    const keyed = createProfileKeys(namingOf(config.crawl))
    const reports: PreviewReport[] = []
    for (const [profile, draft] of profiles.entries()) {
      // Sources get the same names as when the profile is saved.
      const named = keyed({ ...draft, id: '', owner: '' }).profile
      const onProgress = (progress: PreviewProgress): void => hooks.onProgress({ ...progress, profile })
      reports.push(await previewProfile(deps, named, { ...request, onProgress, signal: hooks.signal }))
    }
    return reports
  })

type UrdStores = Pick<TargetStores, 'profiles' | 'watches'>

async function* eachUrd({ profiles, watches }: UrdStores, owner: string | null): AsyncGenerator<ProfileUrd> {
  const checkedAt = new Map((await watches.all()).map((watch) => [watch.id, watch.checkedAt]))
  for await (const profile of eachProfile(profiles, owner)) {
    const rows = await profiles.urdsOf(profile.id)
    yield* urdsOf(profile, (index) => {
      const row = rows.find((urd) => urd.place === index)
      return { id: String(row?.id ?? `${profile.id}-${index}`), lastCheckedAt: checkedAt.get(row?.watch ?? 0) ?? 0 }
    })
  }
}

async function* closing<T>(stores: TargetStores, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items
  } finally {
    await stores.close()
  }
}

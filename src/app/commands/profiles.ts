import { createBodyReader } from '../../archive/body-reader.ts'
import { aciText } from '../../archive/export/aci-export.ts'
import { createStats } from '../../archive/export/export-work.ts'
import { metaText } from '../../archive/export/meta-export.ts'
import { createRecordSource, type RecordSource } from '../../archive/export/record-source.ts'
import type { Engine } from '../../cli/engine.ts'
import { omitRulesOf } from '../../config/source-rules.ts'
import { systemClock } from '../../core/clock.ts'
import type { ProfileUrd } from '../../core/profile.ts'
import type { PreviewProgress, PreviewReport, QueryTarget } from '../../core/reports/profile-report.ts'
import { createOmitRules } from '../../core/text/omit-rules.ts'
import { createKeys } from '../../crawl/normalize/document-keys.ts'
import { namingOf } from '../../crawl/normalize/naming.ts'
import { importAcis as importAcisInto } from '../../services/inbox/aci-import.ts'
import { previewProfile } from '../../services/preview/preview-profile.ts'
import { createProfileBase, profileBaseText } from '../../services/profiles/base/profile-base.ts'
import { createProfileKeys } from '../../services/profiles/keyed-profile.ts'
import { eachProfile, importProfiles as importInto } from '../../services/profiles/profile-import.ts'
import { urdsOf, writtenUrd } from '../../services/profiles/values/urd-values.ts'
import { writeUrds } from '../../xml/profile/urd.ts'
import { openStores, withStores } from '../engines/open-engine.ts'
import type { TargetStores } from '../engines/target.ts'
import { createSourceSpelling } from '../protocols.ts'

/** The profile base, while others may use it. Profiles may be created before anything is fetched. */
export const importProfiles: Engine['importProfiles'] = (target, profiles) =>
  withStores(target, 'create', (stores) => {
    const keyed = createProfileKeys(namingOf(target.config.crawl), createSourceSpelling(target.config))
    return importInto({ ...stores, store: stores.profiles, keyed }, profiles)
  })

export const exportProfiles: Engine['exportProfiles'] = async (target, owner) => {
  const stores = await openStores(target)
  return closing(stores, eachProfile(stores.profiles, owner))
}

export const exportUrds: Engine['exportUrds'] = async (target, owner) => {
  const stores = await openStores(target)
  return closing(stores, eachUrd(stores, owner))
}

/** Annotations of another system. */
export const importAcis: Engine['importAcis'] = (target, acis, request) =>
  withStores(target, 'create', (stores) =>
    importAcisInto({ ...stores, keyOf: createKeys(target.config, stores.seed) }, acis, request),
  )

export const query: Engine['query'] = (target, { query: text, over, owner }) =>
  withStores(target, 'read', async (stores) => {
    const base = createProfileBase()
    const source = createRecordSource(stores)
    try {
      return await base.query({ key: over, version: 0, text: () => queriedText(stores, source, over, owner) }, text)
    } finally {
      await base.end()
      source.close()
    }
  })

function queriedText(
  stores: TargetStores,
  source: RecordSource,
  over: QueryTarget,
  owner: string | null,
): AsyncIterable<string> {
  const { profiles, annotations, versions } = stores
  switch (over) {
    case 'profiles':
      return profileBaseText(eachProfile(profiles, owner), eachUrd(stores, owner))
    case 'urds':
      return writeUrds(mapped(eachUrd(stores, owner), writtenUrd))
    case 'annotations':
      return aciText(annotations, owner, systemClock.now())
    case 'meta':
      return metaText({ versions, source, stats: createStats(new AbortController().signal, () => {}) })
  }
}

async function* mapped<T, U>(items: AsyncIterable<T>, map: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield map(item)
}

export const previewProfiles: Engine['previewProfiles'] = (target, profiles, request, hooks) =>
  withStores(target, 'read', async ({ versions, objects, watches }) => {
    const { config } = target
    const deps = {
      versions,
      bodies: createBodyReader({ versions, objects }),
      omitFor: createOmitRules(omitRulesOf(config.sources)),
      clock: systemClock,
      config,
      landed: new Map((await watches.all()).flatMap(({ uri, landed }) => (landed === '' ? [] : [[uri, landed]]))),
    }
    const keyed = createProfileKeys(namingOf(config.crawl), createSourceSpelling(config))
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

import { randomUUID } from 'node:crypto'
import type { ImportedProfile, Profile } from '../../core/profile.ts'
import type { ProfileImportReport } from '../../core/reports/profile-report.ts'
import type { KeyedProfile, ProfileStore } from '../../store/contracts/profiles.ts'

/** Adds profiles to the base, all or none. One with the same id is replaced only if it is the owner's. */
export async function importProfiles(
  store: ProfileStore,
  keyed: (profile: Profile) => KeyedProfile,
  imported: readonly ImportedProfile[],
): Promise<ProfileImportReport> {
  const report: ProfileImportReport = { created: 0, replaced: 0, profiles: [] }
  const ready: KeyedProfile[] = []
  for (const { id, owner, profile } of imported) {
    const before = id === null ? null : await store.find(id)
    const isOwn = before !== null && before.owner === owner
    if (isOwn) report.replaced++
    else report.created++
    const ownId = id === null || (before !== null && !isOwn) ? randomUUID() : id
    ready.push(keyed({ ...profile, id: ownId, owner }))
    report.profiles.push({ id: ownId, owner, name: profile.name })
  }
  await store.put(ready)
  return report
}

/** All profiles of an owner, or of everyone for null, a page at a time. */
export async function* eachProfile(store: ProfileStore, owner: string | null): AsyncGenerator<Profile> {
  for (let after = ''; ; ) {
    const page = await store.list({ after, limit: 500, ...(owner === null ? {} : { owner }) })
    yield* page
    if (page.length === 0) return
    after = page.at(-1)!.id
  }
}

import { randomUUID } from 'node:crypto'
import { InvalidInputError, type ValidationError } from '../../config/validation-errors.ts'
import { type ImportedProfile, type Profile, pushChannels } from '../../core/profile.ts'
import type { ProfileImportReport } from '../../core/reports/profile-report.ts'
import type { ChannelStore } from '../../store/contracts/channels.ts'
import type { CredentialStore } from '../../store/contracts/credentials.ts'
import type { KeyedProfile, ProfileStore } from '../../store/contracts/profiles.ts'
import { shown } from './values/plain-values.ts'

export type ProfileImportDeps = {
  store: ProfileStore
  channels: Pick<ChannelStore, 'list'>
  credentials: Pick<CredentialStore, 'list'>
  keyed(profile: Profile): KeyedProfile
}

/** Adds profiles to the base, all or none. One with the same id is replaced only if it is the owner's. */
export async function importProfiles(
  { store, channels, credentials, keyed }: ProfileImportDeps,
  imported: readonly ImportedProfile[],
): Promise<ProfileImportReport> {
  const errors = [...(await unknownChannels(channels, imported)), ...(await unknownCredentials(credentials, imported))]
  if (errors.length > 0) throw new InvalidInputError('usage-wrong', errors)
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

/** Imported profiles may name channels of another system. */
async function unknownChannels(
  channels: Pick<ChannelStore, 'list'>,
  imported: readonly ImportedProfile[],
): Promise<ValidationError[]> {
  const known = new Map<string, Set<string>>()
  const errors: ValidationError[] = []
  for (const { owner, profile } of imported) {
    const named = pushChannels(profile.delivery)
    if (named.length === 0) continue
    const own = known.get(owner) ?? new Set((await channels.list(owner)).map(({ id }) => id))
    known.set(owner, own)
    for (const id of named)
      if (!own.has(id))
        errors.push({
          place: profile.name,
          message: `unknown channel ${shown(id)}: ${owner} has none with this id; add it with "erace channel add" and use its id, or remove it from the file`,
        })
  }
  return errors
}

/** Files only name credentials; the credentials themselves are never exported. */
async function unknownCredentials(
  credentials: Pick<CredentialStore, 'list'>,
  imported: readonly ImportedProfile[],
): Promise<ValidationError[]> {
  const known = new Map<string, Set<string>>()
  const errors: ValidationError[] = []
  for (const { owner, profile } of imported) {
    const named = new Set(profile.sources.map((source) => source.credentials))
    named.delete('')
    if (named.size === 0) continue
    const own = known.get(owner) ?? new Set((await credentials.list(owner)).map(({ name }) => name))
    known.set(owner, own)
    for (const name of named)
      if (!own.has(name))
        errors.push({
          place: profile.name,
          message: `${owner} has no credentials named ${shown(name)}; add them with "erace credential add"`,
        })
  }
  return errors
}

/** All profiles of an owner, or of everyone for null, a page at a time. */
export async function* eachProfile(store: Pick<ProfileStore, 'list'>, owner: string | null): AsyncGenerator<Profile> {
  for (let after = ''; ; ) {
    const page = await store.list({ after, limit: 500, ...(owner === null ? {} : { owner }) })
    yield* page
    if (page.length === 0) return
    after = page.at(-1)!.id
  }
}

import { InvalidInputError, type ValidationError } from '../../config/validation-errors.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import { credentialsId } from '../../core/url/access.ts'
import type { CredentialStore, StoredCredentials } from '../../store/contracts/credentials.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import { eachProfile } from '../profiles/profile-import.ts'
import { type CredentialKind, credentialKinds, readCredentialValues } from './credential-kinds.ts'
import type { CredentialsKey } from './credentials-key.ts'
import { type SecretValues, seal, unseal } from './sealing.ts'

/**
 * The credentials of one owner at a time; those of others are treated as missing. Results never contain a secret. Validation errors are
 * thrown together, as `request-invalid`.
 */
export type CredentialService = {
  list(owner: string): Promise<ShownCredentials[]>
  find(owner: string, id: string): Promise<ShownCredentials | null>
  add(owner: string, draft: CredentialsInput & { name: string }): Promise<ShownCredentials>
  /** Omitted values stay as they are if the kind is the same. Null if the owner has none with that id. */
  replace(owner: string, id: string, by: CredentialsInput): Promise<ShownCredentials | null>
  /** Throws while a profile uses them. Returns false if the owner has none with that id. */
  remove(owner: string, id: string): Promise<boolean>
}

export type CredentialsInput = { kind: string; values: SecretValues }

export type ShownCredentials = Omit<StoredCredentials, 'owner' | 'sealed' | 'failures'> & {
  /** Why they can't be used at all; '' if they can. */
  problem: string
  /** The owner's profiles that use them. */
  profiles: readonly { id: string; name: string }[]
}

export type CredentialServiceDeps = {
  credentials: CredentialStore
  profiles: Pick<ProfileStore, 'list'>
  key: CredentialsKey
  clock: Clock
}

export const credentialLimits = { perOwner: 200, nameLength: 100 }
const MAX_NAMED = 5

export function createCredentialService({
  credentials,
  profiles,
  key,
  clock,
}: CredentialServiceDeps): CredentialService {
  async function ownOf(owner: string, id: string): Promise<StoredCredentials | null> {
    const found = await credentials.find(id)
    return found?.owner === owner ? found : null
  }

  async function shown(owner: string, list: readonly StoredCredentials[]): Promise<ShownCredentials[]> {
    const users = new Map<string, { id: string; name: string }[]>(list.map(({ name }) => [name, []]))
    if (list.length > 0)
      for await (const { id, name, sources } of eachProfile(profiles, owner))
        for (const used of new Set(sources.map((source) => source.credentials))) users.get(used)?.push({ id, name })
    return list.map(({ owner: _, sealed, failures: __, ...rest }) => ({
      ...rest,
      problem: problemOf({ ...rest, owner, sealed }),
      profiles: users.get(rest.name) ?? [],
    }))
  }

  function problemOf({ sealed, ...whose }: { id: string; owner: string; name: string; sealed: Buffer }): string {
    try {
      unseal(key, whose, sealed)
      return ''
    } catch (error) {
      if (!isAppError(error, 'credentials-locked')) throw error
      return error.message
    }
  }

  /** Null if they are of another kind or can't be read any more: then all values have to be entered again. */
  function knownValues(stored: StoredCredentials, kind: string): SecretValues | null {
    if (stored.kind !== kind || problemOf(stored) !== '') return null
    return unseal(key, stored, stored.sealed)
  }

  function checkedValues(
    { kind: given, values }: CredentialsInput,
    known: SecretValues | null,
    errors: ValidationError[],
  ) {
    const kind: CredentialKind | undefined = credentialKinds.find((each) => each === given)
    if (kind === undefined)
      throw invalid([...errors, { place: 'kind', message: `expected ${credentialKinds.join(', ')}` }])
    const read = readCredentialValues(kind, values, known)
    if (read.kind === 'invalid' || errors.length > 0)
      throw invalid([...errors, ...(read.kind === 'invalid' ? read.errors : [])])
    return { kind, values: read.values, hint: read.hint }
  }

  return {
    list: async (owner) => shown(owner, await credentials.list(owner)),
    async find(owner, id) {
      const found = await ownOf(owner, id)
      return found === null ? null : (await shown(owner, [found]))[0]!
    },
    async add(owner, draft) {
      const { name, errors } = readName(draft.name)
      const { kind, values, hint } = checkedValues(draft, null, errors)
      const held = await credentials.list(owner)
      if (held.length >= credentialLimits.perOwner)
        throw new AppError(
          'request-invalid',
          `the limit is ${credentialLimits.perOwner} credentials; remove some first`,
        )
      key.make()
      const whose = { id: credentialsId(owner, name), owner, name }
      const sealed = seal(key, whose, { ...values, kind })
      if (!(await credentials.add({ ...whose, kind, hint, sealed, createdAt: clock.now() })))
        throw invalid([{ place: 'name', message: 'you have credentials of this name; choose another one' }])
      return (await shown(owner, [(await credentials.find(whose.id))!]))[0]!
    },
    async replace(owner, id, by) {
      const stored = await ownOf(owner, id)
      if (stored === null) return null
      const { kind, values, hint } = checkedValues(by, knownValues(stored, by.kind), [])
      key.make()
      const sealed = seal(key, stored, { ...values, kind })
      // Never the same as before, so that results with the earlier values aren't attributed to the new ones.
      const changedAt = Math.max(clock.now(), stored.changedAt + 1)
      if (!(await credentials.replace(owner, id, { kind, hint, sealed, changedAt }))) return null
      const changed = await credentials.find(id)
      return changed === null ? null : (await shown(owner, [changed]))[0]!
    },
    async remove(owner, id) {
      const stored = await ownOf(owner, id)
      if (stored === null) return false
      const [{ profiles: users }] = (await shown(owner, [stored])) as [ShownCredentials]
      if (users.length > 0)
        throw new AppError(
          'request-invalid',
          `${namesOf(users)} still ${users.length === 1 ? 'uses' : 'use'} these credentials`,
        )
      return credentials.remove(owner, id)
    },
  }
}

function namesOf(users: readonly { name: string }[]): string {
  const named = users.slice(0, MAX_NAMED).map(({ name }) => JSON.stringify(name))
  const more = users.length > MAX_NAMED ? [`${users.length - MAX_NAMED} more`] : []
  const list = new Intl.ListFormat('en').format([...named, ...more])
  return users.length === 1 ? `the profile ${list}` : `the profiles ${list}`
}

function readName(given: string): { name: string; errors: ValidationError[] } {
  const name = given.trim()
  const wrong =
    name === ''
      ? 'is empty'
      : name.length > credentialLimits.nameLength
        ? `is longer than ${credentialLimits.nameLength} characters`
        : /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)
          ? 'has line breaks or control characters in it'
          : null
  return { name, errors: wrong === null ? [] : [{ place: 'name', message: wrong }] }
}

const invalid = (errors: readonly ValidationError[]): InvalidInputError =>
  new InvalidInputError('request-invalid', errors)

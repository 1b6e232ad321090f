import { randomUUID } from 'node:crypto'
import type { ValidationError } from '../../config/validation-errors.ts'
import { AppError } from '../../core/errors.ts'
import { type Profile, pushChannels } from '../../core/profile.ts'
import type { KeyedProfile, ProfileStore } from '../../store/contracts/profiles.ts'
import { EXPECTED_EMAIL, emailOf } from '../accounts/account-text.ts'
import { createHoldings, type HoldingLimits } from './holdings.ts'
import { changeProfiles } from './profile-changes.ts'
import { eachProfile } from './profile-import.ts'
import type { ProfileBody, ProfileReading } from './profile-reading.ts'
import type { ReadBody } from './read-profile-body.ts'
import type { BelongingsOf } from './values/profile-values.ts'

/**
 * The profiles of one owner at a time; those of others are treated as missing. Deleting a profile keeps its annotations:
 * they belong to the owner and stay in the inbox. Changes are made one at a time, so that limits hold for concurrent
 * requests.
 */
export type ProfileService = {
  /** In order of id, after `after`. */
  list(owner: string, page: { after: string; limit: number }): Promise<Profile[]>
  find(owner: string, id: string): Promise<Profile | null>
  create(owner: string, body: ProfileBody): Promise<Outcome>
  replace(owner: string, id: string, body: ProfileBody): Promise<Outcome | { kind: 'unknown' }>
  /** False if there was none. */
  remove(owner: string, id: string): Promise<boolean>
  /** Removes a channel from all profiles of its owner. */
  dropChannel(owner: string, channel: string): Promise<void>
}

export type Outcome = { kind: 'profile'; profile: Profile } | { kind: 'invalid'; errors: ValidationError[] }

export type ProfileServiceDeps = {
  store: ProfileStore
  reading: ProfileReading
  keyed(profile: Profile): KeyedProfile
  /** The channels and credentials that the owner's profiles may name. */
  belongingsOf: BelongingsOf
  limits: HoldingLimits
  /** Sources were added or removed. */
  onChange?(): void
}

const MAX_RACES = 50

export function createProfileService(deps: ProfileServiceDeps): ProfileService {
  const { store, reading, keyed, belongingsOf, limits, onChange } = deps
  const holdings = createHoldings(store, limits)
  let before: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = before.then(work)
    before = result.catch(() => {})
    return result
  }

  async function find(owner: string, id: string): Promise<Profile | null> {
    const profile = await store.find(id)
    return profile?.owner === owner ? profile : null
  }

  async function put(profile: Profile, replaced: Profile | null): Promise<Outcome> {
    const ready = keyedOrErrors(profile, keyed)
    if ('kind' in ready) return ready
    // Optimistic locking: other servers change the base too, so the revision the limits were checked against must still be current.
    for (let race = 0; race < MAX_RACES; race++) {
      const { errors, revision } = await holdings.errorsOf(profile, replaced)
      if (errors.length > 0) return { kind: 'invalid', errors }
      if (!(await holdings.around(profile, replaced, () => store.put([ready], revision)))) continue
      onChange?.()
      return { kind: 'profile', profile: ready.profile }
    }
    throw new AppError('store-busy', 'the profiles are being changed by others all the time')
  }

  return {
    list: (owner, { after, limit }) => store.list({ after, limit, owner }),
    find,
    async create(owner, body) {
      const read = checked(await reading.read(body, await belongingsOf(owner)), owner, null)
      if (read.kind === 'invalid') return read
      return inTurn(() => put({ ...read.draft, id: randomUUID(), owner }, null))
    },
    async replace(owner, id, body) {
      // Errors must not reveal whether another user has a profile with that id.
      if ((await find(owner, id)) === null) return { kind: 'unknown' }
      const read = checked(await reading.read(body, await belongingsOf(owner)), owner, id)
      if (read.kind === 'invalid') return read
      return inTurn(async () => {
        const replaced = await find(owner, id)
        return replaced === null ? { kind: 'unknown' } : put({ ...read.draft, id, owner }, replaced)
      })
    },
    remove: (owner, id) =>
      inTurn(async () => {
        const profile = await find(owner, id)
        if (profile === null) return false
        await store.remove([id])
        onChange?.()
        return true
      }),
    dropChannel: (owner, channel) =>
      inTurn(async () => {
        await changeProfiles(store, async () => {
          const changed: KeyedProfile[] = []
          for await (const profile of eachProfile(store, owner))
            if (pushChannels(profile.delivery).includes(channel)) changed.push(keyed(withoutChannel(profile, channel)))
          return changed
        })
      }),
  }
}

function withoutChannel({ delivery, ...profile }: Profile, channel: string): Profile {
  const { channels, escalation } = delivery
  return {
    ...profile,
    delivery: {
      ...delivery,
      channels: channels.filter((each) => each !== channel),
      escalation: escalation?.channel === channel ? null : escalation,
    },
  }
}

/** A body may contain id and owner, as it does when it was read here before, but they must match. */
function checked(read: ReadBody, owner: string, id: string | null): ReadBody {
  if (read.kind === 'invalid') return read
  const errors: ValidationError[] = []
  if (read.id !== null && read.id !== id) {
    const message =
      id === null ? 'omit the id of a new profile; the server assigns it' : 'differs from the id in the URL'
    errors.push({ place: 'id', message })
  }
  const named = read.owner === null ? owner : emailOf(read.owner)
  if (named === null) errors.push({ place: 'owner', message: EXPECTED_EMAIL })
  else if (named !== owner) errors.push({ place: 'owner', message: 'is another user' })
  return errors.length > 0 ? { kind: 'invalid', errors } : read
}

function keyedOrErrors(profile: Profile, keyed: (profile: Profile) => KeyedProfile): KeyedProfile | Outcome {
  try {
    return keyed(profile)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { kind: 'invalid', errors: [{ place: 'sources', message: error.message }] }
  }
}

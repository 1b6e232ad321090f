import { readCadence } from '../../core/delivery/cadence.ts'
import { deliveryDefaults, type Profile, type ProfileDelivery, partDefaults, type Source } from '../../core/profile.ts'

type StoredSource = Omit<Source, keyof typeof partDefaults> & Partial<typeof partDefaults>

/** A profile from its stored JSON. Fields that older profiles lack get their defaults. */
export function storedProfile(body: string): Profile {
  const profile = JSON.parse(body) as Profile
  const sources = profile.sources as readonly StoredSource[]
  return {
    ...profile,
    sources: sources.map((source) => ({ ...partDefaults, ...source })),
    interests: {
      ...profile.interests,
      ignore: profile.interests.ignore ?? [],
      match: profile.interests.match ?? 'change',
    },
    delivery: storedDelivery(profile.delivery),
  }
}

/** Cadences were once stored unvalidated and unused: those that can't be parsed get the default. */
function storedDelivery(stored: Partial<ProfileDelivery>): ProfileDelivery {
  const delivery = { ...deliveryDefaults, ...stored }
  return readCadence(delivery.cadence) === null ? { ...delivery, cadence: deliveryDefaults.cadence } : delivery
}

import { readCadence } from '../../core/delivery/cadence.ts'
import { deliveryDefaults, type Profile, type ProfileDelivery, partDefaults, type Source } from '../../core/profile.ts'

type StoredSource = Omit<Source, keyof typeof partDefaults> & Partial<typeof partDefaults>

/** A profile from its stored JSON. What profiles of earlier times don't have gets its default. */
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

/** Cadences were once kept as they came, and not obeyed: those that can't be read count as the usual one. */
function storedDelivery(stored: Partial<ProfileDelivery>): ProfileDelivery {
  const delivery = { ...deliveryDefaults, ...stored }
  return readCadence(delivery.cadence) === null ? { ...delivery, cadence: deliveryDefaults.cadence } : delivery
}

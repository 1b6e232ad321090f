import { parseDuration } from '../../config/quantities.ts'
import type { Account } from '../../core/account.ts'
import { readCadence, readTime } from '../../core/delivery/cadence.ts'
import { type DeliveryPolicy, dueAt, endOfQuiet } from '../../core/delivery/due.ts'
import type { Amount, Profile } from '../../core/profile.ts'
import { isZone } from '../../core/time/zone-offset.ts'
import { mapConcurrent } from '../../core/work/map-concurrent.ts'
import type { AccountStore } from '../../store/contracts/accounts/accounts.ts'
import type { UnplannedEntry } from '../../store/contracts/deliveries.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'

/** How a profile wants to be notified: its own settings, with defaults from its owner's account. */
export type ProfilePolicy = DeliveryPolicy & {
  readonly name: string
  readonly amount: Amount
  readonly channels: ReadonlySet<string>
  readonly perHour: number | null
  readonly escalation: { readonly channel: string; readonly afterMs: number; readonly urgency: number } | null
}

/** Policies by profile id. Null if nothing is to be sent: the profile is gone, or its owner may not sign in. */
export type Policies = {
  of(profiles: Iterable<string>): Promise<ReadonlyMap<string, ProfilePolicy | null>>
}

const MAX_KNOWN = 20_000
/** Concurrent reads, limited to leave connections to the rest of the process. */
const AT_ONCE = 4
/** For accounts without a time zone. */
const NO_ZONE = 'UTC'

export function createPolicies(
  profiles: Pick<ProfileStore, 'find' | 'revision'>,
  accounts: Pick<AccountStore, 'findByEmail' | 'revision'>,
): Policies {
  let known = new Map<string, ProfilePolicy | null>()
  let stamp = ''
  const revisions = createSharedRead(async () => `${await profiles.revision()} ${await accounts.revision()}`)

  async function read(id: string): Promise<ProfilePolicy | null> {
    const profile = await profiles.find(id)
    const account = profile === null ? null : await accounts.findByEmail(profile.owner)
    return profile === null || account === null || account.disabled ? null : policyOf(profile, account)
  }

  return {
    async of(ids) {
      const current = await revisions()
      if (current !== stamp || known.size > MAX_KNOWN) known = new Map()
      stamp = current
      const mine = known
      const wanted = [...new Set(ids)]
      const unknown = wanted.filter((id) => !mine.has(id))
      await mapConcurrent(unknown, AT_ONCE, async (id) => mine.set(id, await read(id)))
      return new Map(wanted.map((id) => [id, mine.get(id)!]))
    },
  }
}

/** One read at a time. Calls during a read share the next one, so that each sees everything written before the call. */
function createSharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null
  let next: Promise<T> | null = null
  function begin(): Promise<T> {
    next = null
    const reading = read().finally(() => {
      if (current === reading) current = null
    })
    current = reading
    return reading
  }
  return () => {
    if (current === null) return begin()
    next ??= current.then(begin, begin)
    return next
  }
}

export function policyOf(
  { name, amount, delivery }: Pick<Profile, 'name' | 'amount' | 'delivery'>,
  { settings }: Pick<Account, 'settings'>,
): ProfilePolicy {
  const { notifications } = settings
  const zone = knownZone(settings.timeZone, NO_ZONE)
  const quiet =
    delivery.quiet !== null
      ? { ...delivery.quiet, zone: knownZone(delivery.quiet.zone, zone) }
      : notifications.quiet !== null
        ? { ...notifications.quiet, zone }
        : null
  const { escalation } = delivery
  return {
    ...{ name, amount, zone: quiet?.zone ?? zone, channels: new Set(delivery.channels) },
    cadence: readCadence(delivery.cadence) ?? { kind: 'immediate' },
    quiet:
      quiet === null
        ? null
        : { zone: quiet.zone, fromMinute: readTime(quiet.from) ?? 0, toMinute: readTime(quiet.to) ?? 0 },
    breaksThrough: delivery.urgentFrom ?? notifications.urgentFrom,
    perHour: delivery.perHour ?? notifications.perHour,
    escalation:
      escalation === null
        ? null
        : {
            channel: escalation.channel,
            afterMs: parseDuration(escalation.after) ?? 0,
            urgency: escalation.urgency,
          },
  }
}

/** Falls back for a zone unknown to this machine, so that messages are not held up. */
const knownZone = (zone: string, otherwise: string): string => (zone !== '' && isZone(zone) ? zone : otherwise)

/**
 * When an entry is due; null if it need not be sent. Counts from the creation of the annotation, so that entries found while nothing
 * could be planned are not delayed twice. A creation time in the future counts as now.
 */
export function plannedAt(
  policy: ProfilePolicy | null,
  { channel, urgency, createdAt }: Pick<UnplannedEntry, 'channel' | 'urgency' | 'createdAt'>,
  now: number,
): number | null {
  if (policy === null) return null
  const from = Math.min(createdAt, now)
  if (policy.channels.has(channel)) return dueAt(policy, urgency, from)
  const { escalation } = policy
  if (escalation === null || escalation.channel !== channel || urgency < escalation.urgency) return null
  return unlessQuiet(policy, urgency, from + escalation.afterMs)
}

/** `at`, or the end of the quiet hours it falls into. */
export function unlessQuiet({ quiet, breaksThrough }: ProfilePolicy, urgency: number, at: number): number {
  if (quiet === null || (breaksThrough !== null && urgency >= breaksThrough)) return at
  return endOfQuiet(quiet, at)
}

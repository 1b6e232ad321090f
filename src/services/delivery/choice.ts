import type { ChannelAgent } from '../../delivery/channel-agent.ts'
import type { DueEntry } from '../../store/contracts/deliveries.ts'
import { type ProfilePolicy, unlessQuiet } from './policies.ts'

/** What to do with the due entries of a channel. */
export type Choice = {
  /** The next message; null if nothing leaves now. */
  message: ChosenMessage | null
  /** No longer needed: read elsewhere, or not wanted by its profile any more. */
  drop: number[]
  /** Entries that must wait, by the time they wait for. */
  postpone: Map<number, number[]>
}

/** Annotations in the order of the message; the last `leftOut` of them are only counted. */
export type ChosenMessage = {
  kind: 'single' | 'digest'
  annotations: number[]
  profiles: string[]
  leftOut: number
}

export type ChoiceInput = {
  channel: string
  /** Due entries in the order of their annotations. */
  entries: readonly DueEntry[]
  policyOf: ReadonlyMap<string, ProfilePolicy | null>
  digest: ChannelAgent['digest']
  /** Messages sent on the channel within the last hour, latest first. */
  sent: readonly { at: number; profiles: readonly string[] }[]
  /** The last attempt failed: send everything gathered since in one message. */
  afterFailure: boolean
  now: number
}

const HOUR_MS = 3_600_000
/** More than this many at once go into one digest. */
export const MAX_SINGLES = 5

/**
 * Chooses the next message of a channel. An immediate entry gets a message of its own, unless it is one of many; entries that had to
 * wait leave together.
 */
export function chooseMessage(input: ChoiceInput): Choice {
  const { entries, afterFailure } = input
  const drop: number[] = []
  const postpone = new Map<number, number[]>()
  const ready: DueEntry[] = []
  const untilFree = createHourLimit(input)
  for (const entry of entries) {
    const policy = input.policyOf.get(entry.profile) ?? null
    if (policy === null || entry.isRead || !wants(policy, input.channel, entry)) drop.push(entry.annotation)
    else {
      const until = Math.max(unlessQuiet(policy, entry.urgency, input.now), untilFree(entry.profile, policy))
      if (until > input.now) addTo(postpone, until, entry.annotation)
      else ready.push(entry)
    }
  }
  const [first] = ready
  if (first === undefined) return { message: null, drop, postpone }
  const waited = ready.filter(hasWaited)
  const isTogether = afterFailure || waited.length > 0 || ready.length > MAX_SINGLES
  const chosen = isTogether ? (afterFailure || ready.length > MAX_SINGLES ? ready : waited) : [first]
  return { message: messageOf(chosen, input.digest), drop, postpone }
}

/** Whether the entry was not due as soon as it was created. */
const hasWaited = ({ dueAt, createdAt }: DueEntry): boolean => dueAt > createdAt

function wants({ channels, escalation }: ProfilePolicy, channel: string, { urgency }: DueEntry): boolean {
  return channels.has(channel) || (escalation?.channel === channel && urgency >= escalation.urgency)
}

/** When a profile may send again on the channel. */
function createHourLimit({ sent, now }: ChoiceInput): (profile: string, policy: ProfilePolicy) => number {
  const free = new Map<string, number>()
  return (profile, { perHour }) => {
    if (perHour === null) return now
    const known = free.get(profile)
    if (known !== undefined) return known
    const mine = sent.filter(({ at, profiles }) => at > now - HOUR_MS && at <= now && profiles.includes(profile))
    const from = mine.length < perHour ? now : mine[perHour - 1]!.at + HOUR_MS
    free.set(profile, from)
    return from
  }
}

function messageOf(entries: readonly DueEntry[], digest: ChannelAgent['digest']): ChosenMessage {
  const { maxItems, rest } = digest
  const told = rest === 'next' ? entries.slice(0, maxItems) : entries
  const groups = ranked(told, digest)
  const shown = groups.slice(0, maxItems).flat()
  const leftOut = groups.slice(maxItems).flat()
  return {
    kind: told.length === 1 ? 'single' : 'digest',
    annotations: [...shown, ...leftOut].map(({ annotation }) => annotation),
    profiles: [...new Set([...shown, ...leftOut].map(({ profile }) => profile))],
    leftOut: leftOut.length,
  }
}

/** Most urgent and relevant first, grouped by profile. Profiles are ordered by their best entry. */
function ranked(entries: readonly DueEntry[], digest: ChannelAgent['digest']): DueEntry[][] {
  const profiles = new Map<string, DueEntry[][]>()
  for (const group of joined(entries.toSorted(byRank), digest)) addTo(profiles, group[0]!.profile, group)
  return [...profiles.values()].flat()
}

function byRank(a: DueEntry, b: DueEntry): number {
  return b.urgency - a.urgency || b.relevance - a.relevance || a.annotation - b.annotation
}

/**
 * Groups near-duplicate pages of a profile, ordered by the first of each group. Two changes of one page stay separate, and so does
 * everything in messages for programs, which must miss nothing.
 */
export function joined<T extends { profile: string; documentId: number; cluster: number }>(
  list: readonly T[],
  { rest }: ChannelAgent['digest'],
): T[][] {
  if (rest === 'next') return list.map((each) => [each])
  const groups = new Map<string, T[]>()
  const seen = new Map<string, number>()
  for (const [place, each] of list.entries()) {
    const page = `${each.cluster} ${each.profile} ${each.documentId}`
    const turn = seen.get(page) ?? 0
    seen.set(page, turn + 1)
    addTo(groups, each.cluster === 0 ? `at ${place}` : `${each.cluster} ${each.profile} ${turn}`, each)
  }
  return [...groups.values()]
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

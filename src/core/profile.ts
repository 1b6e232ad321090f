import { credentialsId, type Render, withAccess } from './url/access.ts'

/** What one user watches: sources, interests and delivery. Times are milliseconds. */
export type Profile = {
  id: string
  owner: string
  name: string
  paused: boolean
  sources: readonly Source[]
  interests: Interests
  /** 1 is normal; higher goes first. */
  urgency: number
  amount: Amount
  delivery: ProfileDelivery
}

/** How much of a change a message contains: a summary, each change, or the new text as well. */
export const amounts = ['summary', 'change', 'full'] as const
export type Amount = (typeof amounts)[number]

/** Where annotations are sent, and when. Null means as in the account's notification settings. */
export type ProfileDelivery = {
  /** `inbox`, and ids of the owner's channels. */
  channels: readonly string[]
  /** Syntax as in `readCadence`. */
  cadence: string
  /** Quiet hours in local time, such as 22:00: nothing is sent then. `zone` is '' for the account's time zone. */
  quiet: { zone: string; from: string; to: string } | null
  /** Messages per hour on each channel. */
  perHour: number | null
  /** Annotations of at least this urgency wait neither for the cadence nor for the end of quiet hours. */
  urgentFrom: number | null
  /** Channel for annotations of at least this urgency that were not read in time; `after` is a duration, such as 30m. */
  escalation: { channel: string; after: string; urgency: number } | null
}

/** Default values of a profile's delivery, also for profiles stored before these fields existed. */
export const deliveryDefaults: ProfileDelivery = {
  channels: ['inbox'],
  cadence: 'immediate',
  quiet: null,
  perHour: null,
  urgentFrom: null,
  escalation: null,
}

/** All channels that annotations may be sent on. The inbox is not one of them: it reads annotations itself. */
export function pushChannels({ channels, escalation }: ProfileDelivery): string[] {
  const all = new Set(escalation === null ? channels : [...channels, escalation.channel])
  all.delete('inbox')
  return [...all]
}

/** One address to watch. Together with its profile it makes a URD. */
export type Source = {
  /** The address to watch. */
  uri: string
  /** The address as its owner wrote it, if `uri` was made from it by inserting the profile's keywords; otherwise ''. */
  template: string
  everyMs: number
  /** Longest interval for a source that doesn't change; equal to `everyMs` for a fixed interval. */
  everyMaxMs: number
  /** Maximum link depth from the source. */
  depth: number
  scope: Scope
  process: 'filter' | 'track' | 'archive'
  /** When it may be checked; null means always. */
  window: TimeWindow | null
  /** The parts of a page that count: CSS or XPath for HTML and XML, JSONPath for JSON, `/pattern/` for lines; empty for the whole page. */
  select: readonly string[]
  /** The parts to ignore, in the same languages. */
  omit: readonly string[]
  /** The aspects whose change counts, in the order of `aspects`. */
  aspects: readonly Aspect[]
  /** Conditions on prices and numbers, such as `below 30`: a change counts if one of them holds, or if there are none. */
  conditions: readonly string[]
  /** How pages are read: by the engine itself, or by a browser that runs their scripts. */
  render: Render
  /** Name of the owner's stored credentials; '' for none. */
  credentials: string
  /** Whether it is only polled, or announces its changes as well. */
  method: Method
}

export const methods = ['pull', 'push'] as const
export type Method = (typeof methods)[number]

export const aspects = ['text', 'links', 'images', 'title', 'description', 'data', 'status', 'headers'] as const
export type Aspect = (typeof aspects)[number]

/** Default values of a source, also for sources stored before these fields existed. */
export const partDefaults: Pick<
  Source,
  'template' | 'select' | 'omit' | 'aspects' | 'conditions' | 'render' | 'credentials' | 'method'
> = {
  template: '',
  select: [],
  omit: [],
  aspects: ['text', 'links'],
  conditions: [],
  render: 'http',
  credentials: '',
  method: 'pull',
}

/** The URI of a source's watch. It includes how the source is accessed, so that documents read with credentials are not shared. */
export function watchedUri(owner: string, source: Pick<Source, 'uri' | 'render' | 'credentials'>): string {
  const { uri, render, credentials } = source
  return withAccess(uri, { render, credentials: credentialsId(owner, credentials) })
}

/** The pages that belong to a source. */
export type Scope =
  | { kind: 'page' }
  | { kind: 'path' }
  | { kind: 'host' }
  | { kind: 'domain' }
  | { kind: 'pattern'; source: string }

export type TimeWindow = {
  /** IANA name. */
  zone: string
  /** 1 Monday … 7 Sunday. */
  days: readonly number[]
  /** Minutes of the local day. If `from` is later than `to`, the window crosses midnight. */
  fromMinute: number
  toMinute: number
}

export type Interests = {
  keywords: readonly Keyword[]
  /** Documents that contain one of these never match. */
  exclude: readonly string[]
  /** A condition in AND, OR, NOT, parentheses, phrases, `intitle:`, `site:`, `/regular expression/`; '' for none. */
  expression: string
  /** Minimum relevance. */
  threshold: number
  /** Language for comparing words by their stems: `auto` for the document's language, '' for no stemming. */
  stemming: string
  scorer: string
  /** Regular expressions: changes of matching text are ignored. Profiles of earlier versions have no such list; see `ignoredBy`. */
  ignore: readonly string[]
  /** Text to match: what was added or changed, or the whole page it is on. A new page always counts as a whole. */
  match: Match
}

export const matches = ['change', 'page'] as const
export type Match = (typeof matches)[number]

/** A word or phrase, and its weight. */
export type Keyword = { key: string; weight: number }

/** Share of the engine's capacity under overload. */
export type ServiceLevel = 'gold' | 'silver' | 'bronze'

/** A profile without an owner. */
export type ProfileDraft = Omit<Profile, 'id' | 'owner'>

/** Unified resource description: one source of one profile, complete in itself. */
export type ProfileUrd = Omit<Profile, 'name' | 'sources'> & {
  /** Id of the profile; '' if it comes from none. */
  profile: string
  source: Source
  /** Milliseconds since 1970; 0 for never. */
  lastCheckedAt: number
}

/** A profile to import. It replaces the profile of that id if the owner is the same; otherwise a new one is created. */
export type ImportedProfile = { id: string | null; owner: string; profile: ProfileDraft }

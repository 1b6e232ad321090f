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

/** How much of a change a message tells: a summary, each change, or the new text as well. */
export const amounts = ['summary', 'change', 'full'] as const
export type Amount = (typeof amounts)[number]

/** Where annotations go, and when. What is null here is as the account's notification settings say. */
export type ProfileDelivery = {
  /** `inbox`, and ids of the owner's channels. */
  channels: readonly string[]
  /** As `readCadence` reads it. */
  cadence: string
  /** Hours of the local day, such as 22:00, in which nothing is sent; `zone` is '' for that of the account. */
  quiet: { zone: string; from: string; to: string } | null
  /** Messages per hour on each channel. */
  perHour: number | null
  /** This urgent, an annotation waits neither for its time nor for the end of quiet hours. */
  urgentFrom: number | null
  /** Where an annotation of this urgency goes that was not read in time; `after` is a duration, such as 30m. */
  escalation: { channel: string; after: string; urgency: number } | null
}

/** What a profile has where nothing is said, and what those have that were stored before there was such a thing. */
export const deliveryDefaults: ProfileDelivery = {
  channels: ['inbox'],
  cadence: 'immediate',
  quiet: null,
  perHour: null,
  urgentFrom: null,
  escalation: null,
}

/** Every channel that an annotation may leave on. The inbox is none of them: it reads annotations itself. */
export function pushChannels({ channels, escalation }: ProfileDelivery): string[] {
  const all = new Set(escalation === null ? channels : [...channels, escalation.channel])
  all.delete('inbox')
  return [...all]
}

/** One address to watch. Together with its profile it makes a URD. */
export type Source = {
  /** What is watched. */
  uri: string
  /** The address as its owner wrote it, where the keywords of the profile were put into it to make `uri`; '' elsewhere. */
  template: string
  everyMs: number
  /** Longest interval that an unchanging source may be stretched to; equal to `everyMs` where it is fixed. */
  everyMaxMs: number
  /** Links to follow from the source. */
  depth: number
  scope: Scope
  process: 'filter' | 'track' | 'archive'
  /** When it may be checked; null means always. */
  window: TimeWindow | null
  /** The parts of a page that count: CSS or XPath for HTML and XML, JSONPath for JSON, `/pattern/` for lines; none: all of it. */
  select: readonly string[]
  /** In the same languages, the parts that don't. */
  omit: readonly string[]
  /** What makes a change, in the order of `aspects`. */
  aspects: readonly Aspect[]
  /** On prices and numbers, such as `below 30`; a change counts if one of them holds, without any each does. */
  conditions: readonly string[]
  /** By which program pages are read: by the engine itself, or by a browser that runs their scripts. */
  render: Render
  /** Name of the owner's stored credentials; '' for none. */
  credentials: string
  /** Whether it is asked in intervals only, or tells of news by itself as well. */
  method: Method
}

export const methods = ['pull', 'push'] as const
export type Method = (typeof methods)[number]

export const aspects = ['text', 'links', 'images', 'title', 'description', 'data', 'status', 'headers'] as const
export type Aspect = (typeof aspects)[number]

/** What a source has where nothing is said, and what those have that were stored before there was such a thing. */
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

/** The URI of a source's watch. It says how it is asked for, so that what is read with credentials is shared with nobody. */
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
  /** Minutes of the local day; `from` may be later than `to`: then it goes over midnight. */
  fromMinute: number
  toMinute: number
}

export type Interests = {
  keywords: readonly Keyword[]
  /** Documents with one of these never match. */
  exclude: readonly string[]
  /** A condition in AND, OR, NOT, parentheses, phrases, `intitle:`, `site:`, `/regular expression/`; '' for none. */
  expression: string
  /** Least relevance that matters. */
  threshold: number
  /** Whether words are compared by their stems, and of which language: `auto` for that of the document, '' for not. */
  stemming: string
  scorer: string
  /** Regular expressions: text whose change is none. Profiles of earlier times have no such list; see `ignoredBy`. */
  ignore: readonly string[]
  /** What they are held against: what was added or changed, or the page it is on. A new page always counts as a whole. */
  match: Match
}

export const matches = ['change', 'page'] as const
export type Match = (typeof matches)[number]

/** A word or a phrase, and what its presence is worth. */
export type Keyword = { key: string; weight: number }

/** Who gets how much of the engine under overload. */
export type ServiceLevel = 'gold' | 'silver' | 'bronze'

/** A profile without an owner. */
export type ProfileDraft = Omit<Profile, 'id' | 'owner'>

/** Unified resource description: one source of one profile, with all that is to be known of it. */
export type ProfileUrd = Omit<Profile, 'name' | 'sources'> & {
  /** Id of the profile; '' where it comes from none. */
  profile: string
  source: Source
  /** Milliseconds since 1970; 0 for never. */
  lastCheckedAt: number
}

/** A profile on its way into the base. The one of that id is replaced if it is the owner's; else a new one is made. */
export type ImportedProfile = { id: string | null; owner: string; profile: ProfileDraft }

import type { Clock } from '../../core/clock.ts'
import type { Fetcher } from './fetcher.ts'

/**
 * A protocol other than the web's: mail, news, databases, files, a browser. Frontier, politeness, archive, matching and delivery are
 * the same for all; a protocol only lists what there is at a URL, and reads one item of it.
 *
 * A URL is either an item (a file, a message) or a list (a folder, a mailbox, a newsgroup, a query). The items of a list are documents
 * of their own. Of those that are kept already, the body is not moved again: their validator is the same.
 */
export type Protocol = {
  /** In small letters, without the colon. */
  readonly schemes: readonly string[]
  readonly can: Abilities
  /**
   * The one spelling of a source's URL. Throws `url-invalid` for what isn't one: control characters, a path out of its root, a missing
   * part; the message says what is wrong with it, in words for its owner.
   */
  normalise(url: string): string
  /** Connects. Whatever fails, here and later, is an AppError; `sign-in-failed` where the credentials are refused. */
  open(place: Place): Promise<Session>
  /** Hears of news at a place, if `can.push`: `onNews` is called when it is worth asking. Ended by `close`, or by `onEnd` with the reason. */
  listen?(place: Place, heard: { onNews(): void; onEnd(error: Error): void }): Promise<Listener>
  /** Closes what is kept open between visits. */
  close(): Promise<void>
}

/** All protocols of a crawling thread. */
export type Protocols = {
  /** By their schemes. */
  readonly others: readonly Protocol[]
  /** For pages that are to be read in a browser. */
  readonly browser: Protocol
}

/** What protocols on top of the web's work with: the crawler's own client, with its address guard, limits and politeness. */
export type ProtocolTools = {
  fetch: Fetcher['fetch']
  /** Whether robots.txt allows it. */
  mayFetch(url: string): Promise<boolean>
  browserPages: BrowserPages
  clock: Clock
  log(level: 'debug' | 'info' | 'warn', message: string, fields?: Record<string, unknown>): void
}

/** Pages that are open in browsers, in all threads of the process. */
export type BrowserPages = {
  /** Counts one more, unless there are as many as that. */
  take(limit: number): boolean
  giveBack(): void
}

export type Abilities = {
  /** It is told without its body whether an item has changed. */
  readonly revalidate: boolean
  /** News are heard of without asking. */
  readonly push: boolean
  /** Lists lead to further lists. */
  readonly depth: boolean
  readonly credentials: 'none' | 'optional' | 'required'
}

/** What is to be read, and by which means. */
export type Place = {
  /** Without access; see `core/url/access.ts`. */
  url: string
  /** What its owner has given for it; null for nothing. */
  secret: Secret | null
  /**
   * An address of the host that the address guard lets through; connect to it and to no other. Throws `address-refused`, `dns-not-found`
   * or `dns-failed`.
   */
  resolve(host: string): Promise<string>
  /** Aborted when the time for the visit is over, or the crawl stops. */
  signal: AbortSignal
  limits: ProtocolLimits
  clock: Clock
}

export type ProtocolLimits = {
  connectTimeoutMs: number
  /** Without a byte. */
  stallTimeoutMs: number
  maxBodyBytes: number
  /** In one list; what is beyond is told in its `left`. */
  maxItems: number
}

/** Values by their names, such as `user` and `password`. They are in no message, log or error. */
export type Secret = Readonly<Record<string, string>>

export type Session = {
  /** The address that is connected to; '' for none. */
  readonly address: string
  /**
   * `cursor` is that of the last list of this URL that was kept, '' before the first or if it is not to be trusted any more.
   * Rejects with `not-found` where there is nothing at the URL (any more).
   */
  look(cursor: string): Promise<Found>
  /** The body of an item that `look` found; a longer one than the limit is cut. */
  read(item: Item): Promise<ItemBody>
  /** Never rejects. */
  close(): Promise<void>
}

export type Found = { kind: 'item'; item: Item } | List

export type Item = {
  /** Serialised, without access. Of a list's item: the URL of the list and something more. */
  url: string
  /** Shown in the list. */
  name: string
  /** As long as it is the same, so is the body; '' where it has to be read to know. */
  validator: string
  /** The body, where the list brought it along. */
  body?: ItemBody
}

export type List = {
  kind: 'list'
  title: string
  items: readonly Item[]
  /** Further lists; they are followed as the links of a page are, as far as depth and scope of the source say. */
  lists: readonly { url: string; name: string }[]
  /** Whether all items are in it, so that those that are missing are gone; else it has those since the cursor. */
  isWhole: boolean
  /** For the next look. */
  cursor: string
  /** There is more behind this cursor: it is asked for at once. */
  hasMore: boolean
  /** What was left out and why, in words for its owner; '' for nothing. */
  left: string
}

export type ItemBody = {
  /** Media type, with its parameters: `text/plain; charset=utf-8`, `message/rfc822`. */
  type: string
  body: Buffer
  isCut: boolean
  /** Where the body has none of its own. */
  title?: string
  /** Documents that came with it. */
  parts?: readonly Part[]
}

export type Part = Item & {
  body: ItemBody
  /** `linked`: as if the item had a link to it, such as the attachments of a message. `silent`: kept, but news to nobody, such as a screenshot. */
  role: 'linked' | 'silent'
}

export type Listener = { close(): Promise<void> }

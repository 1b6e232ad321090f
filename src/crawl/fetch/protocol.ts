import type { Clock } from '../../core/clock.ts'
import type { Fetcher } from './fetcher.ts'

/**
 * A protocol other than plain HTTP: mail, news, databases, files, a browser. Frontier, politeness, archive, matching and delivery are
 * the same for all; a protocol only lists what there is at a URL, and reads one item of it.
 *
 * A URL is either an item (a file, a message) or a list (a folder, a mailbox, a newsgroup, a query). The items of a list are documents
 * of their own. The body of an item is not transferred again if the kept version has the same validator.
 */
export type Protocol = {
  /** In lower case, without the colon. */
  readonly schemes: readonly string[]
  readonly can: Abilities
  /**
   * Returns the canonical spelling of a source's URL. Throws `url-invalid` if it isn't one: control characters, a path out of its root, a
   * missing part; the message tells its owner what is wrong.
   */
  normalise(url: string): string
  /** Connects. All failures, here and later, are AppErrors; `sign-in-failed` if the credentials are refused. */
  open(place: Place): Promise<Session>
  /** Listens for news at a place, if `can.push`; `onNews`: a visit is worthwhile. Ends with `close`, or with `onEnd` and the reason. */
  listen?(place: Place, heard: { onNews(): void; onEnd(error: Error): void }): Promise<Listener>
  /** Closes connections kept open between visits. */
  close(): Promise<void>
}

/** All protocols of a crawling thread. */
export type Protocols = {
  /** Chosen by scheme. */
  readonly others: readonly Protocol[]
  /** For pages to be read in a browser. */
  readonly browser: Protocol
}

/** Tools for protocols on top of HTTP: the crawler's own client, with its address guard, limits and politeness. */
export type ProtocolTools = {
  fetch: Fetcher['fetch']
  /** Whether robots.txt allows the URL. */
  mayFetch(url: string): Promise<boolean>
  browserPages: BrowserPages
  clock: Clock
  log(level: 'debug' | 'info' | 'warn', message: string, fields?: Record<string, unknown>): void
}

/** Counts pages open in browsers, over all threads of the process. */
export type BrowserPages = {
  /** Adds one, or returns false if the limit is reached. */
  take(limit: number): boolean
  giveBack(): void
}

export type Abilities = {
  /** Whether an item has changed can be seen without reading its body. */
  readonly revalidate: boolean
  /** The server announces news, see `listen`. */
  readonly push: boolean
  /** Lists may contain nested lists. */
  readonly depth: boolean
  readonly credentials: 'none' | 'optional' | 'required'
}

/** What to read, and how. */
export type Place = {
  /** Without access; see `core/url/access.ts`. */
  url: string
  /** Credentials from its owner; null if there are none. */
  secret: Secret | null
  /**
   * Returns an address of the host that the address guard allows; connect to it and to no other. Throws `address-refused`,
   * `dns-not-found` or `dns-failed`.
   */
  resolve(host: string): Promise<string>
  /** Aborted when the visit times out, or the crawl stops. */
  signal: AbortSignal
  limits: ProtocolLimits
  clock: Clock
}

export type ProtocolLimits = {
  connectTimeoutMs: number
  /** Maximum time without receiving a byte. */
  stallTimeoutMs: number
  maxBodyBytes: number
  /** Maximum number of items in one list; its `left` says what was left out. */
  maxItems: number
}

/** Values by name, such as `user` and `password`. They must not appear in any message, log or error. */
export type Secret = Readonly<Record<string, string>>

export type Session = {
  /** The address of the connection; '' for none. */
  readonly address: string
  /**
   * `cursor` is that of the last kept list of this URL, '' before the first or if it can't be trusted any more.
   * Rejects with `not-found` if there is nothing at the URL (any more).
   */
  look(cursor: string): Promise<Found>
  /** The body of an item that `look` found, truncated at the limit. */
  read(item: Item): Promise<ItemBody>
  /** Never rejects. */
  close(): Promise<void>
}

export type Found = { kind: 'item'; item: Item } | List

export type Item = {
  /** Serialised, without access. The URL of a list's item starts with that of the list. */
  url: string
  /** Shown in the list. */
  name: string
  /** While it is the same, so is the body; '' if the body must be read to know. */
  validator: string
  /** The body, if it came with the list. */
  body?: ItemBody
}

export type List = {
  kind: 'list'
  title: string
  items: readonly Item[]
  /** Nested lists; they are followed like the links of a page, within the depth and scope of the source. */
  lists: readonly { url: string; name: string }[]
  /** Whether it has all items, so that missing ones are gone; otherwise it has those since the cursor. */
  isWhole: boolean
  /** For the next `look`. */
  cursor: string
  /** There is more after this cursor, to be read immediately. */
  hasMore: boolean
  /** Tells the owner what was left out and why; '' for nothing. */
  left: string
}

export type ItemBody = {
  /** Media type, with its parameters: `text/plain; charset=utf-8`, `message/rfc822`. */
  type: string
  body: Buffer
  isCut: boolean
  /** Used if the body has none of its own. */
  title?: string
  /** Documents that came with it. */
  parts?: readonly Part[]
}

export type Part = Item & {
  body: ItemBody
  /** `linked`: as if the item linked to it, such as an attachment of a message. `silent`: kept, but never news, such as a screenshot. */
  role: 'linked' | 'silent'
}

export type Listener = { close(): Promise<void> }

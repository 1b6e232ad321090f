import type { Channel, ChannelHealth } from './channels.ts'

/**
 * Annotations on their way to delivery channels. It is at least once, in order for each channel, and under an id that receivers can tell
 * repeats by.
 *
 * An **entry** is one annotation for one channel. It is written with its annotation, in one transaction, for each channel of the profile
 * but the inbox, which reads annotations itself.
 *
 *     unplanned ──plan──> waiting, until `dueAt` ──compose──> in a message ──settle──> gone with it
 *         └────> removed, not needed     └────> removed: read before it left, or its channel is off or gone
 *
 * A **message** holds the entries that leave together. Its id and its entries are written before it is sent for the first time and stay
 * the same, so every repeat is the same message.
 *
 *     waiting ──> sent
 *        └──────> failed      a dead letter; waits again when its owner sends it again
 *
 * **Channels are leased**, so that one process at a time sends on each. Everything that is written for a leased channel names the lease's
 * epoch, and is refused (false, nothing changed) once another lease began. A process that dies between sending and settling leaves
 * the message to the next lease. Times are the callers'.
 *
 * A channel's `nextAt` is the earliest moment at which something of it can leave: the lists of due channels need no look at entries.
 *
 * Entries and messages are removed with their channel, entries with their annotation, and both by age (`deliveryRetentionMs`).
 * A version is not collected while an entry or a waiting message of it has not left.
 */
export type DeliveryStore = {
  /** Entries that have no time yet, in the order of their annotations, with what decides on it. */
  unplanned(limit: number): Promise<UnplannedEntry[]>
  /** Gives entries their time, or removes those that are not needed. Those planned or removed meanwhile are left as they are. */
  plan(entries: readonly PlannedEntry[]): Promise<void>
  /** When the latest of what waits was written; 0 where nothing does. Later than now, where the clock was set back since. */
  lastWrittenAt(): Promise<number>
  /**
   * The clock was set back. What waits for a later time is unplanned again, what was written later counts as written now, no channel
   * waits longer than until now, and no lease lasts longer than one that begins now.
   */
  replan(options: { now: number; leaseMs: number }): Promise<void>
  /** Active and failing channels with something due, the longest due first, that nobody else has. */
  lease(options: { now: number; leaseMs: number; limit: number }): Promise<LeasedChannel[]>
  renew(lease: ChannelLease, until: number): Promise<boolean>
  /** Ends all leases, for a process that knows that it is the only one. */
  endLeases(): Promise<void>
  /**
   * Ends the lease. `nextAt` follows from what waits, and is not before `retryAt`. With `notBefore` a begun message waits until then,
   * as one does in quiet hours; entries that are due earlier, now or when they are planned, still bring `nextAt` forward.
   */
  release(lease: ChannelLease, notBefore?: number): Promise<boolean>
  /** The message that was composed and not settled; it goes first. */
  begun(lease: ChannelLease): Promise<StoredMessage | null>
  /** Waiting entries that are due, in the order of their annotations. */
  due(lease: ChannelLease, options: { now: number; limit: number }): Promise<DueEntry[]>
  /** In one transaction: the message with its entries, where there is one, and the removal of those that are not needed any more. */
  compose(lease: ChannelLease, message: MessageDraft | null, drop: readonly number[]): Promise<boolean>
  /** Entries that must wait longer, such as those beyond the limit per hour. */
  postpone(lease: ChannelLease, annotations: readonly number[], dueAt: number): Promise<boolean>
  /**
   * How an attempt ended, and with it the health of the channel, in one transaction. A message that waits again keeps its id. A channel
   * that its owner switched off meanwhile stays off, and its message failed, unless it was sent.
   */
  settle(lease: ChannelLease, id: string, end: AttemptEnd, health: ChannelHealth): Promise<boolean>
  /** Messages that were sent on a channel since a time, the latest first, at most 1,000. */
  sentSince(channel: string, at: number): Promise<{ at: number; profiles: readonly string[] }[]>

  /** What waits on a channel and is in no message yet, in the order of annotations: for the preview of the next digest. */
  waiting(channel: string, limit: number): Promise<DueEntry[]>
  /** For each of the channels with something: entries and messages that wait, and when the next can leave. */
  waitingCounts(
    channels: readonly string[],
  ): Promise<Map<string, { entries: number; messages: number; nextAt: number }>>
  /** The log of an owner, the latest first. `before` continues it. */
  messages(
    owner: string,
    filter: { state?: MessageState; channel?: string },
    page: { before: MessagePlace | null; limit: number },
  ): Promise<StoredMessage[]>
  message(owner: string, id: string): Promise<StoredMessage | null>
  /** A message that was sent beside the queue, as a test is. */
  log(message: StoredMessage): Promise<void>
  /** A failed message waits again, with its id, and counts no attempts. False where the owner has no such failed one. */
  sendAgain(owner: string, id: string, now: number): Promise<boolean>
  /** Removes entries and messages that were written before a time, in portions between which others can write. Returns how many. */
  removeBefore(at: number): Promise<number>
}

export type UnplannedEntry = {
  annotation: number
  channel: string
  owner: string
  profile: string
  urgency: number
  createdAt: number
}

/** `dueAt` is null for one that is not needed. */
export type PlannedEntry = { annotation: number; channel: string; dueAt: number | null }

export type ChannelLease = { readonly channel: string; readonly epoch: number }

export type LeasedChannel = { readonly lease: ChannelLease; readonly channel: Channel }

export type DueEntry = {
  annotation: number
  profile: string
  documentId: number
  dueAt: number
  createdAt: number
  urgency: number
  relevance: number
  /** Of near-duplicates; 0 for none. */
  cluster: number
  /** Its owner read or archived the annotation. */
  isRead: boolean
}

export const messageStates = ['waiting', 'sent', 'failed'] as const
export type MessageState = (typeof messageStates)[number]
export type MessageKind = 'single' | 'digest' | 'test'

export type MessageDraft = {
  id: string
  kind: MessageKind
  /** For the log. */
  subject: string
  /** Of its entries, in the order in which they are told. */
  annotations: readonly number[]
  profiles: readonly string[]
  /** How many of the annotations, the last ones, are counted and not told. */
  leftOut: number
  createdAt: number
}

export type StoredMessage = MessageDraft & {
  channel: string
  owner: string
  state: MessageState
  attempts: number
  /** When it was last tried, or settled; 0 before the first attempt. */
  at: number
  /** What the other side said, or why it failed. */
  answer: string
}

/** Where a page of the log ended. */
export type MessagePlace = { createdAt: number; id: string }

export type AttemptEnd = { state: MessageState; at: number; answer: string }

/** What has not left within this time is too old to be pushed; the log goes back as far. */
export const deliveryRetentionMs = 30 * 86_400_000

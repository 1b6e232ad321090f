import type { Channel, ChannelHealth } from './channels.ts'

/**
 * Delivery of annotations to channels: at least once, in order per channel, and with an id by which receivers recognise repeats.
 *
 * An **entry** is one annotation for one channel. It is written in the same transaction as its annotation, for each channel of the
 * profile except the inbox, which reads annotations itself.
 *
 *     unplanned ──plan──> waiting, until `dueAt` ──compose──> in a message ──settle──> gone with it
 *         └────> removed, not needed     └────> removed: read before it left, or its channel is off or gone
 *
 * A **message** holds the entries that are sent together. Its id and entries are written before the first attempt and never change, so
 * every retry sends the same message.
 *
 *     waiting ──> sent
 *        └──────> failed      a dead letter; waits again when its owner resends it
 *
 * **Channels are leased**, so that one process at a time sends on each. Every write for a leased channel carries the lease's epoch and
 * is refused (returns false, changes nothing) once another lease has begun. If a process dies between sending and settling, the next
 * lease takes over the message. Times are the callers'.
 *
 * A channel's `nextAt` is the earliest time at which anything on it can be sent, so that due channels are found without reading entries.
 *
 * Entries and messages are removed with their channel, entries with their annotation, and both by age (`deliveryRetentionMs`).
 * A version is not collected while an entry or a message of it is still waiting.
 */
export type DeliveryStore = {
  /** Entries without a due time, in the order of their annotations, with the fields that determine it. */
  unplanned(limit: number): Promise<UnplannedEntry[]>
  /** Sets the due time of entries, or removes those not needed. Entries planned or removed in the meantime are left unchanged. */
  plan(entries: readonly PlannedEntry[]): Promise<void>
  /** Creation time of the newest entry in the outbox; 0 if it is empty. In the future if the clock was set back since. */
  lastWrittenAt(): Promise<number>
  /**
   * Adjusts to a clock that was set back: entries due in the future become unplanned, creation and retry times in the future are set to
   * now, and no lease lasts longer than one that begins now.
   */
  replan(options: { now: number; leaseMs: number }): Promise<void>
  /** Leases active and failing channels that have something due and aren't leased, longest overdue first. */
  lease(options: { now: number; leaseMs: number; limit: number }): Promise<LeasedChannel[]>
  renew(lease: ChannelLease, until: number): Promise<boolean>
  /** Ends all leases. Only for a process that knows it is the only one. */
  endLeases(): Promise<void>
  /**
   * Ends the lease. `nextAt` is computed from what waits, and is never before `retryAt`. With `notBefore`, a begun message waits until
   * then, as during quiet hours; entries due earlier, now or when they are planned, still bring `nextAt` forward.
   */
  release(lease: ChannelLease, notBefore?: number): Promise<boolean>
  /** The message that was composed but not settled, if any; it is sent first. */
  begun(lease: ChannelLease): Promise<StoredMessage | null>
  /** Waiting entries that are due, in the order of their annotations. */
  due(lease: ChannelLease, options: { now: number; limit: number }): Promise<DueEntry[]>
  /** Stores the message (if any) with its entries and removes the entries in `drop`, in one transaction. */
  compose(lease: ChannelLease, message: MessageDraft | null, drop: readonly number[]): Promise<boolean>
  /** Delays entries, such as those beyond the limit per hour. */
  postpone(lease: ChannelLease, annotations: readonly number[], dueAt: number): Promise<boolean>
  /**
   * Records the result of an attempt and the health of the channel, in one transaction. A message to be retried keeps its id. If the
   * owner switched the channel off in the meantime, it stays off and the message stays failed, unless it was sent.
   */
  settle(lease: ChannelLease, id: string, end: AttemptEnd, health: ChannelHealth): Promise<boolean>
  /** Messages sent on a channel since a time, newest first, at most 1,000. */
  sentSince(channel: string, at: number): Promise<{ at: number; profiles: readonly string[] }[]>

  /** Waiting entries of a channel that are in no message yet, in the order of annotations: for the preview of the next digest. */
  waiting(channel: string, limit: number): Promise<DueEntry[]>
  /** Number of waiting entries and messages per channel, and when the next can be sent. Omits channels with nothing waiting. */
  waitingCounts(
    channels: readonly string[],
  ): Promise<Map<string, { entries: number; messages: number; nextAt: number }>>
  /** The message log of an owner, newest first. `before` continues it. */
  messages(
    owner: string,
    filter: { state?: MessageState; channel?: string },
    page: { before: MessagePlace | null; limit: number },
  ): Promise<StoredMessage[]>
  message(owner: string, id: string): Promise<StoredMessage | null>
  /** Logs a message that was sent outside the queue, such as a test. */
  log(message: StoredMessage): Promise<void>
  /** Returns a failed message to waiting, with the same id and no attempts. False if the owner has no such failed message. */
  sendAgain(owner: string, id: string, now: number): Promise<boolean>
  /** Removes entries and messages written before a time, in batches between which others can write. Returns how many. */
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

/** `dueAt` is null for an entry that is not needed. */
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
  /** Near-duplicate cluster; 0 for none. */
  cluster: number
  /** The owner has read or archived the annotation. */
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
  /** Annotations of its entries, in the order they are presented. */
  annotations: readonly number[]
  profiles: readonly string[]
  /** Number of annotations at the end of the list that are only counted, not presented. */
  leftOut: number
  createdAt: number
}

export type StoredMessage = MessageDraft & {
  channel: string
  owner: string
  state: MessageState
  attempts: number
  /** When it was last attempted or settled; 0 before the first attempt. */
  at: number
  /** The receiver's response, or why it failed. */
  answer: string
}

/** Position at which a page of the log ended. */
export type MessagePlace = { createdAt: number; id: string }

export type AttemptEnd = { state: MessageState; at: number; answer: string }

/** Entries not sent within this time are too old to be pushed; the log goes back equally far. */
export const deliveryRetentionMs = 30 * 86_400_000

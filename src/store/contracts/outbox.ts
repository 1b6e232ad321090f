/**
 * Annotations on their way to delivery channels. An entry is written with its annotation, in one transaction, for each channel of
 * the profile but the inbox, which reads annotations itself. The key is annotation and channel, and stays the same over repeats, so a
 * receiver can drop what it has seen: delivery is at least once.
 *
 * States: `waiting` until `nextAt`; taken, which is waiting until the lease ends; `sent`; `given-up`.
 * `take` leases entries that are due and counts an attempt. `complete`, `retry` and `giveUp` end that attempt; they return false, and
 * change nothing, when the lease ended and another attempt began. A process that dies between sending and `complete` leaves the
 * entry to the next `take` after its lease.
 *
 * Entries of any state are removed with their annotation, and by age (`outboxRetentionMs`): that bounds the outbox.
 */
export type OutboxStore = {
  /** Those that are due the longest first. Several processes can take at once; none gets the entry of another. */
  take(options: { now: number; limit: number; leaseMs: number }): Promise<OutboxAttempt[]>
  complete(attempt: OutboxAttempt, now: number): Promise<boolean>
  retry(attempt: OutboxAttempt, options: { at: number; reason: string }): Promise<boolean>
  giveUp(attempt: OutboxAttempt, options: { now: number; reason: string }): Promise<boolean>
  find(annotation: number): Promise<OutboxEntry[]>
  /** Removes the entries that were written before a time, in portions between which others can write. Returns how many. */
  removeBefore(at: number): Promise<number>
}

/** `attempt` counts from 1, and tells this lease from later ones. */
export type OutboxAttempt = { annotation: number; channel: string; attempt: number }

export type OutboxEntry = {
  annotation: number
  channel: string
  state: 'waiting' | 'sent' | 'given-up'
  attempts: number
  /** While waiting: when it can be taken. Otherwise: when it was sent or given up. */
  nextAt: number
  createdAt: number
  /** Why the last attempt failed; '' where none did. */
  reason: string
}

/** What no agent has delivered within this time is too old to be pushed. `erace gc` removes it. */
export const outboxRetentionMs = 30 * 86_400_000

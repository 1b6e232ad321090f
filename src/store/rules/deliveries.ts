import type { DueEntry, LeasedChannel, MessageDraft, MessageState, StoredMessage } from '../contracts/deliveries.ts'
import { type ChannelRow, channelOf } from './channels.ts'

/**
 * Statements of both engines. To avoid deadlocks, always lock rows in this order: channels by id, entries by annotation and channel,
 * messages.
 */

/** SQL fragments that differ between the engines. */
export type DeliveryDialect = {
  /** The nth parameter. */
  p(n: number): string
  /** Condition that a column is one of the numbers or strings in the nth parameter. */
  among(column: string, n: number, type: 'bigint' | 'text'): string
  greatest: string
  forUpdate: string
  /** The elements of a JSON array, as rows with a `value`. */
  elements(list: string): string
  /** Join with the table that has the marks of an annotation `a`, and its alias. */
  marks: { join: string; name: string }
}

/** A planned entry that is in no message; must match the condition of the partial index. */
const isWaiting = (alias: string): string => `${alias}due_at IS NOT NULL AND ${alias}message = ''`

/** The second half makes SQLite use the partial index on unsent messages. */
const isUnsent = (state: string): string => `m.state = ${state} AND m.state <> 'sent'`

const messageColumns = [
  ...['id', 'channel', 'owner', 'kind', 'state', 'subject', 'annotations', 'profiles', 'left_out', 'created_at'],
  ...['attempts', 'at', 'answer'],
]

const shownMessage = `m.id, m.channel, m.owner, m.kind, m.state, m.subject, m.annotations, m.profiles, m.left_out AS "leftOut",
  m.created_at AS "createdAt", m.attempts, m.at, m.answer`

/** The earliest time at which anything on channel `c` can be sent; null if nothing waits. `from` is when a message `m` can. */
const nextAtOf = (c: string, greatest: string, from = 'm.created_at'): string =>
  `(SELECT CASE WHEN min(w.t) IS NULL THEN NULL ELSE ${greatest}(min(w.t), ${c}.retry_at) END FROM (
     SELECT min(o.due_at) AS t FROM outbox o WHERE o.channel = ${c}.id AND ${isWaiting('o.')}
     UNION ALL
     SELECT min(${from}) FROM messages m WHERE m.owner = ${c}.owner AND ${isUnsent("'waiting'")} AND m.channel = ${c}.id) w)`

/** Condition for a channel that can be leased at the time `p1`. */
export const isLeasable = (p1: string): string =>
  `state <> 'off' AND next_at <= ${p1} AND lease_until <= ${p1} AND retry_at <= ${p1}`

export function deliverySql({ p, among, greatest, forUpdate, elements, marks }: DeliveryDialect) {
  const fenced = `id = ${p(1)} AND lease_epoch = ${p(2)}`
  const shownEntry = `o.annotation, a.profile, a.document AS "documentId", o.due_at AS "dueAt", o.created_at AS "createdAt", a.urgency, a.relevance,
    a.story AS cluster, (${marks.name}.read OR ${marks.name}.archived) AS "isRead"`
  const entries = `SELECT ${shownEntry} FROM outbox o JOIN annotations a ON a.id = o.annotation ${marks.join}
    WHERE o.channel = ${p(1)} AND ${isWaiting('o.')}`
  const waitingMessages = `FROM messages m WHERE m.owner = c.owner AND ${isUnsent("'waiting'")} AND m.channel = c.id`
  return {
    unplanned: `SELECT o.annotation, o.channel, a.owner, a.profile, a.urgency, o.created_at AS "createdAt"
      FROM outbox o CROSS JOIN annotations a WHERE a.id = o.annotation AND o.due_at IS NULL
      ORDER BY o.annotation, o.channel LIMIT ${p(1)}`,
    fence: `SELECT owner FROM channels WHERE ${fenced}${forUpdate}`,
    renew: `UPDATE channels SET lease_until = ${p(3)} WHERE ${fenced}`,
    /** Ends the lease: later writes under it are refused. */
    release: `UPDATE channels SET next_at = ${nextAtOf('channels', greatest, `${greatest}(m.created_at, ${p(3)})`)}, lease_until = 0, lease_epoch = lease_epoch + 1
      WHERE ${fenced}`,
    endLeases: 'UPDATE channels SET lease_until = 0, lease_epoch = lease_epoch + 1 WHERE lease_until > 0',
    lastWritten: 'SELECT coalesce(max(created_at), 0) AS at FROM outbox',
    shortenLeases: `UPDATE channels SET lease_until = ${p(1)} WHERE lease_until > ${p(1)}`,
    /** In this order. */
    replan: [
      `UPDATE channels SET retry_at = ${p(1)} WHERE retry_at > ${p(1)}`,
      `UPDATE outbox SET due_at = NULL WHERE due_at > ${p(1)} AND ${isWaiting('')}`,
      `UPDATE outbox SET created_at = ${p(1)} WHERE created_at > ${p(1)}`,
      `UPDATE messages SET created_at = ${p(1)} WHERE created_at > ${p(1)} AND state = 'waiting' AND state <> 'sent'`,
      `UPDATE channels SET next_at = ${nextAtOf('channels', greatest)} WHERE next_at > ${p(1)}`,
    ],
    findNext: `UPDATE channels SET next_at = ${nextAtOf('channels', greatest)} WHERE id = ${p(1)}`,
    begun: `SELECT ${shownMessage} FROM channels c JOIN messages m ON m.owner = c.owner AND m.channel = c.id
      WHERE c.id = ${p(1)} AND c.lease_epoch = ${p(2)} AND ${isUnsent("'waiting'")} ORDER BY m.created_at, m.id LIMIT 1`,
    due: `${entries} AND o.due_at <= ${p(3)} AND EXISTS (SELECT 1 FROM channels WHERE ${fenced})
      ORDER BY o.annotation LIMIT ${p(4)}`,
    waiting: `${entries} ORDER BY o.annotation LIMIT ${p(2)}`,
    addMessage: `INSERT INTO messages (${messageColumns.join(', ')}) VALUES (${messageColumns.map((_, n) => p(n + 1)).join(', ')})
      ON CONFLICT DO NOTHING`,
    joinMessage: `UPDATE outbox SET message = ${p(3)} WHERE channel = ${p(1)} AND ${among('annotation', 2, 'bigint')} AND ${isWaiting('')}`,
    drop: `DELETE FROM outbox WHERE channel = ${p(1)} AND ${among('annotation', 2, 'bigint')} AND ${isWaiting('')}`,
    postpone: `UPDATE outbox SET due_at = ${p(3)} WHERE channel = ${p(1)} AND ${among('annotation', 2, 'bigint')} AND ${isWaiting('')}`,
    annotationsOf: `SELECT annotations FROM messages WHERE id = ${p(1)} AND channel = ${p(2)}`,
    settleEntries: `DELETE FROM outbox WHERE channel = ${p(1)} AND ${among('annotation', 2, 'bigint')} AND message = ${p(3)}`,
    /** A message that failed in the meantime, with its channel, doesn't return to waiting. */
    settle: `UPDATE messages SET state = ${p(2)}, at = ${p(3)}, answer = ${p(4)}, attempts = attempts + 1
      WHERE id = ${p(1)} AND (state = 'waiting' OR ${p(2)} = 'sent')`,
    sentSince: `SELECT at, profiles FROM messages WHERE channel = ${p(1)} AND state = 'sent' AND at >= ${p(2)} AND kind <> 'test'
      ORDER BY at DESC LIMIT ${MAX_SENT}`,
    counts: `SELECT c.id, (SELECT count(*) FROM outbox o WHERE o.channel = c.id AND ${isWaiting('o.')}) AS entries,
      (SELECT count(*) ${waitingMessages}) AS messages, ${nextAtOf('c', greatest)} AS "nextAt"
      FROM channels c WHERE ${among('c.id', 1, 'text')}`,
    message: `SELECT ${shownMessage} FROM messages m WHERE m.owner = ${p(1)} AND m.id = ${p(2)}`,
    /** Excludes tests, which have nothing to resend. */
    failed: `SELECT channel, annotations FROM messages
      WHERE owner = ${p(1)} AND id = ${p(2)} AND state = 'failed' AND kind <> 'test'${forUpdate}`,
    waitAgain: `UPDATE messages SET state = 'waiting', attempts = 0, answer = '' WHERE id = ${p(1)}`,
    /** Restores the entries of a message to be resent, without annotations removed in the meantime. */
    enterAgain: `INSERT INTO outbox (annotation, channel, created_at, due_at, message)
      SELECT a.id, CAST(${p(1)} AS text), CAST(${p(4)} AS bigint), CAST(${p(4)} AS bigint), CAST(${p(3)} AS text) FROM annotations a WHERE ${among('a.id', 2, 'bigint')} ON CONFLICT DO NOTHING`,
    /** For switching off or removing a channel: finds its entries in messages through the messages. */
    waitingAnnotations: `SELECT m.annotations FROM channels c JOIN messages m ON m.owner = c.owner AND m.channel = c.id
      WHERE c.id = ${p(1)} AND ${isUnsent("'waiting'")}`,
    clearWaiting: `DELETE FROM outbox WHERE channel = ${p(1)} AND ${isWaiting('')}`,
    clearUnplanned: `DELETE FROM outbox WHERE channel = ${p(1)} AND due_at IS NULL`,
    clearBegun: `DELETE FROM outbox WHERE channel = ${p(1)} AND ${among('annotation', 2, 'bigint')}`,
    failWaiting: `UPDATE messages SET state = 'failed', answer = '${offAnswer}' WHERE channel = ${p(1)} AND state = 'waiting' AND state <> 'sent'
      AND owner = (SELECT owner FROM channels WHERE id = ${p(1)})`,
    clearNext: `UPDATE channels SET next_at = NULL WHERE id = ${p(1)}`,
    clearMessages: `DELETE FROM messages WHERE channel = ${p(1)}`,
    /** Removes waiting messages that have lost their last entry. */
    dropEmpty: `DELETE FROM messages WHERE ${among('id', 1, 'text')} AND state = 'waiting' AND NOT EXISTS (
      SELECT 1 FROM ${elements('messages.annotations')} j JOIN outbox o ON o.annotation = CAST(j.value AS bigint)
      AND o.channel = messages.channel)`,
  } as const
}

/** Answer of a message that was not sent before its channel was switched off. */
const offAnswer = 'The channel was switched off.'

const MAX_SENT = 1_000

/** A page of the log; `values` are its parameters, in order. */
export function logPage(
  p: (n: number) => string,
  owner: string,
  { state, channel }: { state?: MessageState; channel?: string },
  { before, limit }: { before: { createdAt: number; id: string } | null; limit: number },
): { sql: string; values: (string | number)[] } {
  const values: (string | number)[] = [owner]
  const next = (value: string | number): string => p(values.push(value))
  const where = [`m.owner = ${p(1)}`]
  if (state === 'sent') where.push(`m.state = ${next(state)}`)
  else if (state !== undefined) where.push(isUnsent(next(state)))
  if (channel !== undefined) where.push(`m.channel = ${next(channel)}`)
  if (before !== null) where.push(`(m.created_at, m.id) < (${next(before.createdAt)}, ${next(before.id)})`)
  const sql = `SELECT ${shownMessage} FROM messages m WHERE ${where.join(' AND ')} ORDER BY m.created_at DESC, m.id DESC LIMIT ${next(limit)}`
  return { sql, values }
}

/** Whether the message is finished after an attempt with this result. */
export const isSettled = (state: MessageState): boolean => state !== 'waiting'

export type MessageRow = Omit<StoredMessage, 'annotations' | 'profiles'> & { annotations: string; profiles: string }

export function messageOf(row: MessageRow): StoredMessage {
  return { ...row, annotations: JSON.parse(row.annotations), profiles: JSON.parse(row.profiles) }
}

export function freshMessage(draft: MessageDraft, channel: string, owner: string): StoredMessage {
  return { ...draft, channel, owner, state: 'waiting', attempts: 0, at: 0, answer: '' }
}

/** In the order of `messageColumns`. */
export function messageValues(message: StoredMessage): (string | number)[] {
  const { id, channel, owner, kind, state, subject, annotations, profiles, leftOut, createdAt, attempts, at, answer } =
    message
  const lists = [JSON.stringify(annotations), JSON.stringify(profiles)]
  return [
    ...[id, channel, owner, kind, state, logText(subject), ...lists, leftOut, createdAt],
    ...[attempts, at, logText(answer)],
  ]
}

const MAX_TEXT = 2_000

/** Truncates titles and answers, which come from outside at any length. */
export function logText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`
}

export type EntryRow = Omit<DueEntry, 'isRead'> & { isRead: boolean | 0 | 1 }

export const entryOf = (row: EntryRow): DueEntry => ({ ...row, isRead: Boolean(row.isRead) })

export type LeasedRow = ChannelRow & { epoch: number; nextAt: number }

/** Longest overdue first. */
export function leasedOf(rows: readonly LeasedRow[]): LeasedChannel[] {
  return rows
    .toSorted((a, b) => a.nextAt - b.nextAt)
    .map(({ epoch, nextAt, ...row }) => ({ lease: { channel: row.id, epoch }, channel: channelOf(row) }))
}

export type CountRow = { id: string; entries: number; messages: number; nextAt: number | null }

/** Omits channels with nothing waiting. */
export function countsById(
  rows: readonly CountRow[],
): Map<string, { entries: number; messages: number; nextAt: number }> {
  return new Map(
    rows.flatMap(({ id, entries, messages, nextAt }) =>
      nextAt === null ? [] : [[id, { entries, messages, nextAt }] as const],
    ),
  )
}

/** The columns of a channel that planning needs. */
export type PlannedChannel = { id: string; state: string; retryAt: number }

export const plannedChannelColumns = 'id, state, retry_at AS "retryAt"'

/** The earliest time per channel for newly planned entries, but not before the channel's `retryAt`. */
export function earliestOf(
  planned: readonly { channel: string; dueAt: number }[],
  channels: ReadonlyMap<string, PlannedChannel>,
): [channel: string, nextAt: number][] {
  const earliest = new Map<string, number>()
  for (const { channel, dueAt } of planned) {
    const at = Math.max(dueAt, channels.get(channel)?.retryAt ?? 0)
    earliest.set(channel, Math.min(at, earliest.get(channel) ?? at))
  }
  return [...earliest].sort(([a], [b]) => (a < b ? -1 : 1))
}

export const takesEntries = (channel: PlannedChannel | undefined): boolean =>
  channel !== undefined && channel.state !== 'off'

/** Annotations of several messages, from their stored JSON. */
export const annotationsIn = (rows: readonly { annotations: string }[]): number[] =>
  rows.flatMap(({ annotations }) => JSON.parse(annotations) as number[])

/** Rows per batch when removing what is too old. */
export const OLD_PORTION = 1_000

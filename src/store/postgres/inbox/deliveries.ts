import type { ChannelHealth } from '../../contracts/channels.ts'
import type {
  AttemptEnd,
  ChannelLease,
  DeliveryStore,
  MessageDraft,
  PlannedEntry,
  UnplannedEntry,
} from '../../contracts/deliveries.ts'
import { channelSql, noteValues, shownChannel } from '../../rules/channels.ts'
import {
  annotationsIn,
  type CountRow,
  countsById,
  type DeliveryDialect,
  deliverySql,
  type EntryRow,
  earliestOf,
  entryOf,
  freshMessage,
  isLeasable,
  isSettled,
  type LeasedRow,
  leasedOf,
  logPage,
  logText,
  type MessageRow,
  messageOf,
  messageValues,
  OLD_PORTION,
  type PlannedChannel,
  plannedChannelColumns,
  takesEntries,
} from '../../rules/deliveries.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'

const dialect: DeliveryDialect = {
  p: (n) => `$${n}`,
  among: (column, n, type) => `${column} = ANY($${n}::${type}[])`,
  greatest: 'greatest',
  forUpdate: ' FOR UPDATE',
  elements: (list) => `json_array_elements_text(${list}::json)`,
  marks: { join: 'JOIN inbox i ON i.owner = a.owner AND i.id = a.id', name: 'i' },
}

const sql = {
  ...deliverySql(dialect),
  note: channelSql(dialect.p).note,
  lockChannels: `SELECT ${plannedChannelColumns} FROM channels WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE`,
  lockEveryChannel: 'SELECT 1 FROM channels ORDER BY id FOR UPDATE',
  /** For locked channels. */
  haveNext: `UPDATE channels c SET next_at = g.next_at FROM unnest($1::text[], $2::bigint[]) AS g (id, next_at)
    WHERE c.id = g.id AND (c.next_at IS NULL OR c.next_at > g.next_at)`,
  lockChannel: 'SELECT 1 FROM channels WHERE id = $1 FOR UPDATE',
  /** Skips entries that were planned or removed meanwhile. */
  plan: `WITH given AS MATERIALIZED (
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS g (annotation, channel, due_at)
    ), locked AS MATERIALIZED (
      SELECT o.annotation, o.channel, g.due_at FROM outbox o JOIN given g ON g.annotation = o.annotation AND g.channel = o.channel
      WHERE o.due_at IS NULL ORDER BY o.annotation, o.channel FOR UPDATE OF o
    ), dropped AS (
      DELETE FROM outbox o USING locked l WHERE o.annotation = l.annotation AND o.channel = l.channel AND l.due_at IS NULL
    ), planned AS (
      UPDATE outbox o SET due_at = l.due_at FROM locked l
      WHERE o.annotation = l.annotation AND o.channel = l.channel AND l.due_at IS NOT NULL
    )
    SELECT channel, due_at AS "dueAt" FROM locked WHERE due_at IS NOT NULL`,
  lease: `WITH due AS MATERIALIZED (
      SELECT id FROM channels WHERE ${isLeasable('$1')} ORDER BY next_at, id LIMIT $3 FOR UPDATE SKIP LOCKED
    )
    UPDATE channels SET lease_until = $2, lease_epoch = lease_epoch + 1 WHERE id IN (SELECT id FROM due)
    RETURNING ${shownChannel}, lease_epoch AS epoch, next_at AS "nextAt"`,
  lockEntries: `SELECT 1 FROM outbox WHERE channel = $1 AND annotation = ANY($2::bigint[]) ORDER BY annotation FOR UPDATE`,
  lockAll: `SELECT 1 FROM outbox WHERE channel = $1 AND annotation IN (
      SELECT annotation FROM outbox WHERE channel = $1 AND due_at IS NULL
      UNION SELECT annotation FROM outbox WHERE channel = $1 AND due_at IS NOT NULL AND message = ''
      UNION SELECT unnest($2::bigint[])) ORDER BY annotation FOR UPDATE`,
  oldEntries: `SELECT annotation, channel, created_at < $3 AS "isOld" FROM outbox WHERE (annotation, channel) > ($1::bigint, $2::text)
    ORDER BY annotation, channel LIMIT ${OLD_PORTION}`,
  removeEntries: `DELETE FROM outbox WHERE (annotation, channel) IN (SELECT o.annotation, o.channel
      FROM outbox o JOIN unnest($1::bigint[], $2::text[]) AS g (annotation, channel)
      ON g.annotation = o.annotation AND g.channel = o.channel ORDER BY o.annotation, o.channel FOR UPDATE OF o) RETURNING 1`,
  removeWith: `WITH locked AS MATERIALIZED (
      SELECT annotation, channel FROM outbox WHERE annotation = ANY($1::bigint[]) ORDER BY annotation, channel FOR UPDATE)
    DELETE FROM outbox o USING locked l WHERE o.annotation = l.annotation AND o.channel = l.channel RETURNING o.message`,
  removeMessages: `DELETE FROM messages WHERE id IN
    (SELECT id FROM messages WHERE created_at < $1 ORDER BY created_at LIMIT ${OLD_PORTION} FOR UPDATE SKIP LOCKED) RETURNING 1`,
}

/**
 * Every write for a channel locks its row first, so planning, sending and its owner's changes are serialised. Reads after the lock are
 * separate statements, which see the committed changes of the others.
 */
export function createPostgresDeliveries(pool: PostgresPool): DeliveryStore {
  /** Does nothing and resolves to false if the lease is lost. */
  const fenced = (lease: ChannelLease, work: (tx: Tx, owner: string) => void): Promise<boolean> =>
    pool.transaction(async (tx) => {
      const [held] = await tx.query<{ owner: string }>(sql.fence, [lease.channel, lease.epoch])
      if (held === undefined) return false
      work(tx, held.owner)
      return true
    })

  return {
    unplanned: (limit) => pool.query<UnplannedEntry>(sql.unplanned, [limit]),
    async plan(entries) {
      if (entries.length > 0) await pool.transaction((tx) => plan(tx, entries))
    },
    async lastWrittenAt() {
      return (await pool.query<{ at: number }>(sql.lastWritten, []))[0]!.at
    },
    replan: ({ now, leaseMs }) =>
      pool.transaction(async (tx) => {
        await tx.query(sql.lockEveryChannel, [])
        await tx.query(sql.shortenLeases, [now + leaseMs])
        for (const text of sql.replan) await tx.query(text, [now])
      }),
    async endLeases() {
      await pool.query(sql.endLeases, [])
    },
    async lease({ now, leaseMs, limit }) {
      const rows = await pool.query<LeasedRow>(sql.lease, [now, now + leaseMs, limit])
      return leasedOf(rows)
    },
    renew: async ({ channel, epoch }, until) =>
      (await pool.query(`${sql.renew} RETURNING 1`, [channel, epoch, until])).length === 1,
    release: ({ channel, epoch }, notBefore = 0) =>
      pool.transaction(async (tx) => {
        tx.send(sql.fence, [channel, epoch])
        return (await tx.query(`${sql.release} RETURNING 1`, [channel, epoch, notBefore])).length === 1
      }),
    async begun({ channel, epoch }) {
      const [row] = await pool.query<MessageRow>(sql.begun, [channel, epoch])
      return row === undefined ? null : messageOf(row)
    },
    async due({ channel, epoch }, { now, limit }) {
      return (await pool.query<EntryRow>(sql.due, [channel, epoch, now, limit])).map(entryOf)
    },
    compose: (lease, message, drop) => fenced(lease, (tx, owner) => compose(tx, lease.channel, owner, message, drop)),
    postpone: (lease, annotations, dueAt) =>
      fenced(lease, (tx) => {
        lockEntries(tx, lease.channel, annotations)
        tx.send(sql.postpone, [lease.channel, annotations, dueAt])
      }),
    settle: (lease, id, end, health) => pool.transaction((tx) => settle(tx, lease, id, end, health)),
    async sentSince(channel, at) {
      const rows = await pool.query<{ at: number; profiles: string }>(sql.sentSince, [storable(channel), at])
      return rows.map((row) => ({ ...row, profiles: JSON.parse(row.profiles) }))
    },
    waiting: async (channel, limit) =>
      (await pool.query<EntryRow>(sql.waiting, [storable(channel), limit])).map(entryOf),
    waitingCounts: async (channels) => countsById(await pool.query<CountRow>(sql.counts, [channels.map(storable)])),
    async messages(owner, filter, page) {
      const { sql: text, values } = logPage(dialect.p, owner, filter, page)
      return (await pool.query<MessageRow>(text, stored(values))).map(messageOf)
    },
    async message(owner, id) {
      const [row] = await pool.query<MessageRow>(sql.message, [storable(owner), storable(id)])
      return row === undefined ? null : messageOf(row)
    },
    async log(message) {
      await pool.query(sql.addMessage, stored(messageValues(message)))
    },
    sendAgain: (owner, id, now) => pool.transaction((tx) => sendAgain(tx, storable(owner), storable(id), now)),
    removeBefore: (at) => removeOld(pool, at),
  }
}

export const stored = (values: readonly (string | number)[]): (string | number)[] =>
  values.map((value) => (typeof value === 'string' ? storable(value) : value))

async function plan(tx: Tx, entries: readonly PlannedEntry[]): Promise<void> {
  const names = [...new Set(entries.map(({ channel }) => channel))]
  const locked = await tx.query<PlannedChannel>(sql.lockChannels, [names])
  const channels = new Map(locked.map((row) => [row.id, row]))
  const planned = await tx.query<{ channel: string; dueAt: number }>(sql.plan, [
    entries.map(({ annotation }) => annotation),
    entries.map(({ channel }) => channel),
    entries.map(({ channel, dueAt }) => (takesEntries(channels.get(channel)) ? dueAt : null)),
  ])
  const earliest = earliestOf(planned, channels)
  tx.send(sql.haveNext, [earliest.map(([channel]) => channel), earliest.map(([, nextAt]) => nextAt)])
}

/** Locks several entries in the common order; a single one is locked by the statement that changes it. */
function lockEntries(tx: Tx, channel: string, annotations: readonly number[]): void {
  if (annotations.length > 1) tx.send(sql.lockEntries, [channel, annotations])
}

function compose(tx: Tx, channel: string, owner: string, draft: MessageDraft | null, drop: readonly number[]): void {
  lockEntries(tx, channel, [...(draft?.annotations ?? []), ...drop])
  if (drop.length > 0) tx.send(sql.drop, [channel, drop])
  if (draft === null) return
  tx.send(sql.joinMessage, [channel, draft.annotations, storable(draft.id)])
  tx.send(sql.addMessage, stored(messageValues(freshMessage(draft, channel, owner))))
}

async function settle(
  tx: Tx,
  { channel, epoch }: ChannelLease,
  given: string,
  { state, at, answer }: AttemptEnd,
  health: ChannelHealth,
): Promise<boolean> {
  const id = storable(given)
  const [held, [row]] = await Promise.all([
    tx.query(sql.fence, [channel, epoch]),
    tx.query<{ annotations: string }>(sql.annotationsOf, [id, channel]),
  ])
  if (held.length === 0) return false
  if (row !== undefined) {
    if (isSettled(state)) {
      const annotations = JSON.parse(row.annotations) as number[]
      lockEntries(tx, channel, annotations)
      tx.send(sql.settleEntries, [channel, annotations, id])
    }
    tx.send(sql.settle, [id, state, at, storable(logText(answer))])
  }
  tx.send(sql.note, stored(noteValues(channel, health)))
  if (health.state === 'off') await switchOffChannel(tx, channel)
  return true
}

async function sendAgain(tx: Tx, owner: string, id: string, now: number): Promise<boolean> {
  const [message] = await tx.query<{ channel: string }>(sql.message, [owner, id])
  if (message === undefined) return false
  await tx.query(sql.lockChannel, [message.channel])
  const [row] = await tx.query<{ channel: string; annotations: string }>(sql.failed, [owner, id])
  if (row === undefined) return false
  await tx.query(sql.enterAgain, [row.channel, JSON.parse(row.annotations), id, now])
  await tx.query(sql.waitAgain, [id])
  await tx.query(sql.findNext, [row.channel])
  return true
}

/** Clean-up when a channel is switched off or removed. The caller has locked its row. */

async function clearEntries(tx: Tx, channel: string): Promise<void> {
  const begun = annotationsIn(await tx.query<{ annotations: string }>(sql.waitingAnnotations, [channel]))
  await tx.query(sql.lockAll, [channel, begun])
  await tx.query(sql.clearUnplanned, [channel])
  await tx.query(sql.clearWaiting, [channel])
  await tx.query(sql.clearBegun, [channel, begun])
}

export async function switchOffChannel(tx: Tx, channel: string): Promise<void> {
  await clearEntries(tx, channel)
  await tx.query(sql.failWaiting, [channel])
  await tx.query(sql.clearNext, [channel])
}

/** Called before the channel is removed. */
export async function clearChannel(tx: Tx, channel: string): Promise<void> {
  await clearEntries(tx, channel)
  await tx.query(sql.clearMessages, [channel])
}

/** Removes all channels of an owner, with their waiting entries. */
export async function removeChannels(tx: Tx, owner: string): Promise<void> {
  const rows = await tx.query<{ id: string }>('SELECT id FROM channels WHERE owner = $1 ORDER BY id FOR UPDATE', [
    owner,
  ])
  for (const { id } of rows) await clearChannel(tx, id)
  await tx.query('DELETE FROM channels WHERE owner = $1', [owner])
}

/** Removes the outbox entries of an owner's annotations, which are removed as well. */
export async function removeEntries(tx: Tx, annotations: readonly number[]): Promise<void> {
  const rows = await tx.query<{ message: string }>(sql.removeWith, [annotations])
  const messages = new Set(rows.map(({ message }) => message))
  messages.delete('')
  if (messages.size > 0) await tx.query(sql.dropEmpty, [[...messages]])
}

/** Lets waiting entries be sent as soon as they are due. */
export async function resumeChannel(tx: Tx, channel: string): Promise<void> {
  await tx.query(sql.findNext, [channel])
}

type OldEntry = { annotation: number; channel: string; isOld: boolean }

/** Scans all waiting entries: an index on their age would cost every annotation. */
async function removeOld(pool: PostgresPool, at: number): Promise<number> {
  let removed = 0
  let from: { annotation: number; channel: string } = { annotation: 0, channel: '' }
  for (;;) {
    const rows = await pool.query<OldEntry>(sql.oldEntries, [from.annotation, from.channel, at])
    const old = rows.filter(({ isOld }) => isOld)
    if (old.length > 0) {
      const keys = [old.map(({ annotation }) => annotation), old.map(({ channel }) => channel)]
      removed += (await pool.query(sql.removeEntries, keys)).length
    }
    if (rows.length < OLD_PORTION) break
    from = rows.at(-1)!
  }
  for (;;) {
    const portion = (await pool.query(sql.removeMessages, [at])).length
    removed += portion
    if (portion < OLD_PORTION) return removed
  }
}

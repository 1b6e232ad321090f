import type { StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
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
import type { Database } from '../folder/database.ts'

const p = (n: number): string => `?${n}`

const dialect: DeliveryDialect = {
  p,
  among: (column, n) => `${column} IN (SELECT value FROM json_each(?${n}))`,
  greatest: 'max',
  forUpdate: '',
  elements: (list) => `json_each(${list})`,
  marks: { join: '', name: 'a' },
}

const texts = deliverySql(dialect)

export function createSqliteDeliveries(db: Database): DeliveryStore {
  const sql = deliveryStatements(db)
  const clearing = createChannelClearing(db)
  const logPages = new Map<string, StatementSync>()

  /** Runs `work` in a transaction if the lease is still held. */
  const fenced = ({ channel, epoch }: ChannelLease, work: (owner: string) => void): boolean =>
    db.write(() => {
      const held = sql.fence.get(channel, epoch) as { owner: string } | undefined
      if (held === undefined) return false
      work(held.owner)
      return true
    })

  function plan(entries: readonly PlannedEntry[]): void {
    const names = [...new Set(entries.map(({ channel }) => channel))]
    const rows = sql.plannedChannels.all(JSON.stringify(names)) as PlannedChannel[]
    const channels = new Map(rows.map((row) => [row.id, row]))
    const planned: { channel: string; dueAt: number }[] = []
    for (const { annotation, channel, dueAt } of entries) {
      if (dueAt === null || !takesEntries(channels.get(channel))) sql.dropUnplanned.run(annotation, channel)
      else if (sql.plan.run(dueAt, annotation, channel).changes === 1) planned.push({ channel, dueAt })
    }
    for (const [channel, nextAt] of earliestOf(planned, channels)) sql.hasNext.run(channel, nextAt)
  }

  function compose(channel: string, owner: string, draft: MessageDraft | null, drop: readonly number[]): void {
    if (draft !== null) {
      sql.addMessage.run(...messageValues(freshMessage(draft, channel, owner)))
      sql.joinMessage.run(channel, JSON.stringify(draft.annotations), draft.id)
    }
    if (drop.length > 0) sql.drop.run(channel, JSON.stringify(drop))
  }

  function settle(channel: string, id: string, { state, at, answer }: AttemptEnd, health: ChannelHealth): void {
    const row = sql.annotationsOf.get(id, channel) as { annotations: string } | undefined
    if (row !== undefined) {
      if (isSettled(state)) sql.settleEntries.run(channel, row.annotations, id)
      sql.settle.run(id, state, at, logText(answer))
    }
    sql.note.run(...noteValues(channel, health))
    if (health.state === 'off') clearing.switchOff(channel)
  }

  function sendAgain(owner: string, id: string, now: number): boolean {
    const row = sql.failed.get(owner, id) as { channel: string; annotations: string } | undefined
    if (row === undefined) return false
    sql.enterAgain.run(row.channel, row.annotations, id, now)
    sql.waitAgain.run(id)
    sql.findNext.run(row.channel)
    return true
  }

  function logStatement(text: string): StatementSync {
    const known = logPages.get(text) ?? db.prepare(text)
    logPages.set(text, known)
    return known
  }

  return {
    unplanned: async (limit) => plain(db.read(() => sql.unplanned.all(limit)) as UnplannedEntry[]),
    async plan(entries) {
      if (entries.length > 0) db.write(() => plan(entries))
    },
    async lastWrittenAt() {
      return (db.read(() => sql.lastWritten.get()) as { at: number }).at
    },
    async replan({ now, leaseMs }) {
      db.write(() => {
        sql.shortenLeases.run(now + leaseMs)
        for (const statement of sql.replan) statement.run(now)
      })
    },
    async endLeases() {
      db.write(() => sql.endLeases.run())
    },
    async lease({ now, leaseMs, limit }) {
      const rows = db.write(() => sql.lease.all(now, now + leaseMs, limit)) as LeasedRow[]
      return leasedOf(rows)
    },
    renew: async ({ channel, epoch }, until) => db.write(() => sql.renew.run(channel, epoch, until).changes === 1),
    release: async ({ channel, epoch }, notBefore = 0) =>
      db.write(() => sql.release.run(channel, epoch, notBefore).changes === 1),
    async begun({ channel, epoch }) {
      const row = db.read(() => sql.begun.get(channel, epoch)) as MessageRow | undefined
      return row === undefined ? null : messageOf(row)
    },
    async due({ channel, epoch }, { now, limit }) {
      return (db.read(() => sql.due.all(channel, epoch, now, limit)) as EntryRow[]).map(entryOf)
    },
    compose: async (lease, message, drop) => fenced(lease, (owner) => compose(lease.channel, owner, message, drop)),
    postpone: async (lease, annotations, dueAt) =>
      fenced(lease, () => void sql.postpone.run(lease.channel, JSON.stringify(annotations), dueAt)),
    settle: async (lease, id, end, health) => fenced(lease, () => settle(lease.channel, id, end, health)),
    async sentSince(channel, at) {
      const rows = db.read(() => sql.sentSince.all(channel, at)) as { at: number; profiles: string }[]
      return rows.map((row) => ({ at: row.at, profiles: JSON.parse(row.profiles) }))
    },
    waiting: async (channel, limit) => (db.read(() => sql.waiting.all(channel, limit)) as EntryRow[]).map(entryOf),
    waitingCounts: async (channels) =>
      countsById(db.read(() => sql.counts.all(JSON.stringify(channels))) as CountRow[]),
    async messages(owner, filter, page) {
      const { sql: text, values } = logPage(p, owner, filter, page)
      return (db.read(() => logStatement(text).all(...values)) as MessageRow[]).map(messageOf)
    },
    async message(owner, id) {
      const row = db.read(() => sql.message.get(owner, id)) as MessageRow | undefined
      return row === undefined ? null : messageOf(row)
    },
    async log(message) {
      db.write(() => sql.addMessage.run(...messageValues(message)))
    },
    sendAgain: async (owner, id, now) => db.write(() => sendAgain(owner, id, now)),
    removeBefore: (at) => removeOld(db, sql, at),
  }
}

const plain = <T extends object>(rows: readonly T[]): T[] => rows.map((row) => ({ ...row }))

function deliveryStatements(db: Database) {
  return {
    unplanned: db.prepare(texts.unplanned),
    plannedChannels: db.prepare(
      `SELECT ${plannedChannelColumns} FROM channels WHERE ${dialect.among('id', 1, 'text')}`,
    ),
    plan: db.prepare('UPDATE outbox SET due_at = ? WHERE annotation = ? AND channel = ? AND due_at IS NULL'),
    dropUnplanned: db.prepare('DELETE FROM outbox WHERE annotation = ? AND channel = ? AND due_at IS NULL'),
    hasNext: db.prepare('UPDATE channels SET next_at = ?2 WHERE id = ?1 AND (next_at IS NULL OR next_at > ?2)'),
    lease: db.prepare(
      `UPDATE channels SET lease_until = ?2, lease_epoch = lease_epoch + 1 WHERE id IN
       (SELECT id FROM channels WHERE ${isLeasable('?1')} ORDER BY next_at, id LIMIT ?3)
       RETURNING ${shownChannel}, lease_epoch AS epoch, next_at AS nextAt`,
    ),
    fence: db.prepare(texts.fence),
    renew: db.prepare(texts.renew),
    release: db.prepare(texts.release),
    endLeases: db.prepare(texts.endLeases),
    lastWritten: db.prepare(texts.lastWritten),
    shortenLeases: db.prepare(texts.shortenLeases),
    replan: texts.replan.map((text) => db.prepare(text)),
    findNext: db.prepare(texts.findNext),
    begun: db.prepare(texts.begun),
    due: db.prepare(texts.due),
    waiting: db.prepare(texts.waiting),
    addMessage: db.prepare(texts.addMessage),
    joinMessage: db.prepare(texts.joinMessage),
    drop: db.prepare(texts.drop),
    postpone: db.prepare(texts.postpone),
    annotationsOf: db.prepare(texts.annotationsOf),
    settleEntries: db.prepare(texts.settleEntries),
    settle: db.prepare(texts.settle),
    note: db.prepare(channelSql(p).note),
    sentSince: db.prepare(texts.sentSince),
    counts: db.prepare(texts.counts),
    message: db.prepare(texts.message),
    failed: db.prepare(texts.failed),
    waitAgain: db.prepare(texts.waitAgain),
    enterAgain: db.prepare(texts.enterAgain),
    oldEntries: db.prepare(
      `SELECT annotation, channel, created_at < ?3 AS isOld FROM outbox WHERE (annotation, channel) > (?1, ?2)
       ORDER BY annotation, channel LIMIT ${OLD_PORTION}`,
    ),
    removeEntry: db.prepare('DELETE FROM outbox WHERE annotation = ? AND channel = ?'),
    removeMessages: db.prepare(
      `DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE created_at < ? ORDER BY created_at LIMIT ${OLD_PORTION})`,
    ),
  }
}

type EntryKey = { annotation: number; channel: string; isOld: 0 | 1 }

/** Scans all waiting entries: an index on their age would cost every annotation. */
async function removeOld(db: Database, sql: ReturnType<typeof deliveryStatements>, at: number): Promise<number> {
  let removed = 0
  let from: { annotation: number; channel: string } = { annotation: 0, channel: '' }
  for (;;) {
    const rows = db.read(() => sql.oldEntries.all(from.annotation, from.channel, at)) as EntryKey[]
    const old = rows.filter(({ isOld }) => isOld === 1)
    if (old.length > 0)
      db.write(() => {
        for (const { annotation, channel } of old) removed += Number(sql.removeEntry.run(annotation, channel).changes)
      })
    if (rows.length < OLD_PORTION) break
    from = rows.at(-1)!
    await setImmediate()
  }
  for (;;) {
    const portion = db.write(() => Number(sql.removeMessages.run(at).changes))
    removed += portion
    if (portion < OLD_PORTION) return removed
    await setImmediate()
  }
}

/** Removes entries and messages when a channel is switched off or removed. Everything here runs in the caller's transaction. */
export function createChannelClearing(db: Database) {
  const sql = {
    waitingAnnotations: db.prepare(texts.waitingAnnotations),
    clearWaiting: db.prepare(texts.clearWaiting),
    clearUnplanned: db.prepare(texts.clearUnplanned),
    clearBegun: db.prepare(texts.clearBegun),
    failWaiting: db.prepare(texts.failWaiting),
    clearMessages: db.prepare(texts.clearMessages),
    clearNext: db.prepare(texts.clearNext),
    findNext: db.prepare(texts.findNext),
    dropEmpty: db.prepare(texts.dropEmpty),
  }

  function clearEntries(channel: string): void {
    const begun = annotationsIn(sql.waitingAnnotations.all(channel) as { annotations: string }[])
    sql.clearUnplanned.run(channel)
    sql.clearWaiting.run(channel)
    sql.clearBegun.run(channel, JSON.stringify(begun))
  }

  return {
    switchOff(channel: string): void {
      clearEntries(channel)
      sql.failWaiting.run(channel)
      sql.clearNext.run(channel)
    },
    /** Call before the channel is removed. */
    remove(channel: string): void {
      clearEntries(channel)
      sql.clearMessages.run(channel)
    },
    /** Call after entries of these messages were removed with their annotations. */
    dropEmpty(messages: ReadonlySet<string>): void {
      if (messages.size > 0) sql.dropEmpty.run(JSON.stringify([...messages]))
    },
    /** Recomputes `next_at`, so that waiting entries are sent as soon as they are due. */
    resume: (channel: string): void => void sql.findNext.run(channel),
  }
}

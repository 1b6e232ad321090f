import type { Channel, ChannelChange, ChannelDraft, ChannelHealth } from '../contracts/channels.ts'

export const freshHealth: ChannelHealth = { state: 'active', reason: '', failures: 0, retryAt: 0, sentAt: 0 }

export type ChannelRow = Omit<Channel, 'settings'> & { settings: string }

export function channelOf({ settings, ...row }: ChannelRow): Channel {
  return { ...row, settings: JSON.parse(settings) }
}

export function newChannel(draft: ChannelDraft): Channel {
  return { ...draft, ...freshHealth }
}

/** Whether waiting entries and messages can be tried at once. */
export const isResumed = ({ settings, state }: ChannelChange): boolean => settings !== undefined || state === 'active'

export function changedChannel(channel: Channel, to: ChannelChange): Channel {
  const { name, settings, state } = to
  const isCleared = isResumed(to)
  const health = isCleared ? { ...freshHealth, sentAt: channel.sentAt } : {}
  return {
    ...channel,
    ...health,
    ...(name !== undefined && { name }),
    ...(settings !== undefined && { settings }),
    state: state ?? (isCleared && channel.state === 'failing' ? 'active' : channel.state),
  }
}

const columns = [
  'id',
  'owner',
  'kind',
  'name',
  'settings',
  'created_at',
  'state',
  'reason',
  'failures',
  'retry_at',
  'sent_at',
]

export const shownChannel = `id, owner, kind, name, settings, created_at AS "createdAt", state,
  reason, failures, retry_at AS "retryAt", sent_at AS "sentAt"`

/** Statements of both engines; `p(n)` is the nth parameter. */
export function channelSql(p: (n: number) => string) {
  return {
    add: `INSERT INTO channels (${columns.join(', ')}) VALUES (${columns.map((_, n) => p(n + 1)).join(', ')})`,
    list: `SELECT ${shownChannel} FROM channels WHERE owner = ${p(1)} ORDER BY created_at, id`,
    find: `SELECT ${shownChannel} FROM channels WHERE id = ${p(1)}`,
    change: `UPDATE channels SET name = ${p(2)}, settings = ${p(3)}, state = ${p(4)}, reason = ${p(5)}, failures = ${p(6)},
      retry_at = ${p(7)} WHERE id = ${p(1)}`,
    // A channel that its owner switched off in the meantime stays off.
    note: `UPDATE channels SET state = CASE WHEN state = 'off' THEN state ELSE ${p(2)} END, reason = ${p(3)}, failures = ${p(4)},
      retry_at = ${p(5)}, sent_at = ${p(6)} WHERE id = ${p(1)}`,
    figures: `SELECT c.kind, count(*) AS channels, CAST(sum(CASE WHEN c.state = 'failing' THEN 1 ELSE 0 END) AS bigint) AS failing,
      CAST(coalesce(sum(w.n), 0) AS bigint) AS waiting
      FROM channels c LEFT JOIN (SELECT channel, count(*) AS n FROM outbox GROUP BY channel) w ON w.channel = c.id
      GROUP BY c.kind ORDER BY c.kind`,
    remove: `DELETE FROM channels WHERE owner = ${p(1)} AND id = ${p(2)}`,
  }
}

export function addValues(channel: Channel): (string | number)[] {
  const { id, owner, kind, name, settings, createdAt, state, reason, failures, retryAt, sentAt } = channel
  return [id, owner, kind, name, JSON.stringify(settings), createdAt, state, reason, failures, retryAt, sentAt]
}

export function changeValues({ id, name, settings, state, reason, failures, retryAt }: Channel): (string | number)[] {
  return [id, name, JSON.stringify(settings), state, reason, failures, retryAt]
}

export function noteValues(
  id: string,
  { state, reason, failures, retryAt, sentAt }: ChannelHealth,
): (string | number)[] {
  return [id, state, reason, failures, retryAt, sentAt]
}

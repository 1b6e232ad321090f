import type { InboxState, Marks } from '../inbox.ts'

/** Rows of a state, as its index says it. */
export const stateRows: Record<InboxState, string> = {
  unread: 'NOT i.archived AND NOT i.read',
  all: 'NOT i.archived',
  starred: 'i.starred',
  archived: 'i.archived',
}

/** The same said so that no index of a state knows itself in it: then that of the profile is what is left. */
const stateFilter: Record<InboxState, string> = {
  unread: '(i.archived::int = 0 AND i.read::int = 0)',
  all: 'i.archived::int = 0',
  starred: 'i.starred::int = 1',
  archived: 'i.archived::int = 1',
}

/**
 * A walk through an owner's inbox, the newest first, until there is enough. `state` goes along the index of the state, `profile`
 * along that of the profile; the other conditions are held against what is met.
 */
export type WalkShape = {
  along: 'state' | 'profile'
  state: InboxState
  /** With `along: 'state'`: whether it is narrowed to a profile. */
  ofProfile: boolean
  /** Only what marks would change. */
  changing: boolean
}

export type WalkValues = {
  owner: string
  highest: number
  limit: number
  urgency: number | null
  beforeMs: number | null
  afterMs: number | null
  changedBy: Marks
  profile: string | null
}

/** Few shapes, so that each is planned once: what is not asked for is null. */
export function walkStatement({ along, state, ofProfile, changing }: WalkShape, columns = 'i.id'): string {
  const conditions = [
    'i.owner = $1',
    'i.id <= $2',
    along === 'state' ? stateRows[state] : stateFilter[state],
    '($4::float8 IS NULL OR i.urgency >= $4::float8)',
    '($5::bigint IS NULL OR i.at < $5::bigint)',
    '($6::bigint IS NULL OR i.at >= $6::bigint)',
    changing
      ? '(i.read <> $7::boolean OR i.starred <> $8::boolean OR i.archived <> $9::boolean)'
      : 'coalesce($7::boolean, $8::boolean, $9::boolean) IS NULL',
  ]
  // An expression keeps the index of the profile out of it.
  if (along === 'profile') conditions.push('i.profile = $10')
  else conditions.push(ofProfile ? `(i.profile || '') = $10::text` : '$10::text IS NULL')
  return `SELECT ${columns} FROM inbox i WHERE ${conditions.join(' AND ')} ORDER BY i.id DESC LIMIT $3`
}

export function walkValues(values: WalkValues): unknown[] {
  const { owner, highest, limit, urgency, beforeMs, afterMs, changedBy, profile } = values
  const marks = [changedBy.read ?? null, changedBy.starred ?? null, changedBy.archived ?? null]
  return [owner, highest, limit, urgency, beforeMs, afterMs, ...marks, profile]
}

/** The first `$3` of a walk, held against words: how many were looked at, and which of them have the words. */
export function heldAgainstWords(shape: WalkShape): string {
  return `WITH walked AS MATERIALIZED (${walkStatement(shape)})
    SELECT count(*)::int AS looked, array_agg(i.id ORDER BY i.id DESC) FILTER (WHERE w.words @@ $11::tsquery) AS ids
    FROM walked i JOIN inbox_words w ON w.annotation = i.id`
}

/** Along the matches of the index of words: what the state and the rest say is held against each, the newest first. */
export function wordsStatement(shape: WalkShape): string {
  return `WITH found AS MATERIALIZED (SELECT annotation FROM inbox_words WHERE words @@ $11::tsquery)
    ${walkStatement(shape).replace('FROM inbox i', 'FROM found JOIN inbox i ON i.id = found.annotation')}`
}

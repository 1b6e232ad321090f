import type { StatementSync } from 'node:sqlite'
import type { InboxFilter, InboxState, Marks } from '../../contracts/inbox.ts'
import { narrowedState } from '../../rules/inbox-counts.ts'
import type { Database } from '../folder/database.ts'
import { alongProfile, alongState, alongWords, type Walk } from './inbox-walks.ts'
import { type Condition, wordCondition, wordSearch } from './inbox-words.ts'

export type Selection = {
  /** No id above it; null for no limit. */
  highest: number | null
  limit: number
  /** Only what these marks would change. */
  changedBy?: Marks
}

/** Queries about sites come in no end of shapes; nothing is lost where one is prepared again. */
const MAX_SHAPES = 200

const countOf: Record<InboxState, string> = { unread: 'unread', all: 'shown', starred: 'starred', archived: 'archived' }

type Numbers = { inState: number; inAll: number }

/**
 * Finds ids, the newest first. There are three ways to walk: along the index of the state, along that of the profile, or
 * along the matches in the table of words. The counts that are kept tell which is short. On each way the
 * other conditions are held against what is met, and the walk ends when there is enough.
 */
export function createInboxSelection(db: Database) {
  const shapes = new Map<string, StatementSync>()

  function prepare(sql: string): StatementSync {
    const known = shapes.get(sql)
    if (known !== undefined) return known
    if (shapes.size >= MAX_SHAPES) shapes.clear()
    const made = db.prepare(sql)
    shapes.set(sql, made)
    return made
  }

  function count(owner: string, state: InboxState, profile: string | null): Numbers {
    const sql = `SELECT coalesce(sum(${countOf[state]}), 0) AS inState, coalesce(sum(shown + archived), 0) AS inAll
      FROM inbox_counts WHERE owner = ?${profile === null ? '' : ' AND profile = ?'}`
    return prepare(sql).get(...(profile === null ? [owner] : [owner, profile])) as Numbers
  }

  /** The shortest walk; null where there is nothing to find. */
  function planOf(owner: string, filter: InboxFilter, { highest, limit, changedBy }: Selection): Condition | null {
    const { profile = null, query } = filter
    const state = narrowedState(filter.state, changedBy)
    const walk: Walk = { owner, state, profile, highest, limit, conditions: rowConditions(filter, changedBy) }
    const node = query?.match ?? null
    if (profile === null && node === null) return alongState(walk)
    const all = count(owner, state, null)
    const own = profile === null ? all : count(owner, state, profile)
    if (own.inState === 0) return null
    const alongRows = profile !== null && own.inAll < all.inState ? alongProfile : alongState
    const walkWith = (conditions: readonly Condition[]): Walk => ({
      ...walk,
      limit: Math.min(limit, own.inState),
      conditions: [...walk.conditions, ...conditions],
    })
    if (node === null) return alongRows(walkWith([]))
    const { match, conditions } = wordSearch(owner, node)
    if (match === null) return alongRows(walkWith(conditions))
    // To hold one row against the words costs as much as to pass 75 matches, and of a rare state one must pass many.
    if (own.inState ** 2 * 2 < all.inAll) return alongRows(walkWith([wordCondition(owner, node)]))
    return alongWords(walkWith(conditions), match)
  }

  return {
    planOf,
    select(owner: string, filter: InboxFilter, selection: Selection): number[] {
      const plan = planOf(owner, filter, selection)
      if (plan === null) return []
      return (prepare(plan.sql).all(...plan.values) as { id: number }[]).map(({ id }) => id)
    },
  }
}

function rowConditions({ urgency, query }: InboxFilter, changedBy: Marks | undefined): Condition[] {
  const conditions: Condition[] = []
  if (urgency !== undefined) conditions.push({ sql: 'a.urgency >= ?', values: [urgency] })
  if ((query?.beforeMs ?? null) !== null) conditions.push({ sql: 'a.at < ?', values: [query!.beforeMs] })
  if ((query?.afterMs ?? null) !== null) conditions.push({ sql: 'a.at >= ?', values: [query!.afterMs] })
  if (changedBy !== undefined) conditions.push(changeCondition(changedBy))
  return conditions
}

function changeCondition({ read, starred, archived }: Marks): Condition {
  const differs: string[] = []
  for (const [mark, wanted] of Object.entries({ read, starred, archived }))
    if (wanted !== undefined) differs.push(`a.${mark} = ${wanted ? 0 : 1}`)
  return { sql: differs.length === 0 ? 'FALSE' : `(${differs.join(' OR ')})`, values: [] }
}

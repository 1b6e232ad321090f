import { addedCounts, type CheckResult } from '../../../core/check-order.ts'
import type { AskedStore, CheckResultStore, CheckStore, ScheduleStats } from '../../contracts/cluster/events.ts'
import { addWatch } from '../../rules/offers.ts'
import { createCitusQuestion } from '../connection/citus-extension.ts'
import type { PostgresPool, Sender } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { type KnownLinks, type OfferParcel, offerValues, sortOffers } from '../frontier/frontier-offers.ts'
import { frontierReads, type OfferAnswer } from '../frontier/frontier-rows.ts'
import { checkLeader, leaderLost } from '../leases/leader.ts'

/** The role whose leader takes the results. */
export const schedulerRole = 'scheduler'
export const resultsChannel = 'news'

const resultStatements = {
  put: `WITH put AS (INSERT INTO news (news) SELECT value FROM jsonb_array_elements($1::jsonb))
    SELECT pg_notify('${resultsChannel}', '')`,
  // There is one taker, so only a clean-up locks rows: wait for it rather than skip a row.
  take: 'DELETE FROM news WHERE id IN (SELECT id FROM news ORDER BY id LIMIT $1 FOR UPDATE) RETURNING id, news AS result',
  sum: `INSERT INTO watch_progress AS p (watch, changed, unchanged, failed, source, landed, counts)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::jsonb[], $6::text[], $7::jsonb[])
    ON CONFLICT (watch) DO UPDATE SET changed = p.changed + excluded.changed, unchanged = p.unchanged + excluded.unchanged,
      failed = p.failed + excluded.failed, source = coalesce(excluded.source, p.source),
      landed = coalesce(excluded.landed, p.landed), counts = (
        SELECT jsonb_object_agg(name, n) FROM (
          SELECT key AS name, sum(value::bigint) AS n FROM (
            SELECT * FROM jsonb_each_text(p.counts) UNION ALL SELECT * FROM jsonb_each_text(excluded.counts)
          ) each GROUP BY key
        ) sums)`,
  progress: `SELECT watch, 0 AS queued, changed, unchanged, failed, source, landed, counts FROM watch_progress
    ORDER BY watch`,
  queued: 'SELECT watch, count(*) AS n FROM queue WHERE watch > 0 AND watch = ANY($1) GROUP BY watch',
  allQueued: 'SELECT watch, count(*) AS n FROM queue WHERE watch > 0 GROUP BY watch',
}

/** For the transactions that begin or end checks. */
export const forgetProgress = 'DELETE FROM watch_progress WHERE watch = ANY($1)'

export function createPostgresCheckResults(pool: PostgresPool): CheckResultStore {
  const isSpread = createCitusQuestion()

  async function count(watches: readonly number[] | null): Promise<Map<number, number>> {
    type Count = { watch: number; n: number }
    const rows = await (watches === null
      ? pool.query<Count>(resultStatements.allQueued)
      : pool.query<Count>(resultStatements.queued, [watches]))
    return new Map(rows.map(({ watch, n }) => [watch, n]))
  }

  return {
    put: (results) => putResults(pool, results),
    take: (leaderEpoch, limit) =>
      pool.transaction(async (tx) => {
        await checkLeader(tx, schedulerRole, leaderEpoch)
        const rows = await tx.query<{ id: number; result: CheckResult }>(resultStatements.take, [limit])
        const results = rows.sort((a, b) => a.id - b.id).map((row) => row.result)
        if (results.length > 0) await tx.query(resultStatements.sum, sumValues(results))
        return results
      }),
    async progress() {
      type Sums = Omit<CheckResult, 'counts'> & { counts: Record<string, number> | null }
      const rows = await pool.query<Sums>(resultStatements.progress)
      return rows.map(({ counts, ...sums }) => (counts === null ? sums : { ...sums, counts }))
    },
    async queued(watches) {
      const counts = await count(watches)
      if (!(await isSpread(pool))) return counts
      // Servers are read one after the other: links may have been queued on one already read, and their page done on one not yet read.
      const none = watches?.filter((watch) => !counts.has(watch)) ?? null
      const late = none?.length === 0 ? [] : await count(none)
      for (const [watch, n] of late) if (!counts.has(watch)) counts.set(watch, n)
      return counts
    },
  }
}

/** Can be part of a transaction: the results then become visible with the rest. */
export async function putResults(sender: Pick<Sender, 'query'>, results: readonly CheckResult[]): Promise<void> {
  if (results.length > 0) await sender.query(resultStatements.put, [JSON.stringify(results, keepable)])
}

/** PostgreSQL can't store every text that JSON can express. */
function keepable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? storable(value).toWellFormed() : value
}

/** One row per watch; the last report of the source counts. Only crawls have `counts`. */
function sumValues(results: readonly CheckResult[]): unknown[] {
  const sums = new Map<number, CheckResult>()
  for (const each of results) {
    const sum = sums.get(each.watch)
    if (sum === undefined) sums.set(each.watch, { ...each })
    else {
      sum.changed += each.changed
      sum.unchanged += each.unchanged
      sum.failed += each.failed
      sum.source = each.source ?? sum.source
      sum.landed = each.landed ?? sum.landed
      if (each.counts !== undefined) sum.counts = addedCounts(sum.counts ?? {}, each.counts)
    }
  }
  const all = [...sums.values()]
  return [
    all.map(({ watch }) => watch),
    all.map(({ changed }) => changed),
    all.map(({ unchanged }) => unchanged),
    all.map(({ failed }) => failed),
    all.map(({ source }) => (source === null ? null : JSON.stringify(source))),
    all.map(({ landed }) => landed),
    all.map(({ counts }) => (counts === undefined ? null : JSON.stringify(counts))),
  ]
}

const statsStatements = {
  put: `INSERT INTO control (name, value) VALUES ('schedule', $1::jsonb)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  read: `SELECT value FROM control WHERE name = 'schedule'`,
  tasks: 'SELECT count(*) AS n FROM (SELECT 1 FROM tasks WHERE aside_at = 0 LIMIT $1) t',
}

export function createScheduleStats(pool: PostgresPool): ScheduleStats {
  return {
    put: (leaderEpoch, stats) =>
      pool.transaction(async (tx) => {
        await checkLeader(tx, schedulerRole, leaderEpoch)
        await tx.query(statsStatements.put, [JSON.stringify(stats)])
      }),
    read: async () => (await pool.query<{ value: unknown }>(statsStatements.read))[0]?.value ?? null,
  }
}

/** Number of versions that wait for the annotation engine, counted up to `limit`: there may be millions. */
export async function countTasksUpTo(pool: PostgresPool, limit: number): Promise<number> {
  const [row] = await pool.query<{ n: number }>(statsStatements.tasks, [limit])
  return row!.n
}

const askedChannel = 'asked'

const askedStatements = {
  ask: `WITH put AS (INSERT INTO asked (watch) SELECT unnest($1::bigint[]) ON CONFLICT (watch) DO NOTHING)
    SELECT pg_notify('${askedChannel}', '')`,
  take: 'DELETE FROM asked RETURNING watch',
}

export function createPostgresAsked(pool: PostgresPool): AskedStore {
  return {
    async ask(watches) {
      if (watches.length > 0) await pool.query(askedStatements.ask, [watches])
    },
    take: (leaderEpoch) =>
      pool.transaction(async (tx) => {
        await checkLeader(tx, schedulerRole, leaderEpoch)
        const rows = await tx.query<{ watch: number }>(askedStatements.take)
        return rows.map(({ watch }) => watch)
      }),
  }
}

const parameters = Array.from({ length: 21 }, (_, at) => `$${at + 3}`).join(', ')

/** The role is locked until the offers are written: the next leader finds them in the queue, or they are refused. */
const fencedOffer = `SELECT frontier_offer(${parameters}) AS answer
  FROM (SELECT 1 FROM leaders WHERE name = $1 AND epoch = $2 FOR KEY SHARE) fence`

/** Checks belong to no run; partitions in a later run stay in it. */
const RUN = 1
/** Requests of watches don't count towards the limit. */
const MAX_URLS_PER_HOST = Number.MAX_SAFE_INTEGER
const nothingKnown: KnownLinks = { has: () => false, add: () => {} }

/** Puts checks into the frontier. Each partition has its own statement, so some may fail; the caller then reads what is queued. */
export function createPostgresChecks(pool: PostgresPool): CheckStore {
  async function send(epoch: number, parcel: OfferParcel, counts: Map<number, number>): Promise<boolean> {
    const values = [schedulerRole, epoch, ...offerValues(parcel, RUN, MAX_URLS_PER_HOST)]
    const [row] = await pool.query<{ answer: OfferAnswer }>(fencedOffer, values)
    if (row === undefined) throw leaderLost(schedulerRole)
    const { accepted } = row.answer.offered
    for (const n of accepted) addWatch(counts, parcel.offers[n - 1]!.check.watch, 1)
    return accepted.length > 0
  }

  return {
    async offer(leaderEpoch, offers) {
      const { parcels } = sortOffers(offers, nothingKnown)
      const counts = new Map<number, number>()
      const woken = new Set<number>()
      const results = await Promise.allSettled(
        parcels.map(async (parcel) => {
          if (await send(leaderEpoch, parcel, counts)) woken.add(parcel.partition)
        }),
      )
      // Not awaited: the holders also poll.
      if (woken.size > 0) pool.query(frontierReads.wake, [[...woken]]).catch(() => {})
      for (const result of results) if (result.status === 'rejected') throw result.reason
      return counts
    },
  }
}

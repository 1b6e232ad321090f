import type { WatchCheck, WatchOutcome, WatchStore } from '../../contracts/watches.ts'
import { isFailingSql, MAX_CHECKS, type StoredWatch, tookMs, visitsText, watchOf } from '../../rules/watch-checks.ts'
import { newestVersion } from '../archive/versions.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { checkLeader } from '../leases/leader.ts'
import { forgetProgress, schedulerRole } from './schedule.ts'

const columns = `w.id, w.key, w.uri, w.landed, w.round, w.mark, w.finished_mark AS "finishedMark", w.checked_at AS "checkedAt",
  w.outcome, w.status, w.since, w.changed_at AS "changedAt", w.state, w.visits`

export type PostgresWatchesOptions = {
  /** Epoch of the scheduler's leader: writes throw `lease-lost` if another process leads. If omitted, nothing is checked. */
  epoch?: number
}

export function createPostgresWatches(pool: PostgresPool, { epoch }: PostgresWatchesOptions = {}): WatchStore {
  const fence = async (tx: Tx): Promise<void> => {
    if (epoch !== undefined) await checkLeader(tx, schedulerRole, epoch)
  }

  return {
    all: async () => (await pool.query<StoredWatch>(`SELECT ${columns} FROM watches w ORDER BY w.id`)).map(watchOf),
    async find(ids) {
      const rows = await pool.query<StoredWatch>(
        `SELECT ${columns} FROM unnest($1::bigint[]) WITH ORDINALITY AS given (id, place)
         JOIN watches w ON w.id = given.id ORDER BY given.place`,
        [ids],
      )
      return rows.map(watchOf)
    },
    async newestRound() {
      const [row] = await pool.query<{ at: number }>(
        'SELECT coalesce(max(greatest(round, checked_at)), 0) AS at FROM watches',
      )
      return row!.at
    },
    async begin(rounds) {
      return pool.transaction(async (tx) => {
        const mark = await newestVersion(tx)
        // After reading the mark, which lags in a transaction that holds a lock.
        await fence(tx)
        await tx.query(forgetProgress, [rounds.map(({ watch }) => watch)])
        await tx.query(
          `UPDATE watches w SET round = b.round, mark = $4, visits = b.visits
           FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS b (watch, round, visits) WHERE w.id = b.watch`,
          [
            rounds.map(({ watch }) => watch),
            rounds.map(({ round }) => round),
            rounds.map(({ visits }) => visitsText(visits)),
            mark,
          ],
        )
        return mark
      })
    },
    async finish(outcomes) {
      await pool.transaction(async (tx) => {
        await fence(tx)
        await tx.query(forgetProgress, [outcomes.map(({ watch }) => watch)])
        for (const once of eachOnce(outcomes)) await finish(tx, once)
      })
    },
    async saveStates(states) {
      // If a watch has several, the last counts.
      const last = new Map(states.map(({ watch, state }) => [watch, storable(state)]))
      if (last.size === 0) return
      await pool.transaction(async (tx) => {
        await fence(tx)
        await tx.query(saveStates, [[...last.keys()], [...last.values()]])
      })
    },
    checks: (watch, limit) =>
      pool.query<WatchCheck>(
        `SELECT at, outcome, status, changed, took_ms AS "tookMs" FROM checks WHERE watch = $1 ORDER BY at DESC LIMIT $2`,
        [watch, limit],
      ),
  }
}

const saveStates = `UPDATE watches w SET state = s.state FROM unnest($1::bigint[], $2::text[]) AS s (watch, state)
  WHERE w.id = s.watch AND w.state <> s.state`

/** Splits outcomes into groups in which each watch occurs once; nearly always there is one group. */
function eachOnce(outcomes: readonly WatchOutcome[]): WatchOutcome[][] {
  const rounds: WatchOutcome[][] = []
  const met = new Map<number, number>()
  for (const outcome of outcomes) {
    const round = met.get(outcome.watch) ?? 0
    met.set(outcome.watch, round + 1)
    rounds[round] ??= []
    rounds[round].push(outcome)
  }
  return rounds
}

async function finish(tx: Tx, outcomes: readonly WatchOutcome[]): Promise<void> {
  const rounds = await noteOutcomes(tx, outcomes)
  const there = outcomes.filter(({ watch }) => rounds.has(watch))
  const visits = there.flatMap(({ watch, checkedAt, visited }) => visited.map((urd) => ({ urd, watch, checkedAt })))
  if (visits.length > 0)
    await tx.query(
      `UPDATE urds u SET visited_at = v.at FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS v (urd, watch, at)
       WHERE u.id = v.urd AND u.watch = v.watch AND u.visited_at = 0`,
      [visits.map(({ urd }) => urd), visits.map(({ watch }) => watch), visits.map(({ checkedAt }) => checkedAt)],
    )
  const checks = there.filter(({ isVisit }) => isVisit !== true)
  if (checks.length > 0) await noteChecks(tx, checks, rounds)
}

/** Returns the round of each watch that exists. */
async function noteOutcomes(tx: Tx, outcomes: readonly WatchOutcome[]): Promise<Map<number, number>> {
  const rows = await tx.query<{ id: number; round: number }>(
    `UPDATE watches w SET finished_mark = w.mark, checked_at = o.at, status = o.status,
       landed = coalesce(o.landed, w.landed), outcome = o.outcome, visits = '',
       since = CASE WHEN w.since = 0 OR ${isFailingSql('w.outcome')} <> ${isFailingSql('o.outcome')} THEN o.at ELSE w.since END,
       changed_at = CASE WHEN o.changes > 0 THEN o.at ELSE w.changed_at END
     FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::bigint[], $6::text[])
       AS o (watch, at, outcome, status, changes, landed)
     WHERE w.id = o.watch RETURNING w.id, w.round`,
    [
      outcomes.map(({ watch }) => watch),
      outcomes.map(({ checkedAt }) => checkedAt),
      outcomes.map(({ outcome }) => storable(outcome)),
      outcomes.map(({ status }) => status),
      outcomes.map(({ changes }) => changes),
      outcomes.map(({ landed }) => (landed === null ? null : storable(landed))),
    ],
  )
  return new Map(rows.map(({ id, round }) => [id, round]))
}

async function noteChecks(
  tx: Tx,
  outcomes: readonly WatchOutcome[],
  rounds: ReadonlyMap<number, number>,
): Promise<void> {
  const watches = outcomes.map(({ watch }) => watch)
  const times = outcomes.map(({ checkedAt }) => checkedAt)
  // Checks stamped later than the newest one come from a clock that has been set back since.
  await tx.query(
    `DELETE FROM checks c USING unnest($1::bigint[], $2::bigint[]) AS o (watch, at)
     WHERE c.watch = o.watch AND (c.at >= o.at OR c.at <= (SELECT x.at FROM checks x
       WHERE x.watch = o.watch AND x.at < o.at ORDER BY x.at DESC LIMIT 1 OFFSET ${MAX_CHECKS - 1}))`,
    [watches, times],
  )
  await tx.query(
    `INSERT INTO checks (watch, at, outcome, status, changed, took_ms)
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::bigint[], $6::bigint[])`,
    [
      watches,
      times,
      outcomes.map(({ outcome }) => storable(outcome)),
      outcomes.map(({ status }) => status),
      outcomes.map(({ changes }) => changes),
      outcomes.map(({ watch, checkedAt }) => tookMs(rounds.get(watch)!, checkedAt)),
    ],
  )
}

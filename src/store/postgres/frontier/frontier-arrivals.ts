import { isAppError } from '../../../core/errors.ts'
import type { QueuedRequest } from '../../../core/request.ts'
import type { Arrival, HostState } from '../../contracts/frontier.ts'
import type { PostgresPool } from '../connection/pool.ts'
import type { HeldPartition, HeldPartitions } from './frontier-partitions.ts'
import {
  type FrontierFacts,
  frontierReads,
  frontierStatements,
  type HostRow,
  type QueueRow,
  requestOfRow,
  stateOfRow,
} from './frontier-rows.ts'

/** Batch size for reading rows that others have queued. */
const PORTION = 1_000

/**
 * Notifies the shard of requests queued in its partitions: its own at once, those of others when it polls. Numbers of a partition grow
 * in commit order, so all rows not yet reported come after one number, and each row is reported once.
 */
export function createArrivals({
  pool,
  partitions,
  run,
}: {
  pool: PostgresPool
  partitions: HeldPartitions
  run: number
}) {
  let listener: (arrivals: readonly Arrival[]) => void = () => {}

  function tell(held: HeldPartition, arrivals: readonly Arrival[]): void {
    if (arrivals.length > 0 && !held.isDropped) listener(arrivals)
  }

  /** Runs in the partition's turn. */
  async function tellUpTo(held: HeldPartition, seq: number): Promise<void> {
    while (held.told < seq && !held.isDropped) {
      const values = [held.partition, held.told, seq, PORTION]
      const rows = await pool.query<QueueRow & { host: number }>(frontierStatements.arrived, values)
      const ids = [...new Set(rows.map(({ host }) => host))]
      const hosts = ids.length === 0 ? [] : await pool.query<HostRow>(frontierStatements.hosts, [held.partition, ids])
      const states = new Map(hosts.map((row) => [row.id, stateOfRow(row, run)]))
      held.told = rows.length < PORTION ? seq : rows.at(-1)!.seq
      tell(
        held,
        groupByHost(
          rows.map((row) => requestOfRow(row, row.host, states.get(row.host)?.host ?? '')),
          states,
        ),
      )
    }
  }

  function look(held: HeldPartition): Promise<void> {
    held.look ??= partitions.inTurn(held, async () => {
      held.look = null
      if (held.isDropped) return
      const [facts] = await pool.query<FrontierFacts>(frontierReads.facts, [[held.partition]])
      if (facts === undefined) return
      await tellUpTo(held, facts.seq)
      held.facts = facts
    })
    return held.look
  }

  return {
    listen(next: (arrivals: readonly Arrival[]) => void): void {
      listener = next
    },
    look,
    /** Polls the partitions that have something new. */
    async lookAround(): Promise<void> {
      const numbers = partitions.numbers()
      if (numbers.length === 0) return
      const rows = await pool.query<FrontierFacts>(frontierReads.facts, [numbers])
      const behind = rows.map((facts) => ({ facts, held: partitions.get(facts.partition) }))
      const looks = behind.map(({ facts, held }) => (held !== undefined && held.told < facts.seq ? look(held) : null))
      await Promise.all(looks)
    },
    /** Reports new priorities of rows that were reported before. Runs in the partition's turn. */
    async tellRaised(held: HeldPartition, rows: readonly (QueueRow & { host: number })[]): Promise<void> {
      const told = rows.filter(({ seq }) => seq <= held.told)
      if (told.length === 0) return
      const ids = [...new Set(told.map(({ host }) => host))]
      const hosts = await pool.query<HostRow>(frontierStatements.hosts, [held.partition, ids])
      const states = new Map(hosts.map((row) => [row.id, stateOfRow(row, run)]))
      const raised = told.map((row) => requestOfRow(row, row.host, states.get(row.host)?.host ?? ''))
      tell(
        held,
        groupByHost(raised, states).map(({ state, rows: moved }) => ({ state, rows: [], raised: moved })),
      )
    },
    /**
     * Processes the answer of one of our own calls; runs in the partition's turn. If rows that others queued before can't be read now, our
     * own rows wait with theirs for the next poll.
     */
    async takeIn(held: HeldPartition, answer: { before: number; facts: FrontierFacts }, own: readonly Arrival[]) {
      held.facts = answer.facts
      try {
        await tellUpTo(held, answer.before)
      } catch (error) {
        if (!isAppError(error) || error.retry === 'never') throw error
        return
      }
      held.told = answer.facts.seq
      tell(held, own)
    },
  }
}

export type Arrivals = ReturnType<typeof createArrivals>

export function groupByHost(rows: readonly QueuedRequest[], states: ReadonlyMap<number, HostState>): Arrival[] {
  const groups = new Map<number, { state: HostState; rows: QueuedRequest[] }>()
  for (const row of rows) {
    const group = groups.get(row.hostId)
    const state = states.get(row.hostId)
    if (group !== undefined) group.rows.push(row)
    else if (state !== undefined) groups.set(row.hostId, { state, rows: [row] })
  }
  return [...groups.values()]
}

import type { PartitionGrant } from '../../contracts/cluster/partition-leases.ts'
import type { HostState } from '../../contracts/frontier.ts'
import type { PostgresPool } from '../connection/pool.ts'
import type { FrontierFacts } from './frontier-rows.ts'
import { frontierStatements, type HostRow, stateOfRow } from './frontier-rows.ts'

/** A partition that this shard holds. */
export type HeldPartition = PartitionGrant & {
  /** The listener was notified of requests up to this number. Later ones aren't handed out until it is. */
  told: number
  facts: FrontierFacts
  /** Resolves when the last work queued for this partition is over. */
  turn: Promise<unknown>
  /** A pending poll for requests queued by others that hasn't begun yet. */
  look: Promise<void> | null
  isDropped: boolean
}

export const partitionOfId = (id: number): number => id % 256

/**
 * The partitions of a shard. Work on one of them is serialised, so that answers arrive in the order of the changes they report;
 * different partitions are independent.
 */
export function createHeldPartitions() {
  const held = new Map<number, HeldPartition>()
  return {
    get: (partition: number): HeldPartition | undefined => held.get(partition),
    ofHost: (hostId: number): HeldPartition | undefined => held.get(partitionOfId(hostId)),
    all: (): HeldPartition[] => [...held.values()],
    numbers: (): number[] => [...held.keys()],
    add(grant: PartitionGrant, facts: FrontierFacts): HeldPartition {
      const earlier = held.get(grant.partition)
      if (earlier !== undefined) earlier.isDropped = true
      const added: HeldPartition = {
        ...grant,
        told: facts.seq,
        facts,
        turn: earlier?.turn ?? Promise.resolve(),
        look: null,
        isDropped: false,
      }
      held.set(grant.partition, added)
      return added
    },
    /** Returns the dropped partition; undefined if it isn't held (under this epoch). */
    drop(partition: number, epoch?: number): HeldPartition | undefined {
      const found = held.get(partition)
      if (found === undefined || (epoch !== undefined && found.epoch !== epoch)) return undefined
      held.delete(partition)
      found.isDropped = true
      return found
    },
    inTurn<T>(partition: HeldPartition, work: () => Promise<T>): Promise<T> {
      const result = partition.turn.then(work)
      partition.turn = result.catch(() => {})
      return result
    },
  }
}

export type HeldPartitions = ReturnType<typeof createHeldPartitions>

type Search = {
  pool: PostgresPool
  run: number
  partitions: readonly HeldPartition[]
  limit: number
  except: ReadonlySet<number>
}

/** How far one partition was read, in the order of its clocks. */
type Reader = { partition: number; excepted: number; last: { next_at: number; id: number } | null; isAtEnd: boolean }

const MIN_PORTION = 32

/**
 * The hosts that may be asked soonest, from many partitions, each read as far as needed: the first batch of each is somewhat more than its
 * share, and only partitions that might have earlier hosts than those found are read further.
 */
export async function findWaitingHosts({ pool, run, partitions, limit, except }: Search): Promise<HostState[]> {
  const excepted = new Map<number, number>()
  for (const id of except) excepted.set(partitionOfId(id), (excepted.get(partitionOfId(id)) ?? 0) + 1)
  let reading: Reader[] = partitions
    .filter(({ facts }) => facts.waiting > 0)
    .map(({ partition }) => ({ partition, excepted: excepted.get(partition) ?? 0, last: null, isAtEnd: false }))
  const portion = Math.min(limit, Math.max(MIN_PORTION, Math.ceil((2 * limit) / Math.max(1, reading.length))))
  let found: HostState[] = []
  while (reading.length > 0 && limit > 0) {
    const pages = await Promise.all(reading.map((reader) => readOn(pool, reader, portion)))
    for (const row of pages.flat()) if (!except.has(row.id)) found.push(stateOfRow(row, run))
    found = found.sort((a, b) => a.nextAt - b.nextAt || a.id - b.id).slice(0, limit)
    const latest = found.length < limit ? Number.POSITIVE_INFINITY : found.at(-1)!.nextAt
    reading = reading.filter(({ isAtEnd, last }) => !isAtEnd && last !== null && last.next_at < latest)
  }
  return found
}

async function readOn(pool: PostgresPool, reader: Reader, portion: number): Promise<HostRow[]> {
  const asked = portion + reader.excepted
  const { next_at, id } = reader.last ?? { next_at: -1, id: 0 }
  const rows = await pool.query<HostRow>(frontierStatements.waiting, [reader.partition, next_at, id, asked])
  reader.isAtEnd = rows.length < asked
  reader.last = rows.at(-1) ?? reader.last
  return rows
}

import { systemClock } from '../../src/core/clock.ts'
import type { PartitionLeases } from '../../src/store/contracts/cluster/partition-leases.ts'
import type { PostgresPool } from '../../src/store/postgres/connection/pool.ts'
import { createPartitionLeases } from '../../src/store/postgres/leases/leases.ts'
import { createRandom } from '../origin/random.ts'

/**
 * Many holders of partitions, using the program's own code, on a real database in simulated time.
 *
 * Every holder sends a heartbeat every `renewEveryMs`, each at its own offset, and soon after being woken by another. Events run in
 * the order of simulated time, as fast as the database answers. Only the expiry of a dead holder's lease is set by hand, since the
 * database's clock can't be changed; real leases are long enough that none expires by itself.
 *
 * A holder that is asked for a partition releases it at once, like one with nothing in flight.
 */
export type Simulation = {
  /** Adds a holder. */
  join(): void
  /** Adds holders within one round, without wake-ups: only heartbeats distribute the partitions. */
  start(count: number): void
  /** A holder with partitions leaves cleanly. Returns how many it had. */
  leave(): Promise<number>
  /** A holder with partitions dies. Returns how many it had. */
  die(): number
  /** Runs until nothing has moved for a whole round of heartbeats. */
  settle(): Promise<Settled>
  /** The number of partitions of each live holder. */
  held(): number[]
}

/** Figures from one settled state to the next. */
export type Settled = {
  /** Partitions that got a new holder. */
  moves: number
  heartbeats: number
  statements: number
  /** Simulated time from the first event to the last move. */
  tookMs: number
  /** The longest time that a partition had no live holder. */
  longestGapMs: number
  /** Average real time of a heartbeat. */
  beatMs: number
}

export type SimulationOptions = {
  pool: PostgresPool
  seed: number
  leaseMs: number
  renewEveryMs: number
}

type Holder = { leases: PartitionLeases; timerAt: number; wokenAt: number; beatAt: number; wanted: number[] }
type Death = { holder: Holder; endsAt: number }

const REAL_LEASE_MS = 3_600_000
/** A notification through the database and a turn of the event loop. */
const WAKE_MS = 20

export function createSimulation(options: SimulationOptions): Simulation {
  const { seed, leaseMs, renewEveryMs } = options
  const random = createRandom(seed)
  const holders = new Set<Holder>()
  const deaths = new Set<Death>()
  /** When a partition lost its live holder. */
  const free = new Map<number, number>()
  const pool = listening(options.pool, wakeAll)
  let isWakeable = true
  let now = 0
  let began = 0
  let movedAt = 0
  let allJoinedAt = 0
  let stats = noStats()
  let joined = 0

  function wakeAll(): void {
    if (!isWakeable) return
    for (const holder of holders) holder.wokenAt = Math.min(holder.wokenAt, now + 1 + random.next() * WAKE_MS)
  }

  function takes(partition: number): void {
    stats.moves++
    movedAt = now
    const since = free.get(partition)
    if (since !== undefined) stats.longestGapMs = Math.max(stats.longestGapMs, now - since)
    free.delete(partition)
  }

  function create(joinsAt: number): Holder {
    const node = `worker-${++joined}-${random.below(0xffffff).toString(16)}`
    const wanted: number[] = []
    const listener = {
      granted: (grants: readonly { partition: number }[]) => {
        for (const { partition } of grants) takes(partition)
      },
      wanted: (partitions: readonly number[]) => void wanted.push(...partitions),
      lost: () => {},
    }
    const clock = systemClock
    const leases = createPartitionLeases({ pool, node, name: node, shard: 0, clock, listener, leaseMs: REAL_LEASE_MS })
    return { leases, timerAt: joinsAt, wokenAt: Infinity, beatAt: joinsAt, wanted }
  }

  async function beat(holder: Holder): Promise<void> {
    if (holder.timerAt <= now) holder.timerAt += renewEveryMs
    holder.wokenAt = Infinity
    holder.beatAt = now
    const startedAt = performance.now()
    await holder.leases.heartbeat()
    stats.beatMs += performance.now() - startedAt
    stats.heartbeats++
    const given = holder.wanted.splice(0)
    if (given.length === 0) return
    for (const partition of given) free.set(partition, now)
    await holder.leases.release(given)
    movedAt = now
  }

  /** Expires its lease for all others. */
  async function expire(death: Death): Promise<void> {
    deaths.delete(death)
    const { holder } = death.holder.leases
    await options.pool.query(`UPDATE leases SET until = now() - interval '1 ms' WHERE holder = $1`, [holder])
    await options.pool.query(`UPDATE holders SET until = now() - interval '1 ms' WHERE holder = $1`, [holder])
    movedAt = now
  }

  /** Runs the next event, unless it is later than `until`. */
  async function step(until: number): Promise<boolean> {
    let first: Holder | Death | null = null
    let at = until
    for (const death of deaths) if (death.endsAt < at) [first, at] = [death, death.endsAt]
    for (const holder of holders) {
      const next = Math.min(holder.timerAt, holder.wokenAt)
      if (next < at) [first, at] = [holder, next]
    }
    if (first === null) return false
    now = at
    await ('endsAt' in first ? expire(first) : beat(first))
    return true
  }

  function pick(): Holder {
    const some = [...holders].filter(({ leases }) => leases.held().length > 0)
    return random.pick(some)
  }

  function begin(): void {
    isWakeable = true
    began = now
    movedAt = now
    stats = noStats()
    pool.count()
  }

  return {
    join() {
      begin()
      holders.add(create(now))
    },
    start(count) {
      begin()
      isWakeable = false
      for (let n = 0; n < count; n++) holders.add(create(now + random.next() * renewEveryMs))
      allJoinedAt = now + renewEveryMs
    },
    async leave() {
      begin()
      const holder = pick()
      holders.delete(holder)
      const held = holder.leases.held()
      for (const partition of held) free.set(partition, now)
      await holder.leases.leave()
      return held.length
    },
    die() {
      begin()
      const holder = pick()
      // At a random time between two heartbeats.
      now = Math.max(now, holder.beatAt + random.next() * renewEveryMs)
      began = now
      holders.delete(holder)
      const held = holder.leases.held()
      for (const partition of held) free.set(partition, now)
      deaths.add({ holder, endsAt: holder.beatAt + leaseMs })
      return held.length
    },
    async settle() {
      const quietAt = (): number => (deaths.size > 0 ? Infinity : Math.max(movedAt, allJoinedAt) + renewEveryMs)
      while (await step(quietAt()));
      now = quietAt()
      const { heartbeats, beatMs, ...rest } = stats
      const tookMs = movedAt - began
      return { ...rest, heartbeats, statements: pool.count(), tookMs, beatMs: beatMs / Math.max(1, heartbeats) }
    },
    held: () => [...holders].map(({ leases }) => leases.held().length),
  }
}

function noStats(): { moves: number; heartbeats: number; longestGapMs: number; beatMs: number } {
  return { moves: 0, heartbeats: 0, longestGapMs: 0, beatMs: 0 }
}

/** Wraps the pool to count statements and to detect those that wake other holders. */
function listening(pool: PostgresPool, onWake: () => void): PostgresPool & { count(): number } {
  let last = pool.traffic().statements
  return {
    ...pool,
    query: async <T>(text: string, values?: readonly unknown[]) => {
      const rows = await pool.query<T>(text, values)
      if (text.includes('pg_notify')) onWake()
      return rows
    },
    count() {
      const { statements } = pool.traffic()
      const since = statements - last
      last = statements
      return since
    },
  }
}

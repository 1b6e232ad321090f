import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import type { Track } from '../../../core/work/retries.ts'
import type {
  LeaseBeat,
  LeaseListener,
  PartitionGrant,
  PartitionLeases,
} from '../../contracts/cluster/partition-leases.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { numberArray } from '../connection/row-batch.ts'

export type PartitionLeasesOptions = {
  /** Should be used for nothing else: a heartbeat queued behind other statements may be late. */
  pool: PostgresPool
  /** Unique per process. */
  node: string
  /** Display name of the worker; need not be unique. */
  name: string
  shard: number
  clock: Clock
  listener: LeaseListener
  leaseMs?: number
  renewEveryMs?: number
  /** Records that heartbeats are failing. */
  track?: Track
}

/** Partitions were released, or a holder joined: a heartbeat now would find something. */
export const leasesChannel = 'leases'

const LEASE_MS = 15_000
const RENEW_EVERY_MS = 5_000
/** A lease is given up this fraction of its length before its end, since its users need time to notice. */
const MARGIN = 0.1

type Held = { epoch: number; isWanted: boolean }

type Beat = {
  live: number
  share: number
  /** Partitions with many queued requests, and how many of them one holder may keep. */
  heavy: number[]
  heavyShare: number
  twins: number
  taken: [partition: number, epoch: number, recovered: boolean][]
  held: [partition: number, epoch: number][]
}

const statements = {
  beat: 'SELECT lease_beat($1, $2, $3, $4, $5, $6) AS beat',
  release: `UPDATE leases l SET holder = NULL, until = NULL, clean = true FROM unnest($2::smallint[], $3::bigint[]) AS mine (partition, epoch)
    WHERE l.partition = mine.partition AND l.epoch = mine.epoch AND l.holder = $1`,
  goodBye: 'DELETE FROM holders WHERE holder = $1',
  wake: `SELECT pg_notify('${leasesChannel}', '')`,
}

export function createPartitionLeases(options: PartitionLeasesOptions): PartitionLeases {
  const { pool, node, name, clock, listener } = options
  const leaseMs = options.leaseMs ?? LEASE_MS
  const renewEveryMs = options.renewEveryMs ?? RENEW_EVERY_MS
  const holder = `${node}/${options.shard}/${randomBytes(3).toString('hex')}`
  const held = new Map<number, Held>()
  let goodUntil = 0
  let leaving = false
  let joined = false
  let hasLeft = false
  let beating: Promise<LeaseBeat> | null = null
  let timers: NodeJS.Timeout[] = []

  function lose(partitions: readonly number[]): void {
    for (const partition of partitions) held.delete(partition)
    if (partitions.length > 0) listener.lost(partitions)
  }

  /**
   * Gives back partitions with many requests beyond the holder's share of them first, then others by descending number: every holder uses
   * the same rule, and no two hold the same. If only the former are too many, one at a time: others need time to take it.
   */
  function giveBack({ share, heavy, heavyShare, live }: Beat): void {
    const free = [...held].filter(([, { isWanted }]) => !isWanted).map(([partition]) => partition)
    const isHeavy = new Set(heavy)
    const [many, few] = [free.filter((each) => isHeavy.has(each)), free.filter((each) => !isHeavy.has(each))]
    const tooMany = live > 1 ? Math.max(0, many.length - heavyShare) : 0
    const excess = Math.max(free.length - share, Math.min(1, tooMany))
    const first = many.sort((a, b) => b - a).splice(0, Math.min(excess, tooMany))
    const wanted = [...first, ...few.sort((a, b) => b - a), ...many].slice(0, Math.max(0, excess))
    for (const partition of wanted) held.get(partition)!.isWanted = true
    if (wanted.length > 0) listener.wanted(wanted)
  }

  async function beat(): Promise<LeaseBeat> {
    const sentAt = clock.monotonic()
    const known = new Map([...held].map(([partition, { epoch }]) => [partition, epoch]))
    const values = [holder, name, node, leaving, leaseMs, numberArray([...known.keys()])]
    const [row] = await pool.query<{ beat: Beat }>(statements.beat, values)
    const answer = row!.beat
    goodUntil = sentAt + leaseMs * (1 - MARGIN)
    const still = new Map(answer.held)
    lose([...known].filter(([partition, epoch]) => held.has(partition) && still.get(partition) !== epoch).map(first))
    const grants = answer.taken.map(
      ([partition, epoch, recovered]): PartitionGrant => ({ partition, epoch, recovered }),
    )
    for (const { partition, epoch } of grants) held.set(partition, { epoch, isWanted: false })
    if (grants.length > 0) listener.granted(grants)
    giveBack(answer)
    // A new holder finds nothing free: notify the others to check how many they may keep.
    if (!joined && held.size < answer.share) await pool.query(statements.wake)
    joined = true
    options.track?.done()
    return { live: answer.live, share: answer.share, held: held.size, twins: answer.twins }
  }

  async function release(partitions: readonly number[]): Promise<void> {
    const mine = partitions.filter((partition) => held.has(partition))
    const epochs = mine.map((partition) => held.get(partition)!.epoch)
    for (const partition of mine) held.delete(partition)
    if (mine.length === 0) return
    await pool.query(statements.release, [holder, numberArray(mine), numberArray(epochs)])
    await pool.query(statements.wake)
  }

  function stop(): void {
    for (const timer of timers) clearInterval(timer)
    timers = []
  }

  const leases: PartitionLeases = {
    holder,
    heartbeat() {
      // After `leave`, a late heartbeat must not add the holder again.
      if (hasLeft) return Promise.resolve({ live: 0, share: 0, held: 0, twins: 0 })
      beating ??= beat()
        .catch((error: unknown) => {
          options.track?.failed(error)
          throw error
        })
        .finally(() => {
          beating = null
        })
      return beating
    },
    expire() {
      if (held.size > 0 && clock.monotonic() >= goodUntil) lose([...held.keys()])
    },
    start() {
      stop()
      const renew = (): void => {
        leases.expire()
        leases.heartbeat().catch(() => {}) // reported, and the next one may succeed
      }
      timers = [setInterval(renew, renewEveryMs).unref(), setInterval(leases.expire, renewEveryMs / 10).unref()]
    },
    epochOf: (partition) => (clock.monotonic() >= goodUntil ? null : (held.get(partition)?.epoch ?? null)),
    held: () => [...held.keys()],
    release,
    drain(draining = true) {
      leaving = draining
    },
    async leave() {
      stop()
      leaving = true
      hasLeft = true
      await beating?.catch(() => {})
      await release([...held.keys()])
      await pool.query(statements.goodBye, [holder])
    },
  }
  return leases
}

const first = ([partition]: [number, number]): number => partition

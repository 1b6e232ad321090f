import type { Clock } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import type { LeaderBeat, LeaderLease } from '../../contracts/cluster/partition-leases.ts'
import type { PostgresPool, Sender } from '../connection/pool.ts'

export type LeaderLeaseOptions = {
  pool: PostgresPool
  /** Name of the role; each has one leader. */
  name: string
  /** Unique per process. */
  holder: string
  clock: Clock
  leaseMs?: number
}

const LEASE_MS = 15_000
const MARGIN = 0.1

const statements = {
  beat: `INSERT INTO leaders AS l (name, holder, epoch, until) VALUES ($1, $2, 1, now() + $3 * interval '1 ms')
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until,
      epoch = l.epoch + (l.holder IS DISTINCT FROM excluded.holder)::int
    WHERE l.holder IS NULL OR l.until <= now() OR l.holder = excluded.holder RETURNING epoch`,
  leader: 'SELECT holder FROM leaders WHERE name = $1',
  release: 'UPDATE leaders SET holder = NULL WHERE name = $1 AND holder = $2 AND epoch = $3',
}

/**
 * A leader's writes name its epoch. Their transaction checks it with this statement, which also locks the role until the end. The server
 * aborts such a transaction after a few idle seconds, so that others needn't wait long for a leader that stalls in it.
 */
export const leaderFence = `SELECT set_config('idle_in_transaction_session_timeout', '5s', true)
  FROM (SELECT 1 FROM leaders WHERE name = $1 AND epoch = $2 FOR KEY SHARE) fence`

/** Must be called in the transaction that writes. */
export async function checkLeader(tx: Sender, name: string, epoch: number): Promise<void> {
  if ((await tx.query(leaderFence, [name, epoch])).length === 0) throw leaderLost(name)
}

export function leaderLost(name: string): AppError {
  return new AppError('lease-lost', `another process leads the ${name} by now`)
}

export function createLeaderLease({ pool, name, holder, clock, leaseMs = LEASE_MS }: LeaderLeaseOptions): LeaderLease {
  let held: { epoch: number; goodUntil: number } | null = null

  return {
    async beat(): Promise<LeaderBeat> {
      const sentAt = clock.monotonic()
      const [row] = await pool.query<{ epoch: number }>(statements.beat, [name, holder, leaseMs])
      if (row === undefined) {
        held = null
        const [leader] = await pool.query<{ holder: string | null }>(statements.leader, [name])
        return { kind: 'follows', leader: leader?.holder ?? '' }
      }
      const changed = held?.epoch !== row.epoch
      held = { epoch: row.epoch, goodUntil: sentAt + leaseMs * (1 - MARGIN) }
      return { kind: 'leads', epoch: row.epoch, changed }
    },
    epoch: () => (held !== null && clock.monotonic() < held.goodUntil ? held.epoch : null),
    async release() {
      if (held === null) return
      const { epoch } = held
      held = null
      await pool.query(statements.release, [name, holder, epoch])
    },
  }
}

import type { AskedStore } from '../../contracts/cluster-events.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { checkLeader } from '../leases/leader.ts'
import { schedulerRole } from './check-results.ts'

export const askedChannel = 'asked'

const statements = {
  ask: `WITH put AS (INSERT INTO asked (watch) SELECT unnest($1::bigint[]) ON CONFLICT (watch) DO NOTHING)
    SELECT pg_notify('${askedChannel}', '')`,
  take: 'DELETE FROM asked RETURNING watch',
}

export function createPostgresAsked(pool: PostgresPool): AskedStore {
  return {
    async ask(watches) {
      if (watches.length > 0) await pool.query(statements.ask, [watches])
    },
    take: (leaderEpoch) =>
      pool.transaction(async (tx) => {
        await checkLeader(tx, schedulerRole, leaderEpoch)
        const rows = await tx.query<{ watch: number }>(statements.take)
        return rows.map(({ watch }) => watch)
      }),
  }
}

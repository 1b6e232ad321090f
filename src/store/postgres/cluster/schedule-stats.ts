import type { ScheduleStats } from '../../contracts/cluster-events.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { checkLeader } from '../leases/leader.ts'
import { schedulerRole } from './check-results.ts'

const statements = {
  put: `INSERT INTO control (name, value) VALUES ('schedule', $1::jsonb)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  read: `SELECT value FROM control WHERE name = 'schedule'`,
  tasks: 'SELECT count(*) AS n FROM (SELECT FROM tasks LIMIT $1) t',
}

export function createScheduleStats(pool: PostgresPool): ScheduleStats {
  return {
    put: (leaderEpoch, stats) =>
      pool.transaction(async (tx) => {
        await checkLeader(tx, schedulerRole, leaderEpoch)
        await tx.query(statements.put, [JSON.stringify(stats)])
      }),
    read: async () => (await pool.query<{ value: unknown }>(statements.read))[0]?.value ?? null,
  }
}

/** Versions that wait for the annotation engine, counted no further than `limit`: there may be millions. */
export async function countTasksUpTo(pool: PostgresPool, limit: number): Promise<number> {
  const [row] = await pool.query<{ n: number }>(statements.tasks, [limit])
  return row!.n
}

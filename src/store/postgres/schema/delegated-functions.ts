import type pg from 'pg'
import { hasCitus } from '../connection/citus-extension.ts'

/** The table with which the others are colocated. */
export const firstSpread = 'frontiers'

const delegateStatements = {
  spread: `SELECT 1 FROM pg_dist_partition WHERE logicalrelid = '${firstSpread}'::regclass`,
  /** Forced delegation also works within a transaction. */
  delegate: `SELECT create_distributed_function(oid::regprocedure, 'p_partition', colocate_with => '${firstSpread}',
      force_delegation => proname = 'frontier_complete')
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      AND proname = ANY(ARRAY['frontier_offer', 'frontier_complete', 'register_bodies'])`,
}

/** If tables are distributed, makes each call of these functions run on the server that has its partition. */
export async function delegateFunctions(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const query = async <T>(text: string): Promise<T[]> => (await client.query(text)).rows
  if (!(await hasCitus({ query })) || (await query(delegateStatements.spread)).length === 0) return
  await client.query(delegateStatements.delegate)
}

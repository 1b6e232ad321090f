import type { Sender, Tx } from '../connection/pool.ts'

/** Data followed by in-memory mirrors. The notification channels have the same names. */
export type RevisedBase = 'profiles' | 'accounts'

export async function revisionOf(sender: Sender, base: RevisedBase): Promise<number> {
  const [row] = await sender.query<{ revision: number }>(
    'SELECT value::bigint AS revision FROM facts WHERE name = $1',
    [base],
  )
  return row?.revision ?? 0
}

/** Keeps others from changing the base until the transaction ends, so that revisions become visible in order. */
export async function lockBase(tx: Tx, base: RevisedBase): Promise<void> {
  await tx.query('SELECT 1 FROM facts WHERE name = $1 FOR UPDATE', [base])
}

/** Returns the next revision, announced to all mirrors on commit. Locks the base, too. */
export async function revise(tx: Tx, base: RevisedBase): Promise<number> {
  const [row] = await tx.query<{ revision: number }>(
    `WITH revised AS (
       INSERT INTO facts AS f (name, value) VALUES ($1, '1') ON CONFLICT (name) DO UPDATE
       SET value = to_jsonb(f.value::bigint + 1) RETURNING value::bigint AS revision
     ) SELECT revision, pg_notify($1, revision::text) FROM revised`,
    [base],
  )
  return row!.revision
}

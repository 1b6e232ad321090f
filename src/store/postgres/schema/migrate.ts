import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { AppError } from '../../../core/errors.ts'
import { checkServer, type PostgresPool } from '../connection/pool.ts'
import { explainReadOnly, postgresError } from '../connection/postgres-error.ts'
import { postgresMigrations } from './schema.ts'

export type MigrationState = { id: number; name: string; appliedAt: string | null }

type Ask = <T>(text: string) => Promise<T[]>

/** Any number that no other advisory lock uses. */
const LOCK = 7_252_019

const statements = {
  isThere: `SELECT to_regclass('migrations') IS NOT NULL AS there`,
  applied: `SELECT id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at FROM migrations`,
}

/** All migrations, applied and pending. */
export async function migrationStates(pool: PostgresPool): Promise<MigrationState[]> {
  await checkServer(pool)
  return statesOf((text) => pool.query(text))
}

async function statesOf(ask: Ask): Promise<MigrationState[]> {
  const [table] = await ask<{ there: boolean }>(statements.isThere)
  const rows = table?.there === true ? await ask<{ id: number; at: string }>(statements.applied) : []
  const newest = postgresMigrations.at(-1)?.id ?? 0
  const tooNew = rows.find(({ id }) => id > newest)
  if (tooNew !== undefined)
    throw new AppError(
      'store-too-new',
      `the database has schema ${tooNew.id}, this program knows ${newest}. Use the newer program.`,
    )
  const appliedAt = new Map(rows.map(({ id, at }) => [id, at]))
  return postgresMigrations.map(({ id, name }) => ({ id, name, appliedAt: appliedAt.get(id) ?? null }))
}

/** Applies pending migrations, each once, even if several processes try at the same time. Returns their ids. */
export async function migrate(pool: PostgresPool): Promise<number[]> {
  await checkServer(pool)
  return alone(pool, async (client) => {
    const ask: Ask = async (text) => (await client.query(text)).rows
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (id int PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now())',
    )
    const states = await statesOf(ask)
    const applied: number[] = []
    for (const { id, name, sql, finish } of postgresMigrations) {
      if (states.find((state) => state.id === id)?.appliedAt !== null) continue
      const note = `INSERT INTO migrations (id, name) VALUES (${id}, '${name.replaceAll("'", "''")}')`
      if (finish === undefined) await client.query(`BEGIN; ${sql}; ${note}; COMMIT`)
      else {
        await client.query(sql)
        await finish(client)
        await client.query(note)
      }
      applied.push(id)
    }
    return applied
  })
}

/** The server's version, as reported by it. */
export async function serverVersion(pool: PostgresPool): Promise<string> {
  const [row] = await pool.query<{ version: string }>(`SELECT current_setting('server_version') AS version`)
  return `PostgreSQL ${row!.version}`
}

/**
 * Runs schema changes on a dedicated connection, one process at a time, without a timeout. The connection is closed afterwards, which
 * ends the lock and any unfinished transaction.
 */
export async function alone<T>(pool: PostgresPool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connection()
  try {
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
    return await work(client)
  } catch (error) {
    throw await explainReadOnly(client, postgresError(error))
  } finally {
    client.release(true)
  }
}

const NAME = 'seed'

/** Secret seed of the URL fingerprints. The first process creates it; it never changes and is the same for the whole cluster. */
export async function readSeed(pool: PostgresPool): Promise<[number, number]> {
  const bytes = randomBytes(8)
  const fresh = JSON.stringify([bytes.readUInt32BE(0), bytes.readUInt32BE(4)])
  await pool.query('INSERT INTO control (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [NAME, fresh])
  const [row] = await pool.query<{ value: unknown }>('SELECT value FROM control WHERE name = $1', [NAME])
  const seed = row?.value
  if (!Array.isArray(seed) || seed.length !== 2) throw new AppError('store-failed', 'the seed of the store is damaged')
  return [Number(seed[0]), Number(seed[1])]
}

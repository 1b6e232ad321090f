import { randomBytes } from 'node:crypto'
import { AppError } from '../../../core/errors.ts'
import type { PostgresPool } from './pool.ts'

const NAME = 'seed'

/** Secret seed of the URL fingerprints, the same for the whole cluster and for ever: whoever comes first makes it. */
export async function readSeed(pool: PostgresPool): Promise<[number, number]> {
  const bytes = randomBytes(8)
  const fresh = JSON.stringify([bytes.readUInt32BE(0), bytes.readUInt32BE(4)])
  await pool.query('INSERT INTO control (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [NAME, fresh])
  const [row] = await pool.query<{ value: unknown }>('SELECT value FROM control WHERE name = $1', [NAME])
  const seed = row?.value
  if (!Array.isArray(seed) || seed.length !== 2) throw new AppError('store-failed', 'the seed of the store is damaged')
  return [Number(seed[0]), Number(seed[1])]
}

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { openPool } from '../connection/pool.ts'
import { createPostgresDeliveries } from '../inbox/deliveries.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { migrate, migrationStates } from './migrate.ts'
import type { PostgresMigration } from './schema.ts'
import { postgresMigrations } from './schema.ts'

usePostgres({ plain: true })

/** A database created with the old text of a migration would lack what an edited one adds. A change is a new migration. */
const digestOf = ({ sql }: PostgresMigration): string => createHash('sha256').update(sql).digest('hex')

describe('schema of the cluster engine', () => {
  test('migrations are numbered from 1 without gaps and never edited', () => {
    assert.deepEqual(
      postgresMigrations.map(({ id }) => id),
      postgresMigrations.map((_, index) => index + 1),
    )
    for (const step of postgresMigrations) assert.equal(digestOf(step), step.sha256, step.name)
  })

  test('a missing migration is applied and recorded, or rolled back and left pending, and other tables are kept', async () => {
    const { address, pool, destroy } = await createDatabase()
    const newest = postgresMigrations.findLast(({ sql }) => sql.includes('CREATE TABLE module_places'))!
    await pool.query('DELETE FROM migrations WHERE id = $1', [newest.id])
    await pool.query('CREATE TABLE mine (n int)')
    const single = openPool({ address, maxConnections: 1, name: 'single' })
    const missing = (await migrationStates(single)).filter(({ appliedAt }) => appliedAt === null)
    assert.deepEqual(
      missing.map(({ id, name }) => [id, name]),
      [[newest.id, newest.name]],
    )
    // What it creates already exists: the migration fails as a whole and isn't recorded.
    await assert.rejects(migrate(single), /already exists|does not exist/)
    assert.equal((await migrationStates(single)).filter(({ appliedAt }) => appliedAt === null).length, 1)
    await pool.query('DROP TABLE module_places, module_pages, module_checkpoints')
    assert.deepEqual(await migrate(single), [newest.id])
    assert.ok((await migrationStates(single)).every(({ appliedAt }) => appliedAt !== null))
    assert.deepEqual(await pool.query('SELECT count(*) AS n FROM module_checkpoints'), [{ n: 0 }])
    assert.deepEqual(await migrate(single), [])
    assert.deepEqual(await pool.query('SELECT count(*) AS n FROM mine'), [{ n: 0 }])
    await single.close()
    await destroy()
  })

  test('robots.txt stored as text becomes bytes, and entries that may have lost bytes are dropped', async () => {
    const { address, pool, destroy } = await createDatabase()
    const step = postgresMigrations.find(({ name }) => name === 'robots.txt as bytes')!
    await pool.query('ALTER TABLE robots RENAME COLUMN body TO text')
    await pool.query(`ALTER TABLE robots ALTER COLUMN text TYPE text USING convert_from(text, 'UTF8')`)
    await pool.query('DELETE FROM migrations WHERE id = $1', [step.id])
    const rows: [origin: string, kind: string, text: string][] = [
      ['http://whole.example', 'rules', 'User-agent: *\nDisallow: /é\n'],
      ['http://none.example', 'allow-all', ''],
      ['http://lost.example', 'rules', 'User-agent: *\nDisallow: /caf\ufffd\n'],
      ['http://cut.example', 'rules', 'x'.repeat(512 * 1024)],
      ['http://undecoded.example', 'rules', ''],
    ]
    for (const row of rows) await pool.query('INSERT INTO robots VALUES (1, $1, $2, $3, 5)', row)
    const single = openPool({ address, maxConnections: 1, name: 'single' })
    assert.deepEqual(await migrate(single), [step.id])
    assert.deepEqual(await single.query('SELECT origin, kind, body, expires_at FROM robots ORDER BY origin'), [
      { origin: 'http://none.example', kind: 'allow-all', body: Buffer.alloc(0), expires_at: 5 },
      { origin: 'http://whole.example', kind: 'rules', body: Buffer.from(rows[0]![2]), expires_at: 5 },
    ])
    await single.close()
    await destroy()
  })

  test('waiting entries of an old outbox are kept for planning, and the others are removed', async () => {
    const { address, pool, destroy } = await createDatabase()
    const at = postgresMigrations.findIndex(({ name }) => name.startsWith('deliveries'))
    await pool.query('DROP SCHEMA public CASCADE')
    await pool.query('CREATE SCHEMA public')
    const single = openPool({ address, maxConnections: 1, name: 'single' })
    const client = await single.connection()
    await client.query('CREATE TABLE migrations (id int PRIMARY KEY, name text, at timestamptz NOT NULL DEFAULT now())')
    for (const { id, sql } of postgresMigrations.slice(0, at)) {
      await client.query(`BEGIN; ${sql}; COMMIT`)
      await client.query('INSERT INTO migrations (id) VALUES ($1)', [id])
    }
    client.release()
    await single.query(`INSERT INTO outbox (annotation, channel, state, next_at, created_at) VALUES
      (1, 'ops', 'waiting', 9, 5), (1, 'mail', 'sent', 9, 5), (2, 'ops', 'given-up', 9, 5)`)
    await single.query(`INSERT INTO channels VALUES ('c', 'ann', 'webhook', 'c', '{}', 5, 'active', '', 0, 0, 0)`)
    assert.ok((await migrate(single)).includes(postgresMigrations[at]!.id))
    assert.deepEqual(await single.query('SELECT annotation, channel, created_at, due_at, message FROM outbox'), [
      { annotation: 1, channel: 'ops', created_at: 5, due_at: null, message: '' },
    ])
    const deliveries = createPostgresDeliveries(single)
    assert.deepEqual(await deliveries.lease({ now: 99, leaseMs: 1, limit: 9 }), [])
    assert.equal(await deliveries.removeBefore(6), 1)
    await single.close()
    await destroy()
  })

  test('concurrent migrations of an empty database apply everything once', async () => {
    const { address, pool, destroy } = await createDatabase()
    await pool.query('DROP SCHEMA public CASCADE')
    await pool.query('CREATE SCHEMA public')
    const others = Array.from({ length: 3 }, (_, n) => openPool({ address, maxConnections: 1, name: `other ${n}` }))
    const applied = await Promise.all(others.map(migrate))
    assert.deepEqual(
      applied.flat(),
      postgresMigrations.map(({ id }) => id),
    )
    assert.equal(applied.filter((each) => each.length > 0).length, 1)
    assert.ok((await migrationStates(pool)).every(({ appliedAt }) => appliedAt !== null))
    for (const other of others) await other.close()
    await destroy()
  })
})

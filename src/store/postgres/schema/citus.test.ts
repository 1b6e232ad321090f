import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isAppError } from '../../../core/errors.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { citusStatements, distribute, distributedTables, hasCitus, keptTogether } from './citus.ts'

usePostgres()

/**
 * Where Citus can't be installed, its catalogue and its functions are played: enough to see which statements are sent, in which
 * order, and that a repetition sends only what is left.
 */
async function playCitus(pool: PostgresPool, fails: string | null = null): Promise<void> {
  const statements = [
    `CREATE TABLE pg_dist_node (shouldhaveshards boolean, isactive boolean)`,
    `INSERT INTO pg_dist_node VALUES (true, true)`,
    `CREATE TABLE pg_dist_partition (logicalrelid regclass PRIMARY KEY, colocated text)`,
    `CREATE FUNCTION create_distributed_table(t text, c text, colocate_with text) RETURNS void LANGUAGE plpgsql AS $$
     BEGIN
       IF t = '${fails ?? ''}' THEN RAISE EXCEPTION 'cut off'; END IF;
       INSERT INTO pg_dist_partition VALUES (t::regclass, colocate_with);
     END $$`,
    `CREATE FUNCTION truncate_local_data_after_distributing_table(t text) RETURNS void LANGUAGE sql AS 'SELECT'`,
  ]
  for (const text of statements) await pool.query(text)
  const client = await pool.connection()
  await client.query(`SET allow_system_table_mods = on`)
  await client.query(`INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    VALUES (999999, 'citus', 10, 2200, false, '13.0')`)
  client.release(true)
}

describe('spreading the tables over servers', () => {
  test('names exactly the tables that have partitions, but for those that are kept together', async () => {
    const { pool, destroy } = await createDatabase()
    const tables = await pool.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'partition'`,
    )
    assert.deepEqual(tables.map(({ name }) => name).sort(), [...distributedTables, ...keptTogether].sort())
    assert.deepEqual(distributedTables.map(citusStatements.distribute).slice(0, 2), [
      `SELECT create_distributed_table('frontiers', 'partition', colocate_with => 'none')`,
      `SELECT create_distributed_table('hosts', 'partition', colocate_with => 'frontiers')`,
    ])
    await destroy()
  })

  test('is refused without Citus, with what to install and who has to do what', async (context) => {
    const { pool, destroy } = await createDatabase()
    if (await hasCitus(pool)) context.skip('the server has Citus')
    else
      await assert.rejects(
        distribute(pool),
        (error) => isAppError(error, 'store-refused') && /administrator.* CREATE EXTENSION citus/.test(error.message),
      )
    await destroy()
  })

  test('goes on after an interruption with what is left, and a repetition does nothing', async (context) => {
    const { pool, destroy } = await createDatabase()
    if (await hasCitus(pool)) {
      context.skip('the server has Citus')
    } else {
      await playCitus(pool, 'links')
      await assert.rejects(distribute(pool), /cut off/)
      await pool.query(`CREATE OR REPLACE FUNCTION create_distributed_table(t text, c text, colocate_with text) RETURNS void
        LANGUAGE sql AS 'INSERT INTO pg_dist_partition VALUES (t::regclass, colocate_with)'`)
      const left = distributedTables.slice(distributedTables.indexOf('links'))
      assert.deepEqual(await distribute(pool), left)
      assert.deepEqual(await distribute(pool), [])
      const groups = await pool.query<{ colocated: string; n: number }>(
        'SELECT colocated, count(*) AS n FROM pg_dist_partition GROUP BY 1 ORDER BY 2',
      )
      assert.deepEqual(groups, [
        { colocated: 'none', n: 1 },
        { colocated: 'frontiers', n: distributedTables.length - 1 },
      ])
      await pool.query('DELETE FROM pg_dist_node')
      await assert.rejects(distribute(pool), /knows no server that takes tables: .*citus_add_node/)
    }
    await destroy()
  })
})

describe('statements that a distributed database can carry out', () => {
  const isSpread = new RegExp(`\\b(?:FROM|JOIN|UPDATE|USING)\\s+(?:${distributedTables.join('|')})\\b`, 'i')
  const locks = /\bFOR (?:NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b/
  const statements = statementsOf(fileURLToPath(new URL('..', import.meta.url)))

  test('numbers are never drawn where rows of another server are read', () => {
    const drawing = statements.filter(({ text }) => text.includes('nextval'))
    assert.ok(drawing.length > 1)
    for (const { file, text } of drawing)
      for (const part of partsOf(text))
        assert.ok(!(part.includes('nextval') && isSpread.test(part)), `${file}: ${part}`)
  })

  test('the lease is never locked where rows of another server are read', () => {
    const fenced = statements.filter(
      ({ text }) => /FROM leases/.test(text) && locks.test(text) && !/FUNCTION/.test(text),
    )
    assert.ok(fenced.length > 1)
    for (const { file, text } of fenced)
      for (const part of partsOf(text))
        assert.ok(!(/FROM leases/.test(part) && isSpread.test(part)), `${file}: ${part}`)
  })

  test('rows that may lie on several servers are locked in one partition at a time', () => {
    const locking = statements.filter(({ text }) => locks.test(text) && isSpread.test(text))
    assert.ok(locking.length > 5)
    for (const { file, text } of locking) {
      assert.doesNotMatch(text, /partition (?:= ANY|IN|BETWEEN)|\$\{these\}/, file)
      assert.match(text, /partition = (?:\$1|p_partition)/, `${file}: ${text}`)
    }
  })
})

/** Whatever stands between backquotes and looks like a statement. */
function statementsOf(folder: string): { file: string; text: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test(?:kit)?\.ts$/.test(file))
    .filter((file) => !['schema/citus.ts', 'schema/migrate.ts'].includes(file))
  return files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/`((?:[^`\\]|\\.)*)`|'((?:SELECT|WITH)[^'\n]*)'/g)]
      .map(([, text, short]) => ({ file, text: text ?? short ?? '' }))
      .filter(({ text }) => /\b(?:SELECT|INSERT|UPDATE|DELETE)\b/.test(text)),
  )
}

/** What is planned by itself: the common table expressions of a statement, and the rest of it. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  const rest = text.replace(
    /\bAS (?:MATERIALIZED )?\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)/g,
    (part) => {
      parts.push(part)
      return ''
    },
  )
  return [...parts, rest]
}

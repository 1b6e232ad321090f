import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isAppError } from '../../../core/errors.ts'
import { hasCitus } from '../connection/citus-extension.ts'
import { documentStatements } from '../documents/documents-statements.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { citusStatements, distribute, distributedTables, keptTogether } from './citus.ts'

usePostgres()

describe('distributing the tables', () => {
  test('covers exactly the tables with partitions, except those kept together', async () => {
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

  if (!process.env.ERACE_TEST_CITUS)
    test('is refused without Citus, with advice on how to install it', async () => {
      const { pool, destroy } = await createDatabase()
      assert.equal(await hasCitus(pool), false)
      await assert.rejects(
        distribute(pool),
        (error) => isAppError(error, 'store-refused') && /administrator.* CREATE EXTENSION citus/.test(error.message),
      )
      await destroy()
    })

  if (process.env.ERACE_TEST_CITUS)
    test('puts all tables in one colocation group, and does nothing when repeated', async () => {
      const { pool, destroy } = await createDatabase()
      assert.deepEqual(await distribute(pool), [])
      const groups = await pool.query<{ n: number; groups: number }>(
        'SELECT count(*) AS n, count(DISTINCT colocationid) AS groups FROM pg_dist_partition',
      )
      assert.deepEqual(groups, [{ n: distributedTables.length, groups: 1 }])
      await destroy()
    })

  if (process.env.ERACE_TEST_CITUS)
    test('keeps the planner settings of the columns on all shards', async () => {
      const { pool, destroy } = await createDatabase()
      const settings = (tables: string): string =>
        `SELECT attrelid::regclass::text AS name, attname || ' ' || o.setting AS setting
         FROM pg_attribute, unnest(attoptions) AS o (setting) WHERE attrelid ${tables} AND o.setting LIKE 'n\\_distinct=%'`
      const expected = await pool.query<{ name: string; setting: string }>(
        settings('IN (SELECT logicalrelid FROM pg_dist_partition)'),
      )
      assert.deepEqual(expected.map(({ name }) => name).sort(), ['bodies', 'documents', 'links', 'records', 'versions'])
      for (const { name, setting } of expected) {
        const shards = await pool.query<{ result: string }>(
          `SELECT result FROM run_command_on_shards($1::regclass, $2) ORDER BY shardid`,
          [
            name,
            `SELECT setting FROM (${settings(`= '%s'::regclass`).replaceAll('\\_distinct=%', '\\_distinct=%%')}) s`,
          ],
        )
        assert.ok(shards.length > 1)
        for (const { result } of shards) assert.equal(result, setting, name)
      }
      await destroy()
    })
})

describe('statements for a distributed database', () => {
  if (process.env.ERACE_TEST_CITUS)
    test('upserts are sent to a single server without an intermediate result', async () => {
      const { pool, destroy } = await createDatabase()
      const { putDocuments, putLinks, changeVersions, refillVersions, registerBodies } = documentStatements
      for (const text of [putDocuments, putLinks, changeVersions, refillVersions, registerBodies]) {
        const filled = text.replace(/\$\d+::(\w+)(\[\])?/g, (_, type, array) => {
          if (array) return `'{}'::${type}[]`
          return type === 'bytea' ? `''::bytea` : `7::${type}`
        })
        const plan = (await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${filled}`)).map((row) => row['QUERY PLAN'])
        assert.match(plan.join('\n'), /Task Count: 1\b/, text)
        assert.doesNotMatch(plan.join('\n'), /INSERT\/SELECT method/, text)
      }
      await destroy()
    })

  const isSpread = new RegExp(`\\b(?:FROM|JOIN|UPDATE|USING)\\s+(?:${distributedTables.join('|')})\\b`, 'i')
  const locks = /\bFOR (?:NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b/
  const statements = statementsOf(fileURLToPath(new URL('..', import.meta.url)))

  test('sequence numbers are never drawn in a query part that reads distributed tables', () => {
    const drawing = statements.filter(({ text }) => text.includes('nextval'))
    assert.ok(drawing.length > 1)
    for (const { file, text } of drawing)
      for (const part of partsOf(text))
        assert.ok(!(part.includes('nextval') && isSpread.test(part)), `${file}: ${part}`)
  })

  test('leases are never locked in a query part that reads distributed tables', () => {
    const fenced = statements.filter(
      ({ text }) => /FROM leases/.test(text) && locks.test(text) && !/FUNCTION/.test(text),
    )
    assert.ok(fenced.length > 1)
    for (const { file, text } of fenced)
      for (const part of partsOf(text))
        assert.ok(!(/FROM leases/.test(part) && isSpread.test(part)), `${file}: ${part}`)
  })

  test('rows of distributed tables are locked in one partition at a time', () => {
    const locking = statements.filter(({ text }) => locks.test(text) && isSpread.test(text))
    assert.ok(locking.length > 5)
    for (const { file, text } of locking) {
      assert.doesNotMatch(text, /partition (?:= ANY|IN|BETWEEN)|\$\{these\}/, file)
      assert.match(text, /partition = (?:\$1|p_partition)/, `${file}: ${text}`)
    }
  })
})

/** Everything between backquotes that looks like a statement. */
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

/** The separately planned parts: the common table expressions of a statement, and the rest of it. */
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

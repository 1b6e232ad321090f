import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { batchOf, offerOf, offersOf, queueOf } from '../../conformance/samples.testkit.ts'
import { openPool, type PostgresPool } from '../connection/pool.ts'
import { createPostgresFrontier } from '../frontier/frontier.ts'
import { completionValues } from '../frontier/frontier-offers.ts'
import { partitionOfId } from '../frontier/frontier-partitions.ts'
import { frontierStatements } from '../frontier/frontier-rows.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { takePartitions } from '../testkit/store.testkit.ts'

usePostgres({ plain: true })

type Plan = { 'Query Text'?: string; Plan: PlanNode }
type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/** Tables of the whole cluster, not of the crawl: they are small and aren't distributed. */
const shared = new Set(['holders', 'leaders', 'runs', 'nodes', 'control', 'news', 'migrations'])

describe('crawl tables for distribution by partition', () => {
  test('every unique key of a table with a partition column begins with it', async () => {
    const { pool, destroy } = await createDatabase()
    const keys = await pool.query<{ table: string; index: string; first: string }>(
      `SELECT c.relname AS table, i.indexrelid::regclass::text AS index, a.attname AS first
       FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
       WHERE n.nspname = 'public' AND i.indisunique AND EXISTS (
         SELECT FROM pg_attribute p WHERE p.attrelid = c.oid AND p.attname = 'partition' AND NOT p.attisdropped)`,
    )
    assert.ok(keys.length > 8)
    assert.deepEqual(
      keys.filter(({ first }) => first !== 'partition'),
      [],
    )
    await destroy()
  })

  test('every table with a partition column has a primary key, and the column is a required smallint', async () => {
    const { pool, destroy } = await createDatabase()
    const tables = await pool.query<{ name: string; type: string; required: boolean; hasKey: boolean }>(
      `SELECT c.relname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
         EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary) AS "hasKey"
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'partition' AND NOT a.attisdropped
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')`,
    )
    assert.ok(tables.length > 12)
    assert.deepEqual(
      tables.filter(({ type, required, hasKey }) => type !== 'smallint' || !required || !hasKey),
      [],
    )
    await destroy()
  })

  test('there are no foreign keys or triggers, and no sequence defaults in tables with a partition column', async () => {
    const { pool, destroy } = await createDatabase()
    const ties = await pool.query(
      `SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
       UNION ALL SELECT tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
         WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace
       UNION ALL SELECT a.attrelid::regclass || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
         AND (a.attidentity <> '' OR pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval%')
         AND EXISTS (SELECT FROM pg_attribute p WHERE p.attrelid = a.attrelid AND p.attname = 'partition')`,
    )
    assert.deepEqual(ties, [])
    await destroy()
  })

  test('every frontier statement reads one partition, also inside functions', async (context) => {
    const { address, pool: admin, destroy } = await createDatabase()
    const pool = openPool({ address, maxConnections: 1, name: 'explained' })
    const plans = await explain(pool)
    if (typeof plans === 'string') {
      context.skip(`the server has no auto_explain, or lets nobody use it: ${plans}`)
    } else {
      await useEverything(pool, admin)
      assertOnePartition(plans)
      for (const text of Object.values(frontierStatements))
        assert.ok(
          plans.some((plan) => plan['Query Text'] === text),
          `never sent: ${text}`,
        )
    }
    await pool.close()
    await destroy()
  })
})

/** Collects the server's plans of all statements sent from now on; or says why there are none. */
async function explain(pool: PostgresPool): Promise<Plan[] | string> {
  const client = await pool.connection()
  const plans: Plan[] = []
  client.on('notice', ({ message = '' }) => {
    const start = message.indexOf('{')
    if (message.includes('plan:') && start >= 0) plans.push(JSON.parse(message.slice(start)) as Plan)
  })
  try {
    await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_format = json;
      SET auto_explain.log_nested_statements = on; SET auto_explain.log_level = notice; SET client_min_messages = notice`)
    return plans
  } catch (error) {
    return String(error)
  } finally {
    client.release()
  }
}

async function useEverything(pool: PostgresPool, admin: PostgresPool): Promise<void> {
  const open = () => createPostgresFrontier({ pool, events: null, run: 1, maxUrlsPerHost: 50, pollEveryMs: 0 })
  const [owner, other] = [open(), open()]
  await owner.add(await takePartitions(admin, 0, 1))
  const check = { watch: 1, round: 5, freshFrom: 0, since: 0, first: true }
  for (let round = 0; round < 3; round++) {
    await owner.offer([...offersOf('a.example', 60, { depth: round }), offerOf('a.example', '/', { check })])
    await other.offer([offerOf('a.example', `/foreign/${round}`), offerOf('b.example', `/${round}`)])
    await owner.look()
    const [done, again, ...rest] = await queueOf(owner)
    const clock = { id: done!.hostId, nextAt: 7, failures: 0, rests: 0 }
    await owner.settle(batchOf({ done: [done!], again: [{ ...again!, attempts: 1 }], hosts: [clock] }))
    if (round === 1) await owner.giveUp(rest[0]!.hostId)
  }
  // As called with distributed tables.
  const [waiting] = await queueOf(owner)
  const share = { done: [waiting!], again: [], clocks: [] }
  await pool.query(frontierStatements.complete, completionValues(partitionOfId(waiting!.hostId), 1, share))
  for (const priority of [5, 1]) await owner.offer([offerOf('b.example', '/rising', { priority, rises: 'best' })])
  await owner.saveRobots('http://a.example', { kind: 'rules', body: Buffer.alloc(0), expiresAt: 1 })
  await owner.loadRobots('http://a.example')
  await owner.saveTables('http://a.example', { kind: 'offered', expiresAt: 1 })
  await owner.loadTables('http://a.example')
  await Promise.all([owner.close(), other.close()])
}

/** Every scan uses an index and names a given partition. */
function assertOnePartition(plans: readonly Plan[]): void {
  const looksAround = /WHERE partition = ANY\(\$1\)/
  let checked = 0
  const visit = (node: PlanNode, text: string, relation = ''): void => {
    const name = node['Relation Name'] ?? relation
    const isScan = /Scan$/.test(node['Node Type']) && node['Index Name'] !== undefined
    if (name.startsWith('pg_')) return
    if (node['Node Type'] === 'Seq Scan' && !shared.has(name)) assert.fail(`reads all of ${name}: ${text}`)
    if (isScan && !shared.has(name)) {
      checked++
      assert.match(node['Index Cond'] ?? '', /partition = /, `no partition in ${node['Index Name']}: ${text}`)
      assert.doesNotMatch(node['Index Cond'] ?? '', /partition = ANY/, text)
    }
    for (const child of node.Plans ?? []) visit(child, text, name)
  }
  for (const { 'Query Text': text = '', Plan: plan } of plans) if (!looksAround.test(text)) visit(plan, text)
  assert.ok(checked > 20)
}

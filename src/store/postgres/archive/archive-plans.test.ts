import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentStatements } from '../documents/documents-statements.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { objectStatements } from './objects.ts'
import { versionStatements } from './versions.ts'

usePostgres({ plain: true })

/** Statements that read lists over many partitions, for a user waiting for a page. */
const overPartitions = new Set(['documents', 'badDocuments', 'versions', 'current', 'reached', 'crawledForAll'])
const ofOnePartition = Object.fromEntries(
  Object.entries(versionStatements).filter(([name]) => !overPartitions.has(name)),
)
const hot: Record<string, string> = {
  ...documentStatements,
  ...ofOnePartition,
  parts: objectStatements.parts,
  records: objectStatements.records,
}

type PlanNode = Record<string, unknown> & { Plans?: PlanNode[] }

type Explained = { 'QUERY PLAN': { Plan: PlanNode }[] }

const partition = /partition = \$1/
/** The partition is the parameter itself, or read from a row looked up by it. */
const writes = /^INSERT INTO \w+ \(partition,[\s\S]*?SELECT (?:\$1::smallint|own\.partition|v\.partition)/

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const samples: Record<string, string> = {
  smallint: '7',
  bigint: '1',
  int: '1',
  text: 'x',
  bytea: '\\x00',
  boolean: 'true',
}

function sampleValues(text: string): string[] {
  const values: string[] = []
  for (const [, place] of text.matchAll(/\$(\d+)/g)) values[Number(place) - 1] ??= '1'
  for (const [, place, type, array] of text.matchAll(/\$(\d+)::(\w+)(\[\])?/g)) {
    const sample = samples[type!]!
    values[Number(place) - 1] = array === undefined ? sample : `{"${sample.replaceAll('\\', '\\\\')}"}`
  }
  return values
}

test('every hot-path statement looks up one partition and a further key in each table it reads', async () => {
  const { pool, destroy } = await createDatabase()
  const client = await pool.connection()
  try {
    // The tables are empty: what counts is which index can be used.
    await client.query('SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off')
    for (const [name, text] of Object.entries(hot)) {
      const values = sampleValues(text).map((value) => client.escapeLiteral(value))
      await client.query(`PREPARE "${name}" AS ${text}`)
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE "${name}" (${values.join(', ')})`)
      for (const node of nodesOf((rows[0] as Explained)['QUERY PLAN'][0]!.Plan)) {
        if (node['Relation Name'] === undefined || node['Node Type'] === 'ModifyTable') continue
        const indexed = String(node['Index Cond'] ?? node['Recheck Cond'] ?? '')
        // A lease may be that of another partition (host-places.ts): all leases are on one server.
        const isLease = node['Relation Name'] === 'leases'
        const isOnePerPartition = isLease || node['Relation Name'] === 'frontiers'
        const wanted = isLease ? /partition = \$\d/ : partition
        assert.match(`${indexed} ${node.Filter ?? ''}`, wanted, `${name}: ${JSON.stringify(node)}`)
        // Uses more of a key than the partition alone, regardless of the server's estimates.
        if (isOnePerPartition) continue
        assert.match(indexed.replace(partition, ''), /[=<>]/, `${name}: ${JSON.stringify(node)}`)
      }
      if (text.startsWith('INSERT')) assert.match(text, writes, name)
    }
  } finally {
    client.release()
    await destroy()
  }
})

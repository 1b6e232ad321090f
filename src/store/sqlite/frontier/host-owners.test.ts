import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../folder/database.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { createHostOwners } from './host-owners.ts'

test('hosts are assigned one by one, all shards agree, and hosts stay when the assignment rule changes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-owners-'))
  try {
    const path = join(folder, 'catalog.db')
    const [first, second] = [0, 1].map(() => openDatabase(path, { migrations: catalogMigrations }))
    const fewest = (_host: string, hostsOf: readonly number[]): number => hostsOf.indexOf(Math.min(...hostsOf))
    const byPartition = (): number => 2
    const options = { shards: 3, byPartition, choose: fewest }
    const [mine, yours] = [createHostOwners(first!, options), createHostOwners(second!, options)]
    const hosts = ['a.corp.example', 'b.corp.example', 'c.corp.example']
    // `byPartition` would give all of them to one thread.
    assert.deepEqual(hosts.map(mine), [0, 1, 2])
    assert.deepEqual(hosts.map(yours), [0, 1, 2])
    assert.equal(yours('d.corp.example'), 0)
    const hashed = createHostOwners(first!, { ...options, choose: null })
    assert.deepEqual([...hosts, 'd.corp.example', 'new.example'].map(hashed), [0, 1, 2, 0, 2])
    first!.exec(
      'INSERT INTO partitions SELECT value, 1 FROM json_each((SELECT json_group_array(n) FROM (WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t WHERE n < 255) SELECT n FROM t)))',
    )
    assert.equal(createHostOwners(second!, options)('e.other.example'), 1)
    for (const db of [first, second]) db!.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
})

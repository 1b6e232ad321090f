import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { partitionOf } from '../../../core/url/partition.ts'
import { type Database, openDatabase } from '../folder/database.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { withFailingStatement } from '../testkit/statement-fault.testkit.ts'
import { createPartitionOwners, loadPartitions } from './partition-owners.ts'

async function withCatalog(work: (db: Database) => void | Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-owners-'))
  const db = openDatabase(join(folder, 'catalog.db'), { migrations: catalogMigrations })
  try {
    await work(db)
  } finally {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Hosts in `count` different partitions. */
function hostsOf(count: number): string[] {
  const hosts = new Map<number, string>()
  for (let n = 0; hosts.size < count; n++) {
    const host = `host${n}.example`
    if (!hosts.has(partitionOf(host))) hosts.set(partitionOf(host), host)
  }
  return [...hosts.values()]
}

describe('partition owners', () => {
  test('partitions are assigned to the shards in turn and stay there', () =>
    withCatalog((db) => {
      const ownerOf = createPartitionOwners(loadPartitions(db), 3, db)
      const hosts = hostsOf(7)
      assert.deepEqual(hosts.map(ownerOf), [0, 1, 2, 0, 1, 2, 0])
      assert.deepEqual(hosts.toReversed().map(ownerOf), [0, 2, 1, 0, 2, 1, 0])
    }))

  test('hosts of one domain are spread over the shards, ports of one host are not', () =>
    withCatalog((db) => {
      const ownerOf = createPartitionOwners(loadPartitions(db), 3, db)
      const owners = ['a.example', 'b.a.example', 'www.a.example'].map(ownerOf)
      assert.deepEqual(owners, [0, 1, 2])
      assert.equal(ownerOf('b.a.example:8080'), 1)
    }))

  test('all shards see the same owners, whichever asks first', () =>
    withCatalog((db) => {
      const memory = loadPartitions(db)
      const shards = [0, 1, 2].map(() => createPartitionOwners(memory, 3, db))
      const owners = hostsOf(30).map((host, n) => [0, 1, 2].map((turn) => shards[(n + turn) % 3]!(host)))
      for (const [first, second, third] of owners) assert.ok(first === second && second === third)
    }))

  test('owners survive a restart, and assignment continues from there', () =>
    withCatalog((db) => {
      const hosts = hostsOf(5)
      const before = hosts.slice(0, 4).map(createPartitionOwners(loadPartitions(db), 3, db))
      const ownerOf = createPartitionOwners(loadPartitions(db), 3, db)
      assert.deepEqual(hosts.slice(0, 4).map(ownerOf), before)
      assert.equal(ownerOf(hosts[4]!), 1)
    }))

  test('a partition that could not be saved has no owner yet', () =>
    withCatalog(async (db) => {
      const memory = loadPartitions(db)
      const ownerOf = createPartitionOwners(memory, 2, db)
      const [host] = hostsOf(1)
      for (let nth = 1; nth <= 3; nth++) {
        await withFailingStatement(nth, async () => {
          assert.throws(
            () => ownerOf(host!),
            (error) => isAppError(error, 'store-full'),
          )
        })
        assert.equal(db.prepare('SELECT count(*) AS n FROM partitions').get()?.n, 0)
      }
      const owner = ownerOf(host!)
      assert.equal(createPartitionOwners(loadPartitions(db), 2, db)(host!), owner)
    }))
})

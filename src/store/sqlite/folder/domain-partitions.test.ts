import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { partitionOf, registrableDomain } from '../../../core/url/partition.ts'
import { createHostOwners } from '../frontier/host-owners.ts'
import { createPartitionOwners } from '../frontier/partition-owners.ts'
import { type Database, openDatabase } from './database.ts'
import { openFolder, paths } from './folder.ts'
import { catalogMigrations } from './schema-catalog.ts'
import { frontierMigrations } from './schema-frontier.ts'

const SHARDS = 2
const hosts = ['a.example', 'b.example', 'c.example'].flatMap((domain) =>
  ['', 'www.', 'en.', 'de.'].map((label) => `${label}${domain}`),
)

/** The former assignment: all hosts of a domain in one partition, partitions assigned round-robin. */
function ownersBefore(): { partitions: Map<number, number>; owners: Map<string, number> } {
  const partitions = new Map<number, number>()
  const owners = new Map<string, number>()
  for (const host of hosts) {
    const partition = partitionOf(registrableDomain(host))
    if (!partitions.has(partition)) partitions.set(partition, partitions.size % SHARDS)
    owners.set(host, partitions.get(partition)!)
  }
  return { partitions, owners }
}

describe('a folder partitioned by domain', () => {
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'erace-domains-'))
    const opened = openFolder({ folder, holder: 'test', shards: SHARDS })
    await opened.close()
    const { partitions, owners } = ownersBefore()
    const catalog = earlierCatalog()
    for (const [partition, shard] of partitions)
      catalog.prepare('INSERT INTO partitions (partition, shard) VALUES (?, ?)').run(partition, shard)
    catalog.close()
    for (let shard = 0; shard < SHARDS; shard++) {
      const frontier = openDatabase(paths.frontier(folder, shard), { migrations: frontierMigrations })
      const add = frontier.prepare('INSERT INTO hosts (host, run) VALUES (?, 1)')
      for (const [host, owner] of owners) if (owner === shard) add.run(host)
      frontier.close()
    }
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** A catalogue as created by the previous version: its schema and the facts of the folder. */
  function earlierCatalog(): Database {
    const path = paths.catalog(folder)
    const present = openCatalog()
    const facts = present.prepare('SELECT name, value FROM facts').all()
    present.close()
    rmSync(path)
    const at = catalogMigrations.findIndex(({ name }) => name === 'partitions by host name')
    const earlier = openDatabase(path, { migrations: catalogMigrations.slice(0, at) })
    for (const { name, value } of facts)
      earlier.prepare('INSERT INTO facts (name, value) VALUES (?, ?)').run(name!, value!)
    return earlier
  }

  const openCatalog = (): Database => openDatabase(paths.catalog(folder), { migrations: catalogMigrations })

  test('is unchanged if its migration is killed', () => {
    const modules = ['../frontier/host-owners.ts', './database.ts', './schema-catalog.ts']
    const [owners, database, schema] = modules.map((name) => JSON.stringify(new URL(name, import.meta.url)))
    const script = `
      import { keepOwners } from ${owners}
      import { openDatabase } from ${database}
      import { catalogMigrations } from ${schema}
      function* hostsOf(shard) {
        yield 'killed' + shard + '.example'
        if (shard === 1) process.kill(process.pid, 'SIGKILL')
      }
      keepOwners(openDatabase(process.argv[1], { migrations: catalogMigrations }), 2, hostsOf)`
    const args = ['--input-type=module', '-e', script, paths.catalog(folder)]
    const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    assert.equal(signal, 'SIGKILL', stderr)
    const catalog = openCatalog()
    const { n } = catalog.prepare('SELECT count(*) AS n FROM host_owners').get() as { n: number }
    const { kept } = catalog.prepare('SELECT count(*) AS kept FROM partitions').get() as { kept: number }
    catalog.close()
    assert.deepEqual([n, kept], [0, ownersBefore().partitions.size])
  })

  test('keeps hosts with the shard that has their queue, and spreads new hosts of the same domains', async () => {
    const opened = openFolder({ folder, holder: 'test', shards: SHARDS })
    const catalog = openCatalog()
    const byPartition = createPartitionOwners(opened.partitions, SHARDS, catalog)
    const ownerOf = createHostOwners(catalog, { shards: SHARDS, byPartition, choose: null })
    for (const [host, owner] of ownersBefore().owners) assert.equal(ownerOf(host), owner, host)
    const fresh = Array.from({ length: 64 }, (_, n) => `new${n}.a.example`)
    const inFirst = fresh.filter((host) => ownerOf(host) === 0).length
    assert.ok(inFirst > 16 && inFirst < 48, `${inFirst} of ${fresh.length}`)
    catalog.close()
    await opened.close()
    const again = openFolder({ folder, holder: 'test', shards: SHARDS })
    const reopened = openCatalog()
    const later = createHostOwners(reopened, {
      shards: SHARDS,
      byPartition: createPartitionOwners(again.partitions, SHARDS, reopened),
      choose: null,
    })
    assert.deepEqual(fresh.filter((host) => later(host) === 0).length, inFirst)
    reopened.close()
    await again.close()
  })
})

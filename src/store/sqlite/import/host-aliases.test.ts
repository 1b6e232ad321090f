import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { partitionOf } from '../../../core/url/partition.ts'
import type { ImportKind, ImportRow, ImportSource } from '../../contracts/import.ts'
import { openDatabase } from '../folder/database.ts'
import { openFolder, paths } from '../folder/folder.ts'
import { frontierMigrations } from '../folder/schema-frontier.ts'
import { openImportSource } from './import-source.ts'

async function rowsOf(source: ImportSource, kind: ImportKind): Promise<ImportRow[]> {
  const rows: ImportRow[] = []
  let after: Parameters<ImportSource['read']>[1] = null
  do {
    const portion = await source.read(kind, after, { content: true })
    rows.push(...portion.rows)
    after = portion.after
  } while (after !== null)
  return rows
}

function fillShard(folder: string, shard: number, sql: string): void {
  const db = openDatabase(paths.frontier(folder, shard), { migrations: frontierMigrations, mustExist: true })
  db.exec(sql)
  db.close()
}

test('a host known to two shards is imported once, merging their queues and seen URLs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-aliases-'))
  await openFolder({ folder, holder: 'test', shards: 2 }).close()
  const queued = (host: number, seq: number, url: string): string =>
    `INSERT INTO queue (host, priority, seq, fp, depth, hops, redirects, attempts, url, parent, since)
     VALUES (${host}, 0, ${seq}, ${seq}, 1, 1, 0, 0, '${url}', '', 3);`
  fillShard(
    folder,
    0,
    `INSERT INTO hosts (id, host, run, queued, accepted, next_at) VALUES (1, 'a.example', 2, 1, 5, 100), (2, 'b.example', 2, 0, 1, 0);
     INSERT INTO seen VALUES (1, 10, 2, 1), (1, -9223372036854775808, 2, 1), (2, 5, 2, 1);
     INSERT INTO robots VALUES ('http://a.example', 'rules', CAST('first' AS BLOB), 9);
     ${queued(1, 7, 'http://a.example/first')}`,
  )
  fillShard(
    folder,
    1,
    `INSERT INTO hosts (id, host, run, queued, accepted, next_at) VALUES (1, 'c.example', 2, 0, 1, 0), (2, 'a.example', 2, 1, 2, 300);
     INSERT INTO seen VALUES (2, 10, 2, 1), (2, 11, 2, 1);
     INSERT INTO robots VALUES ('http://a.example', 'rules', CAST('second' AS BLOB), 9), ('http://c.example', 'rules', x'', 9);
     ${queued(2, 7, 'http://a.example/second')}`,
  )
  const source = openImportSource({ folder, holder: 'test', isWhole: () => true })
  try {
    const partition = partitionOf('a.example')
    const id = 2 * 256 + partition
    const hosts = await rowsOf(source, 'hosts')
    assert.deepEqual(hosts.map(({ host }) => host).toSorted(), ['a.example', 'b.example', 'c.example'])
    assert.equal(new Set(hosts.map((row) => row.id)).size, 3)
    const merged = hosts.find(({ host }) => host === 'a.example')!
    const { queued: waiting, accepted, next_at } = merged
    assert.deepEqual({ id: merged.id, waiting, accepted, next_at }, { id, waiting: 2, accepted: 7, next_at: 300 })
    const seen = (await rowsOf(source, 'seen')).filter(({ host }) => host === id)
    assert.deepEqual(seen.map(({ fp }) => fp).toSorted(), ['-9223372036854775808', '10', '11'])
    const queue = await rowsOf(source, 'queue')
    assert.deepEqual(
      queue.map(({ host, url, seq, since }) => ({ host, url, seq, since })),
      [
        { host: id, url: 'http://a.example/first', seq: 14, since: 3 * 256 + 255 },
        { host: id, url: 'http://a.example/second', seq: 15, since: 3 * 256 + 255 },
      ],
    )
    const robots = await rowsOf(source, 'robots')
    assert.deepEqual(robots.map(({ origin, body }) => `${origin} ${body}`).toSorted(), [
      'http://a.example first',
      'http://c.example ',
    ])
  } finally {
    source.close()
    rmSync(folder, { recursive: true })
  }
})

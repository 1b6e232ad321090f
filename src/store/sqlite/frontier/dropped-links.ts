import type { DroppedLinks, DroppedPosition } from '../../contracts/dropped-links.ts'
import { groupDrops, mergeDrops } from '../../rules/dropped-links.ts'
import type { Database } from '../folder/database.ts'

type DropRow = Omit<DroppedLinks, 'examples'> & { run: number; examples: string }

/** Links that the trap limits dropped, in the file of the shard that owns their page's host. */
export function createDroppedLinks(db: Database, run: number) {
  const find = db.prepare('SELECT run, count, examples FROM dropped_links WHERE host = ? AND rule = ?')
  const put = db.prepare(
    'INSERT OR REPLACE INTO dropped_links (host, rule, run, count, examples) VALUES (?, ?, ?, ?, ?)',
  )
  return {
    note(drops: readonly DroppedLinks[]): void {
      if (drops.length === 0) return
      db.write(() => {
        for (const drop of groupDrops(drops)) {
          const row = find.get(drop.host, drop.rule) as DropRow | undefined
          const before = row === undefined ? null : { ...row, examples: JSON.parse(row.examples) }
          const { count, examples } = mergeDrops(before, run, drop)
          put.run(drop.host, drop.rule, run, count, JSON.stringify(examples))
        }
      })
    },
  }
}

/** Reads from the files of all shards, opened for reading: each host is in one of them. */
export function droppedOfShards(
  shards: readonly Database[],
  after: DroppedPosition | null,
  limit: number,
): DroppedLinks[] {
  const rows = shards.flatMap((db) => db.read(() => readShard(db, after, limit)))
  return rows
    .sort((a, b) => compare(a.host, b.host) || compare(a.rule, b.rule))
    .slice(0, limit)
    .map(({ host, rule, count, examples }) => ({ host, rule, count, examples: JSON.parse(examples) }))
}

function readShard(db: Database, after: DroppedPosition | null, limit: number): DropRow[] {
  // Readers don't migrate: a file from an older version lacks the table until the next crawl.
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'dropped_links'`).get() === undefined) return []
  const page = db.prepare(
    'SELECT host, rule, count, examples FROM dropped_links WHERE (host, rule) > (?, ?) ORDER BY host, rule LIMIT ?',
  )
  return page.all(after?.host ?? '', after?.rule ?? '', limit) as DropRow[]
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

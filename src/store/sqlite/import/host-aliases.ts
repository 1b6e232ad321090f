import type { ImportRow } from '../../contracts/import.ts'
import type { Database } from '../folder/database.ts'
import { importedHostId } from './source-kind.ts'

/**
 * Hosts that are in two shards. As the list of public suffixes grows, a host may move to another domain, and so to another partition and
 * shard, while the first shard still has its earlier rows. In a shared store a host exists once: under the id of the lowest
 * shard, with the queues of all shards, the latest clock, and the URLs seen by any.
 */
export type HostAliases = {
  /** The imported id of a host whose own row is not imported; null for all others. */
  of(shard: number, hostId: number): number | null
  /** A row merged with those of other shards for the same host. */
  merged(row: ImportRow, host: string): ImportRow
  /** Whether a URL of a host whose own row is not imported is already known under the imported one. */
  hasSeen(shard: number, hostId: number, fp: string): boolean
  hasRobots(shard: number, origin: string): boolean
}

type HostRow = {
  id: number
  host: string
  run: number
  queued: number
  accepted: number
  given_up: 0 | 1
  next_at: number
  failures: number
  rests: number
}

type Alias = { shard: number; id: number; importedId: number }

export function findHostAliases(frontiers: readonly Database[]): HostAliases {
  const shards = frontiers.length
  const byName = frontiers.map((db) =>
    db.prepare('SELECT id, host, run, queued, accepted, given_up, next_at, failures, rests FROM hosts WHERE host = ?'),
  )
  const seen = frontiers.map((db) => db.prepare('SELECT 1 FROM seen WHERE host = ? AND fp = ?'))
  const robots = frontiers.map((db) => db.prepare('SELECT 1 FROM robots WHERE origin = ?'))
  const aliases = new Map<string, Alias>()
  const others = new Map<string, HostRow[]>()
  const keyOf = (shard: number, id: number): string => `${shard} ${id}`
  for (const [shard, db] of frontiers.entries()) {
    if (shard === 0) continue
    for (const raw of db.prepare('SELECT id, host FROM hosts').iterate()) {
      const { id, host } = raw as { id: number; host: string }
      const lowest = byName.slice(0, shard).findIndex((statement) => statement.get(host) !== undefined)
      if (lowest < 0) continue
      const first = byName[lowest]!.get(host) as HostRow
      const importedId = importedHostId(first.id, { shard: lowest, shards }, host)
      aliases.set(keyOf(shard, id), { shard: lowest, id: first.id, importedId })
      others.set(host, [...(others.get(host) ?? []), byName[shard]!.get(host) as HostRow])
    }
  }
  return {
    of: (shard, hostId) => aliases.get(keyOf(shard, hostId))?.importedId ?? null,
    merged(row, host) {
      const more = others.get(host)
      return more === undefined ? row : more.reduce(mergedRow, row)
    },
    hasSeen(shard, hostId, fp) {
      const alias = aliases.get(keyOf(shard, hostId))
      return alias !== undefined && seen[alias.shard]!.get(alias.id, BigInt(fp)) !== undefined
    },
    hasRobots: (shard, origin) => robots.slice(0, shard).some((statement) => statement.get(origin) !== undefined),
  }
}

function mergedRow(row: ImportRow, more: HostRow): ImportRow {
  const run = Math.max(row.run as number, more.run)
  const ofRun = (each: { run: ImportRow[string]; accepted: ImportRow[string] }): number =>
    each.run === run ? (each.accepted as number) : 0
  return {
    ...row,
    run,
    queued: (row.queued as number) + more.queued,
    accepted: ofRun({ run: row.run!, accepted: row.accepted! }) + ofRun(more),
    given_up: row.given_up === true && more.given_up === 1,
    next_at: Math.max(row.next_at as number, more.next_at),
    failures: Math.max(row.failures as number, more.failures),
    rests: Math.max(row.rests as number, more.rests),
  }
}

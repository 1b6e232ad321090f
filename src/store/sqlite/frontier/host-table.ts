import type { StatementSync } from 'node:sqlite'
import type { HostClock, HostState } from '../../contracts/frontier.ts'
import { isGivenUpSql } from '../../rules/host-ranking.ts'
import type { Database } from '../folder/database.ts'

/** A row of `hosts` in memory. Counters and clocks are those of the current run. */
export type HostEntry = HostState & { accepted: number; givenUp: boolean }

type HostRow = {
  id: number
  host: string
  run: number
  queued: number
  accepted: number
  given_up: number
  next_at: number
  failures: number
  rests: number
}

const MAX_CACHED = 20_000
const columns = 'id, host, run, queued, accepted, given_up, next_at, failures, rests'

/**
 * Write-through cache of hosts by name and by id: a changed entry is saved in the same transaction, so that any
 * entry can be evicted at any time. After a failed transaction the whole cache is dropped (`forget`).
 */
export function createHostTable(db: Database, run: number) {
  const byName = new Map<string, HostEntry>()
  const byId = new Map<number, HostEntry>()
  const changed = new Set<HostEntry>()
  /** Null until the first read, since counting reads every host. */
  let counts: { hosts: number; givenUp: number } | null = null
  const count = db.prepare(`SELECT count(*) AS hosts, coalesce(sum(${isGivenUpSql('?')}), 0) AS givenUp FROM hosts`)
  const selectByName = db.prepare(`SELECT ${columns} FROM hosts WHERE host = ?`)
  const selectById = db.prepare(`SELECT ${columns} FROM hosts WHERE id = ?`)
  const insert = db.prepare('INSERT INTO hosts (host, run) VALUES (?, ?)')
  const update = db.prepare(
    'UPDATE hosts SET run = ?, queued = ?, accepted = ?, given_up = ?, next_at = ?, failures = ?, rests = ? WHERE id = ?',
  )

  function keep(entry: HostEntry): HostEntry {
    byName.set(entry.host, entry)
    byId.set(entry.id, entry)
    return entry
  }

  /** Called only after the work of a transaction: within it, an entry in use must stay the only one of its host. */
  function dropOldest(): void {
    for (const { host, id } of byName.values()) {
      if (byName.size <= MAX_CACHED) return
      byName.delete(host)
      byId.delete(id)
    }
  }

  function load(statement: StatementSync, key: string | number): HostEntry | undefined {
    const row = statement.get(key) as HostRow | undefined
    return row === undefined ? undefined : keep(entryOf(row, run))
  }

  return {
    named(host: string): HostEntry {
      const known = byName.get(host) ?? load(selectByName, host)
      if (known !== undefined) return known
      const id = Number(insert.run(host, run).lastInsertRowid)
      if (counts !== null) counts.hosts++
      return keep({ id, host, queued: 0, accepted: 0, givenUp: false, nextAt: 0, failures: 0, rests: 0 })
    },
    numbered: (id: number): HostEntry | undefined => byId.get(id) ?? load(selectById, id),
    entryOf: (row: unknown): HostEntry => byId.get((row as HostRow).id) ?? keep(entryOf(row as HostRow, run)),
    touch(entry: HostEntry): void {
      changed.add(entry)
    },
    giveUp(entry: HostEntry): void {
      if (!entry.givenUp && counts !== null) counts.givenUp++
      entry.givenUp = true
      entry.queued = 0
      changed.add(entry)
    },
    /** Undoes `giveUp`. */
    revive(entry: HostEntry): void {
      if (!entry.givenUp) return
      if (counts !== null) counts.givenUp--
      entry.givenUp = false
      entry.failures = 0
      entry.rests = 0
      changed.add(entry)
    },
    counts(): { hosts: number; givenUp: number } {
      counts ??= count.get(run) as { hosts: number; givenUp: number }
      return { ...counts }
    },
    setClock(clock: HostClock): void {
      const entry = byId.get(clock.id) ?? load(selectById, clock.id)
      if (entry === undefined) return
      entry.nextAt = clock.nextAt
      entry.failures = clock.failures
      entry.rests = clock.rests
      changed.add(entry)
    },
    save(): void {
      for (const h of changed) {
        update.run(run, h.queued, h.accepted, h.givenUp ? 1 : 0, Math.round(h.nextAt), h.failures, h.rests, h.id)
      }
      changed.clear()
      dropOldest()
    },
    forget(): void {
      byName.clear()
      byId.clear()
      changed.clear()
      counts = null
    },
  }
}

/** Limits and failures count per run; only the clock carries over from run to run. */
function entryOf(row: HostRow, run: number): HostEntry {
  const current = row.run === run
  return {
    id: row.id,
    host: row.host,
    queued: row.queued,
    accepted: current ? row.accepted : 0,
    givenUp: current && row.given_up === 1,
    nextAt: row.next_at,
    failures: current ? row.failures : 0,
    rests: current ? row.rests : 0,
  }
}

export const hostColumns = columns

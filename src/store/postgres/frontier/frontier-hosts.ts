import type { HostState } from '../../contracts/frontier.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { type HeldPartition, partitionOfId } from './frontier-partitions.ts'
import { type HostRow, stateOfRow } from './frontier-rows.ts'
import { frontierStatements } from './frontier-statements.ts'

type Search = {
  pool: PostgresPool
  run: number
  partitions: readonly HeldPartition[]
  limit: number
  except: ReadonlySet<number>
}

/** How far one partition was read, in the order of its clocks. */
type Reader = { partition: number; excepted: number; last: { next_at: number; id: number } | null; isAtEnd: boolean }

const MIN_PORTION = 32

/**
 * The hosts that may be asked soonest, out of many partitions, each read as far as needed: the first portion of each is its share and some
 * more, and only those that might have sooner ones than what was found are read on.
 */
export async function findWaitingHosts({ pool, run, partitions, limit, except }: Search): Promise<HostState[]> {
  const excepted = new Map<number, number>()
  for (const id of except) excepted.set(partitionOfId(id), (excepted.get(partitionOfId(id)) ?? 0) + 1)
  let reading: Reader[] = partitions
    .filter(({ facts }) => facts.waiting > 0)
    .map(({ partition }) => ({ partition, excepted: excepted.get(partition) ?? 0, last: null, isAtEnd: false }))
  const portion = Math.min(limit, Math.max(MIN_PORTION, Math.ceil((2 * limit) / Math.max(1, reading.length))))
  let found: HostState[] = []
  while (reading.length > 0 && limit > 0) {
    const pages = await Promise.all(reading.map((reader) => readOn(pool, reader, portion)))
    for (const row of pages.flat()) if (!except.has(row.id)) found.push(stateOfRow(row, run))
    found = found.sort((a, b) => a.nextAt - b.nextAt || a.id - b.id).slice(0, limit)
    const latest = found.length < limit ? Number.POSITIVE_INFINITY : found.at(-1)!.nextAt
    reading = reading.filter(({ isAtEnd, last }) => !isAtEnd && last !== null && last.next_at < latest)
  }
  return found
}

async function readOn(pool: PostgresPool, reader: Reader, portion: number): Promise<HostRow[]> {
  const asked = portion + reader.excepted
  const { next_at, id } = reader.last ?? { next_at: -1, id: 0 }
  const rows = await pool.query<HostRow>(frontierStatements.waiting, [reader.partition, next_at, id, asked])
  reader.isAtEnd = rows.length < asked
  reader.last = rows.at(-1) ?? reader.last
  return rows
}

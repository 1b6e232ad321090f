/**
 * How partitions are distributed when workers join, leave and die: the program's own leases on a real PostgreSQL, with as many
 * holders as in a large cluster. A holder is a shard thread; a worker with four threads counts as four.
 */
import { AppError } from '../src/core/errors.ts'
import { partitionCount } from '../src/core/url/partition.ts'
import { type BenchServer, setPartitions, startServer } from './leases/database.ts'
import { createSimulation, type Settled } from './leases/simulation.ts'
import type { Benchmark } from './table.ts'

export const optionNames = ['holders', 'partitions', 'seed']

/** The defaults of `cluster.lease` and its heartbeats. */
const LEASE_MS = 15_000
const RENEW_EVERY_MS = 5_000
/** Default numbers of holders to simulate, by number of partitions. */
const HOLDERS: Record<number, number[]> = { 256: [1, 10, 16, 100, 200, 255, 256, 1000], 4096: [10, 100, 1000] }

type Event = 'start' | 'join' | 'leave' | 'death'
type Row = Settled & { partitions: number; holders: number; event: Event; held: number[]; least: number }

export const run: Benchmark = async ({ values }) => {
  const seed = Number(values.seed ?? 1)
  const partitions = values.partitions === undefined ? [partitionCount, 4096] : numbers('partitions', values.partitions)
  const server = await startServer()
  const rows: Row[] = []
  try {
    for (const count of partitions) {
      const sizes = values.holders === undefined ? HOLDERS[count] : numbers('holders', values.holders)
      for (const holders of sizes ?? HOLDERS[partitionCount]!) rows.push(...(await live(server, count, holders, seed)))
    }
  } finally {
    await server.end()
  }
  return {
    name: 'leases',
    columns: [
      'partitions',
      'holders',
      'event',
      'least held',
      'most held',
      'ideal',
      'idle',
      'moves',
      'least moves',
      'rounds',
      'longest gap s',
      'statements',
      'ms/heartbeat',
      'heartbeats/s',
    ],
    rows: rows.map((row) => [
      row.partitions,
      row.holders,
      row.event,
      Math.min(...row.held),
      Math.max(...row.held),
      row.partitions / row.held.length,
      row.held.filter((held) => held === 0).length,
      row.moves,
      row.least,
      row.tookMs / RENEW_EVERY_MS,
      row.longestGapMs / 1000,
      row.statements,
      row.beatMs,
      row.held.length / (RENEW_EVERY_MS / 1000),
    ]),
    stats: statsOf(rows),
    notes: [
      'The program’s own holders and lease_beat on a real database; only time is simulated. 4,096 partitions: the same function with that number.',
      'A round is a heartbeat interval of 5 s. At the start all join within one round and rely on heartbeats; later they are woken when others join or release.',
      'Moves are partitions that changed holders; least moves is the minimum possible. Holders release at once: a real one first finishes its requests in flight.',
      'The gap is how long a partition had no live holder. A dead holder’s lease of 15 s runs from its last heartbeat.',
      'Statements of all holders, including heartbeats, until a round has passed without a move.',
    ],
  }
}

/** A cluster starts, one holder joins, one leaves, one dies. */
async function live(server: BenchServer, partitions: number, holders: number, seed: number): Promise<Row[]> {
  const pool = await server.createDatabase(2)
  await setPartitions(pool, partitions)
  const simulation = createSimulation({ pool, seed, leaseMs: LEASE_MS, renewEveryMs: RENEW_EVERY_MS })
  const rows: Row[] = []
  /** `least`: the minimum number of moves. */
  const after = async (event: Event, least: number): Promise<void> => {
    const settled = await simulation.settle()
    rows.push({ ...settled, partitions, holders, event, held: simulation.held(), least })
  }
  simulation.start(holders)
  await after('start', partitions)
  simulation.join()
  await after('join', Math.floor(partitions / (holders + 1)))
  await after('leave', await simulation.leave())
  if (holders > 1) await after('death', simulation.die())
  return rows
}

function statsOf(rows: readonly Row[]): Record<string, number> {
  const stats: Record<string, number> = {}
  for (const { partitions, holders, event, held, moves, longestGapMs, beatMs, tookMs } of rows) {
    const name = `of${partitions}at${holders}`
    if (event === 'start') {
      stats[`${name}MostToIdeal`] = Math.max(...held) / (partitions / held.length)
      stats[`${name}StartRounds`] = tookMs / RENEW_EVERY_MS
      stats[`${name}CoresForHeartbeats`] = (held.length / RENEW_EVERY_MS) * beatMs
    }
    if (event === 'join') stats[`${name}JoinMoves`] = moves
    if (event === 'death') stats[`${name}DeathGapSeconds`] = longestGapMs / 1000
  }
  return stats
}

function numbers(name: string, text: string): number[] {
  const all = text.split(',').map(Number)
  if (all.every((each) => Number.isInteger(each) && each > 0)) return all
  throw new AppError('usage-wrong', `--${name} must be whole numbers above 0, separated by commas`)
}

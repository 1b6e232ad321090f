import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { threadCpuUsage } from 'node:process'
import { systemClock } from '../src/core/clock.ts'
import { pageOf } from '../src/store/conformance/samples.testkit.ts'
import type { ObjectBackend } from '../src/store/contracts/object-backend.ts'
import { createS3Backend } from '../src/store/objects/s3/backend.ts'
import { createS3Client } from '../src/store/objects/s3/client.ts'
import { createFolderBodies, fileHeader } from '../src/store/objects/testkit/outside-bodies.testkit.ts'
import { createOutsideKeeper, insideKeeper, type RecordKeeper } from '../src/store/postgres/archive/record-keeper.ts'
import { partsOf, plainParts } from '../src/store/postgres/archive/record-parts.ts'
import { createSegments } from '../src/store/postgres/archive/segments.ts'
import { openPool, type PostgresPool } from '../src/store/postgres/connection/pool.ts'
import { createPostgresDocuments } from '../src/store/postgres/documents/documents.ts'
import { migrate } from '../src/store/postgres/schema/migrate.ts'
import { startPostgres } from '../src/store/postgres/testkit/postgres-server.testkit.ts'
import { openBodies } from './bodies.ts'
import { processorSeconds } from './measure.ts'
import { type BenchOptions, type BenchTable, numbersOf } from './table.ts'

/**
 * The cost of recording new pages in a cluster, by where their bodies are stored: CPU time of the crawling thread, of its whole process and
 * of the database. Pages are only recorded, in batches of 16, four batches at once. Rounds alternate.
 */
export const optionNames = ['pages', 'rounds']

const BATCH = 16
const PARALLEL = 4
const BODY_BYTES = 35_000

type Place = { name: string; open(pool: PostgresPool): RecordKeeper }
type Cost = { thread: number; process: number; database: number; sent: number }

export async function run({ values }: BenchOptions): Promise<BenchTable> {
  const number = numbersOf(values)
  const [pages, rounds] = [number('pages', 4_000), number('rounds', 3)]
  const server = await startPostgres({ durable: true, settings: { shared_buffers: '256MB', max_wal_size: '4GB' } })
  const folder = createFolderBodies(100e6)
  const s3 = await openBodies('s3')
  const client = createS3Client({
    endpoint: s3.settings.ERACE_OBJECTS_ENDPOINT!,
    bucket: s3.settings.ERACE_OBJECTS_BUCKET!,
    accessKey: s3.settings.ERACE_OBJECTS_ACCESSKEY!,
    secretKey: s3.settings.ERACE_OBJECTS_SECRETKEY!,
    region: 'us-east-1',
    pathStyle: true,
  })
  const outside = (backend: ObjectBackend) => (pool: PostgresPool) =>
    createOutsideKeeper({ backend, segments: createSegments(pool), writer: 'bench', clock: systemClock })
  const places: Place[] = [
    {
      name: 'database, compressed by the crawling thread',
      open: () => ({ keep: async (records) => records.map(partsOf), async close() {} }),
    },
    { name: 'database, compressed by other threads', open: () => insideKeeper },
    {
      name: 'database, plain',
      open: () => ({ keep: async (records) => records.map(plainParts), async close() {} }),
    },
    { name: 'shared folder', open: outside(folder.backend) },
    { name: 'S3', open: outside(createS3Backend({ client, address: 's3', prefix: '', fileHeader })) },
  ]
  try {
    const costs = new Map<string, Cost[]>(places.map(({ name }) => [name, []]))
    for (let round = 0; round <= rounds; round++)
      for (const [index, place] of places.entries()) {
        const address = await server.createDatabase(`keepers_${round}_${index}`)
        const cost = await measure(address, place, pages, () => processorSeconds(server.pid()))
        // The first round is a warm-up.
        if (round > 0) costs.get(place.name)!.push(cost)
      }
    const rows = places.map(({ name }) => {
      const all = costs.get(name)!
      return [name, median(all, 'thread'), median(all, 'process'), median(all, 'database'), median(all, 'sent')]
    })
    return {
      name: 'keepers',
      columns: [
        'bodies',
        'thread CPU ms/page',
        'process CPU ms/page',
        'database CPU ms/page',
        'bytes/page to database',
      ],
      rows,
      stats: {
        folderToDatabase: Number(rows[3]![2]) / Number(rows[0]![2]),
        s3ToDatabase: Number(rows[4]![2]) / Number(rows[0]![2]),
      },
      notes: [`${pages} new pages of ${BODY_BYTES} bytes a round, the median of ${rounds} alternating rounds`],
    }
  } finally {
    client.close()
    await s3.end()
    await folder.end()
    await server.end()
    rmSync(folder.folder, { recursive: true, force: true })
  }
}

function median(costs: readonly Cost[], key: keyof Cost): number {
  const sorted = costs.map((cost) => cost[key]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

async function measure(address: string, place: Place, pages: number, databaseSeconds: () => number): Promise<Cost> {
  const pool = openPool({ address, maxConnections: 5, name: 'bench', manyShort: true })
  await migrate(pool)
  await pool.query(`UPDATE leases SET epoch = 1, holder = 'bench', until = now() + interval '1 hour'`)
  const keeper = place.open(pool)
  const documents = createPostgresDocuments({ pool, keeper, epochOf: () => 1 })
  const captures = Array.from({ length: pages }, (_, n) => {
    const body = Buffer.from(textOf(n))
    return pageOf(`host${n % 8}.example`, `/${n}`, body, { render: () => [body] })
  })
  const before = { thread: threadCpuUsage(), process: process.cpuUsage(), database: databaseSeconds() }
  let next = 0
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      while (next < captures.length) {
        const batch = captures.slice(next, next + BATCH)
        next += BATCH
        await documents.record(batch)
      }
    }),
  )
  await keeper.close()
  const thread = threadCpuUsage(before.thread)
  const all = process.cpuUsage(before.process)
  const cost = {
    thread: (thread.user + thread.system) / 1000 / pages,
    process: (all.user + all.system) / 1000 / pages,
    database: ((databaseSeconds() - before.database) * 1000) / pages,
    sent: pool.traffic().bytes / pages,
  }
  await pool.close()
  return cost
}

/** A unique page that compresses like a real one. */
function textOf(n: number): string {
  let text = `<html><head><title>Page ${n}</title></head><body>`
  for (let block = 0; text.length < BODY_BYTES; block++) {
    const words = createHash('sha256').update(`${n} ${block}`).digest('hex')
    text += `<p class="teaser"><a href="/articles/${words.slice(0, 16)}">The ${words.slice(16, 22)} of the ${words.slice(22, 28)}</a> and what ${words.slice(28, 36)} made of it yesterday evening</p>\n`
  }
  return text
}

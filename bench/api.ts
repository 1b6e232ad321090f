import { openCatalogForReading } from '../src/store/sqlite/folder/folder.ts'
import { createInboxData, emailOf } from './api/inbox-data.ts'
import { type ServerStats, startServerChild } from './api/server-child.ts'
import { useStreams } from './api/streams.ts'
import { type Operation, operations, type Timings, useInbox } from './api/users.ts'
import { quantile, withFolder } from './measure.ts'
import { type Benchmark, numbersOf } from './table.ts'

export const optionNames = ['annotations', 'users', 'seconds', 'streams', 'quick']

const PAUSE_MS = 250
const ARRIVALS = 10
const whole = { annotations: 1_000_000, users: 50, seconds: 20, streams: 1_000 }
const quick = { annotations: 20_000, users: 10, seconds: 2, streams: 100 }

/** `--quick yes`: a small run that only shows that it works. */
export const run: Benchmark = async ({ values }) => {
  const usual = values.quick === undefined ? whole : quick
  const number = numbersOf(values)
  const annotations = number('annotations', usual.annotations)
  const users = number('users', usual.users)
  const seconds = number('seconds', usual.seconds)
  const streams = number('streams', usual.streams)
  return withFolder(async (folder) => {
    const data = await createInboxData(folder, annotations)
    const naive = timeNaive(folder, data.common)
    const server = await startServerChild(folder)
    try {
      const { url } = server
      const idle = await server.stats()
      await useInbox({ data, url, users, seconds: Math.min(2, seconds), pauseMs: 0 })
      const paced = await useInbox({ data, url, users, seconds, pauseMs: PAUSE_MS })
      const calm = await server.stats()
      const startedAt = performance.now()
      const hurried = await useInbox({ data, url, users, seconds, pauseMs: 0 })
      const perSecond = countOf(hurried) / ((performance.now() - startedAt) / 1000)
      const used = await server.stats()
      let open: ServerStats = used
      const onOpen = async (): Promise<void> => {
        open = await server.stats()
      }
      const { delaysMs, expected } = await useStreams(server, data.owners, { streams, arrivals: ARRIVALS, onOpen })
      const streamed = await server.stats()
      const listP95 = quantile([...paced.large.list, ...paced.others.list], 0.95)
      const searchP95 = quantile(paced.large['search, common word'], 0.95)
      return {
        name: 'api',
        columns: ['operation', 'inbox', 'requests', 'p50 ms', 'p95 ms', 'p99 ms', 'p50 ms hurried', 'p95 ms hurried'],
        rows: operations.flatMap((operation) =>
          (['large', 'others'] as const).map((who) => rowOf(operation, who, paced, hurried)),
        ),
        stats: {
          naiveListToP95: naive.listMs / listP95,
          naiveSearchToP95: naive.searchMs / searchP95,
          p95Ms: quantile(allOf(paced), 0.95),
          listP95Ms: listP95,
          searchP95Ms: quantile(of(paced, 'search, rare word', 'search, common word'), 0.95),
          patchP95Ms: quantile(of(paced, 'patch'), 0.95),
          hurriedP95Ms: quantile(allOf(hurried), 0.95),
          requestsPerSecond: perSecond,
          cpuMsPerRequest: ((used.cpuSeconds - calm.cpuSeconds) * 1000) / countOf(hurried),
          serverRssBytes: used.rssBytes,
          bytesPerStream: Math.max(0, open.rssBytes - used.rssBytes) / streams,
          streamDelayP50Ms: quantile(delaysMs, 0.5),
          streamDelayP95Ms: quantile(delaysMs, 0.95),
        },
        notes: [
          `${annotations} annotations, 60 % of them in the large inbox, created in ${data.seconds.toFixed(0)} s; ${users} concurrent users, half of them on the large inbox.`,
          `Users wait ${PAUSE_MS} ms between requests; hurried users do not wait: ${Math.round(perSecond)} requests/s, client and server on one machine.`,
          `Full table scan: list ${naive.listMs.toFixed(0)} ms, search ${naive.searchMs.toFixed(0)} ms.`,
          `Server: ${mb(idle.rssBytes)} MB at start, ${mb(used.rssBytes)} MB after all requests, ${mb(open.rssBytes)} MB with ${streams} streams, ${mb(streamed.rssBytes)} MB after ${ARRIVALS} arrivals each; ${delaysMs.length} of ${expected} events arrived.`,
        ],
      }
    } finally {
      await server.close()
    }
  })
}

function rowOf(operation: Operation, who: 'large' | 'others', paced: Timings, hurried: Timings): (string | number)[] {
  const times = paced[who][operation]
  const fast = hurried[who][operation]
  return [
    operation,
    who,
    times.length,
    ...[0.5, 0.95, 0.99].map((part) => quantile(times, part)),
    ...[0.5, 0.95].map((part) => quantile(fast, part)),
  ]
}

const of = (timings: Timings, ...names: Operation[]): number[] =>
  names.flatMap((name) => [...timings.large[name], ...timings.others[name]])
const allOf = (timings: Timings): number[] => of(timings, ...operations)
const countOf = (timings: Timings): number => allOf(timings).length
const mb = (bytes: number): number => Math.round(bytes / 1e6)

const NAIVE_RUNS = 3
const NAIVE_LIMIT = 50

/** The same queries on a plain table without indexes: a full scan. */
function timeNaive(folder: string, words: readonly string[]): { listMs: number; searchMs: number } {
  const db = openCatalogForReading(folder)
  try {
    const list = db.prepare(
      `SELECT * FROM annotations NOT INDEXED WHERE owner = ? AND read = 0 AND archived = 0 ORDER BY at DESC LIMIT ${NAIVE_LIMIT}`,
    )
    const search = db.prepare(
      `SELECT * FROM annotations NOT INDEXED WHERE owner = ?1 AND archived = 0 AND (title LIKE ?2 OR summary LIKE ?2)
       ORDER BY at DESC LIMIT ${NAIVE_LIMIT}`,
    )
    const owner = emailOf(0)
    return {
      listMs: best(() => list.all(owner)),
      searchMs: best((n) => search.all(owner, `%${words[n % words.length]!}%`)),
    }
  } finally {
    db.close()
  }
}

/** Time of the fastest run, as the first one has to read the file. */
function best(work: (n: number) => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < NAIVE_RUNS; n++) {
    const startedAt = performance.now()
    work(n)
    least = Math.min(least, performance.now() - startedAt)
  }
  return least
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../src/core/errors.ts'
import { createInboxData } from './api/inbox-data.ts'
import { timeNaive } from './api/naive.ts'
import { type ServerStats, startServerChild } from './api/server-child.ts'
import { useStreams } from './api/streams.ts'
import { type Operation, operations, type Timings, useInbox } from './api/users.ts'
import type { Benchmark } from './table.ts'

export const optionNames = ['annotations', 'users', 'seconds', 'streams', 'quick']

const PAUSE_MS = 250
const ARRIVALS = 10
const whole = { annotations: 1_000_000, users: 50, seconds: 20, streams: 1_000 }
const quick = { annotations: 20_000, users: 10, seconds: 2, streams: 100 }

/** `--quick yes` for a small run that only shows that it works. */
export const run: Benchmark = async ({ values }) => {
  const usual = values.quick === undefined ? whole : quick
  const annotations = wholeNumber(values.annotations, usual.annotations, 'annotations')
  const users = wholeNumber(values.users, usual.users, 'users')
  const seconds = wholeNumber(values.seconds, usual.seconds, 'seconds')
  const streams = wholeNumber(values.streams, usual.streams, 'streams')
  const folder = mkdtempSync(join(tmpdir(), 'erace-bench-api-'))
  try {
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
          `${annotations} annotations, 60 % of them in the large inbox, made in ${data.seconds.toFixed(0)} s; ${users} users at the same time, every other with the large one.`,
          `Users wait ${PAUSE_MS} ms between requests; hurried ones do not wait at all: ${Math.round(perSecond)} requests/s, client and server on one machine.`,
          `A look at every row: list ${naive.listMs.toFixed(0)} ms, search ${naive.searchMs.toFixed(0)} ms.`,
          `Server: ${mb(idle.rssBytes)} MB at the start, ${mb(used.rssBytes)} MB after all requests, ${mb(open.rssBytes)} MB with ${streams} streams, ${mb(streamed.rssBytes)} MB after ${ARRIVALS} arrivals to each; ${delaysMs.length} of ${expected} events came.`,
        ],
      }
    } finally {
      await server.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

function wholeNumber(text: string | undefined, usual: number, name: string): number {
  const value = text === undefined ? usual : Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new AppError('usage-wrong', `--${name} takes a whole number above 0`)
}

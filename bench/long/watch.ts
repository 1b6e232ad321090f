import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '../../src/core/errors.ts'
import type { Profile } from '../../src/core/profile.ts'
import { heapAfterGc, inspectorOf } from '../../test/faults/process-memory.ts'
import { lastLines } from '../../test/kit/erace.ts'
import { createUpFolder, noCheckLimits, profileOf, sourceOf } from '../../test/watch/up-run.ts'
import { type BenchChild, startChild } from '../deliver/child.ts'
import { withFolder } from '../measure.ts'
import type { BenchTable } from '../table.ts'
import { lastToFirstThird, type ProcessSample, sampleOf, showLine } from './samples.ts'
import type { SourceOrigin, SourceOriginData } from './source-origin-process.ts'

export type LongWatch = SourceOriginData & {
  /** Simulated hours. */
  hours: number
  everyHours: number
  /** Simulated seconds per real second. */
  speed: number
}

type Sample = ProcessSample & {
  hour: number
  requests: number
  notModified: number
  versions: number
  annotations: number
  /** Versions waiting to be matched. */
  tasks: number
  /** Live heap of all threads after a garbage collection; null if not measured. */
  liveBytes: number | null
}

const SOURCES_PER_PROFILE = 100
/** Short-lived threads. */
const passing = /collector-thread|indexer-thread|compressor-thread/
const columns = [
  ...['hour', 'checks', 'checks/s', 'CPU ms/check', '304', 'new versions', 'annotations', 'tasks'],
  ...['RSS MB', 'anonymous MB', 'live MB', 'disk MB', 'files', 'threads'],
]

/** `erace up` in simulated time: every source is checked each `everyHours`, and some change. Sampled after each simulated hour. */
export async function watchLong(options: LongWatch): Promise<BenchTable> {
  const { hosts, sources, changesPerHour } = options
  const origin: BenchChild<SourceOrigin> = startChild(new URL('./source-origin-process.ts', import.meta.url), {
    ...{ hosts, sources, changesPerHour },
  } satisfies SourceOriginData)
  try {
    const { urls } = await origin.call('ready')
    return await withFolder((folder) => watchIn(join(folder, 'data'), origin, urls, options))
  } finally {
    await origin.end()
  }
}

async function watchIn(
  data: string,
  origin: BenchChild<SourceOrigin>,
  urls: readonly string[],
  options: LongWatch,
): Promise<BenchTable> {
  const { speed } = options
  const folder = await createUpFolder(data)
  await folder.put(...profilesOf(urls, options))
  const up = folder.start({
    NODE_OPTIONS: `--inspect=127.0.0.1:0 --import=${new URL('./fast-clock.ts', import.meta.url).href}`,
    BENCH_CLOCK_SPEED: `${speed}`,
    BENCH_CLOCK_SINCE: `${Date.now()}`,
    ...noCheckLimits,
    // These timeouts elapse in simulated time.
    ERACE_CRAWL_CONNECTTIMEOUT: '10m',
    ERACE_CRAWL_HEADERTIMEOUT: '10m',
    ERACE_CRAWL_STALLTIMEOUT: '10m',
    ERACE_CRAWL_TOTALTIMEOUT: '1h',
  })
  folder.close()
  try {
    const inspector = await inspectorOf(up.child)
    await up.ready()
    await origin.call('begin', speed / 3600)
    const startedAt = performance.now()
    const died = up.ended.then((end) => {
      throw new AppError(
        'internal',
        `the service ended with ${end.exitCode}: ${end.stdout.slice(0, 500)} ${lastLines(end)}`,
      )
    })
    const watched = { pid: up.child.pid!, startedAt, inspector, origin, data }
    const samples = await Promise.race([takeSamples(watched, options), died])
    died.catch(() => {}) // from here on, its end is expected
    const end = await up.stop()
    const problems = end.stderr.split('\n').filter((line) => /"level":(?:40|50|60)|\b(?:WARN|ERROR)\b/.test(line))
    return tableOf(samples, await origin.call('stats'), problems, options)
  } finally {
    if (up.isRunning()) await up.stop('SIGKILL')
  }
}

/** One profile per user; one change in three matches it. */
function profilesOf(urls: readonly string[], { everyHours }: LongWatch): Profile[] {
  const everyMs = everyHours * 3_600_000
  const parts = { everyMs, everyMaxMs: everyMs, scope: { kind: 'page' } } as const
  return Array.from({ length: Math.ceil(urls.length / SOURCES_PER_PROFILE) }, (_, n) => {
    const sources = urls.slice(n * SOURCES_PER_PROFILE, (n + 1) * SOURCES_PER_PROFILE)
    return profileOf(
      `topic-${n}`,
      `user-${n}@example.org`,
      sources.map((url) => sourceOf(url, parts)),
      { java: 4, research: 3 },
      { threshold: 4 },
    )
  })
}

type Watched = {
  pid: number
  startedAt: number
  inspector: string
  origin: BenchChild<SourceOrigin>
  data: string
}

async function takeSamples(watched: Watched, { hours, everyHours, speed }: LongWatch): Promise<Sample[]> {
  const { pid, startedAt, inspector, origin, data } = watched
  const catalog = new DatabaseSync(join(data, 'catalog.db'), { readOnly: true })
  const count = (sql: string): number => Number(Object.values(catalog.prepare(sql).get() ?? {})[0] ?? 0)
  // All first checks are done by then. A garbage collection at every sample would hide the process's natural memory use.
  const measured = new Set([Math.max(everyHours + 1, Math.ceil(hours / 2)), hours])
  const samples: Sample[] = []
  showLine(columns)
  for (let hour = 1; hour <= hours; hour++) {
    await pause(Math.max(0, startedAt + (hour * 3_600_000) / speed - performance.now()))
    const { requests, notModified } = await origin.call('stats')
    const sample = sampleOf(pid, startedAt, data)
    const versions = count('SELECT max(id) FROM versions')
    const annotations = count('SELECT max(id) FROM annotations')
    const tasks = count('SELECT count(*) FROM tasks')
    const liveBytes = measured.has(hour) ? await liveBytesOf(inspector) : null
    samples.push({ ...sample, hour, requests, notModified, versions, annotations, tasks, liveBytes })
    showLine(rowsOf(samples).at(-1)!)
  }
  catalog.close()
  return samples
}

/** Null if a thread doesn't answer in time, for example while it waits for the store; prints why, and the cell stays empty. */
async function liveBytesOf(inspector: string): Promise<number | null> {
  try {
    return (await heapAfterGc(inspector, passing, false)).allBytes
  } catch (error) {
    process.stderr.write(`live objects were not measured: ${(error as Error).message}\n`)
    return null
  }
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e6)

function rowsOf(samples: readonly Sample[]): (number | string)[][] {
  const none = { requests: 0, notModified: 0, versions: 0, annotations: 0, seconds: 0, cpuSeconds: 0 }
  return samples.map((sample, at) => {
    const before = samples[at - 1] ?? none
    const checks = sample.requests - before.requests
    return [
      sample.hour,
      checks,
      checks / (sample.seconds - before.seconds),
      ((sample.cpuSeconds - before.cpuSeconds) / Math.max(1, checks)) * 1000,
      sample.notModified - before.notModified,
      sample.versions - before.versions,
      sample.annotations - before.annotations,
      sample.tasks,
      megabytes(sample.rssBytes),
      megabytes(sample.anonymousBytes),
      sample.liveBytes === null ? '' : megabytes(sample.liveBytes),
      megabytes(sample.diskBytes),
      sample.files,
      sample.threads,
    ]
  })
}

/** Index of the first sample that counts; in earlier ones, sources are checked and matched for the first time. */
function firstSettled(samples: readonly Sample[], { sources, everyHours }: LongWatch): number {
  const at = samples.findIndex(({ versions, tasks }) => versions >= sources && tasks < sources / 100)
  return Math.max(at + 1, everyHours)
}

function tableOf(
  samples: readonly Sample[],
  served: Awaited<ReturnType<SourceOrigin['stats']>>,
  problems: readonly string[],
  options: LongWatch,
): BenchTable {
  const { sources, hosts, hours, everyHours, speed, changesPerHour } = options
  const rows = rowsOf(samples)
  const settled = rows.slice(firstSettled(samples, options))
  const thirds = (name: string): number => lastToFirstThird(settled.map((row) => Number(row[columns.indexOf(name)])))
  const live = samples.flatMap(({ liveBytes }) => liveBytes ?? [])
  return {
    name: 'long watch',
    columns,
    rows,
    stats: {
      rateLastToFirstThird: thirds('checks/s'),
      cpuLastToFirstThird: thirds('CPU ms/check'),
      anonymousLastToFirstThird: thirds('anonymous MB'),
      filesLastToFirstThird: thirds('files'),
      ...(live.length === 2 && { liveLastToMiddle: live[1]! / live[0]! }),
      checksToExpected: served.requests / ((sources * hours) / everyHours),
      peakRssMb: Math.max(...samples.map(({ peakRssBytes }) => peakRssBytes)) / 1e6,
    },
    notes: [
      `${sources} sources on ${hosts} hosts, half of them feeds, in profiles of ${SOURCES_PER_PROFILE}; a check each every ${everyHours} h, ${changesPerHour / 10} % of them change in an hour`,
      `${hours} simulated hours, ${speed} times as fast as real ones; the thirds are compared from hour ${firstSettled(samples, options) + 1} on`,
      `"CPU": of the service; the origin took ${Math.round((served.cpuSeconds / served.requests) * 1e6)} µs of the same processors for a check, and ${megabytes(served.rssBytes)} MB`,
      `live objects were measured ${live.length} times, after a collection`,
      ...(problems.length === 0 ? [] : [`${problems.length} warnings, such as ${problems[0]!.slice(0, 300)}`]),
    ],
  }
}

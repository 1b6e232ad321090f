import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { folderBytes } from '../../bench/measure.ts'
import type { Profile } from '../../src/core/profile.ts'
import { lastLines } from '../kit/erace.ts'
import { createUpFolder, noCheckLimits, profileOf, sourceOf } from '../watch/up-run.ts'
import { inFolder, runAlone, timed } from './experiment.ts'
import { growthOf, heapAfterGc, inspectorOf, openFiles, residentBytes } from './process-memory.ts'
import { createSoakOrigin, type SoakOrigin, startVisitors, type Visitors } from './soak-load.ts'

/**
 * A busy service over a long time: `erace up` checks its sources at a high rate, some pages change, versions are stored, matched and
 * collected, and visitors read, search and stream. All persistent data is on disk, so the heap after a garbage collection must not
 * grow: over the last two thirds of the run, the line fitted through the samples may rise by at most `maxGrowth` of their mean.
 */
const defaults = {
  minutes: 30,
  sources: 400,
  everyMs: 1000,
  changeMs: 120_000,
  /** Interval between two samples. */
  sampleSeconds: 60,
  maxGrowth: 0.02,
  keep: false,
}
type SoakOptions = typeof defaults

type Sample = {
  seconds: number
  checksPerSecond: number
  heapMB: number
  mainHeapMB: number
  promises: number
  threads: number
  residentMB: number
  files: number
  diskMB: number
  calls: number
  streams: number
}

const account = { email: 'ann@example.org', password: 'a long enough password' }
const PROFILES = 10
const MAX_BUSY_GROWTH = 0.25

export async function runSoak(given: Partial<SoakOptions> = {}) {
  const options = { ...defaults, ...given }
  const origin = await createSoakOrigin(options.sources, options.changeMs)
  try {
    return await inFolder('soak', options.keep, (folder) => timed(() => soak(join(folder, 'data'), origin, options)))
  } finally {
    await origin.close()
  }
}

async function soak(data: string, origin: SoakOrigin, options: SoakOptions) {
  const folder = await createUpFolder(data)
  await folder.put(...profilesOf(origin, options))
  const up = folder.start({
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
    ERACE_ADMIN_EMAIL: account.email,
    ERACE_ADMIN_PASSWORD: account.password,
    ...noCheckLimits,
    ERACE_RETENTION: 'versions=1',
    ERACE_ARCHIVE_COLLECTEVERY: '30s',
  })
  folder.close()
  try {
    const inspector = await inspectorOf(up.child)
    const { url } = await up.ready<{ url: string }>()
    const visitors = await startVisitors(url, account)
    const samples = await takeSamples({ pid: up.child.pid!, inspector, origin, visitors, data }, options)
    await visitors.end()
    const end = await up.stop()
    const faults = end.exitCode === 0 ? [] : [`the service ended with ${end.exitCode}: ${lastLines(end)}`]
    return conclude(samples, options, faults)
  } finally {
    if (up.isRunning()) await up.stop('SIGKILL')
  }
}

function profilesOf({ urls }: SoakOrigin, { everyMs }: SoakOptions): Profile[] {
  const parts = { everyMs, everyMaxMs: everyMs, scope: { kind: 'page' } } as const
  return Array.from({ length: PROFILES }, (_, n) => {
    const sources = urls.filter((_, at) => at % PROFILES === n).map((url) => sourceOf(url, parts))
    return profileOf(`topic-${n}`, account.email, sources, { java: 4, research: 3 }, { threshold: 4 })
  })
}

type Measured = { pid: number; inspector: string; origin: SoakOrigin; visitors: Visitors; data: string }

async function takeSamples({ pid, inspector, origin, visitors, data }: Measured, options: SoakOptions) {
  const samples: Sample[] = []
  const startedAt = performance.now()
  let last = { at: startedAt, requests: origin.requests() }
  const count = Math.ceil((options.minutes * 60) / options.sampleSeconds)
  while (samples.length < count) {
    await pause(Math.max(0, startedAt + (samples.length + 1) * options.sampleSeconds * 1000 - performance.now()))
    const now = { at: performance.now(), requests: origin.requests() }
    const { allBytes, mainBytes, promises, threads } = await heapAfterGc(inspector, /collector-thread/)
    samples.push({
      seconds: Math.round((now.at - startedAt) / 1000),
      checksPerSecond: Math.round(((now.requests - last.requests) / (now.at - last.at)) * 1000),
      heapMB: megabytes(allBytes),
      mainHeapMB: megabytes(mainBytes),
      promises,
      threads,
      residentMB: megabytes(residentBytes(pid)),
      files: openFiles(pid),
      diskMB: megabytes(folderBytes(data)),
      calls: visitors.calls(),
      streams: visitors.streams(),
    })
    last = now
    show(samples)
    visitors.check()
  }
  return samples
}

const megabytes = (bytes: number): number => Math.round(bytes / 10_000) / 100

/** Prints a line of the table at once, since a run takes half an hour. */
function show(samples: readonly Sample[]): void {
  const line = (values: readonly unknown[]): void =>
    void process.stderr.write(`${values.map((value) => String(value).padStart(15)).join('')}\n`)
  if (samples.length === 1) line(Object.keys(samples[0]!))
  line(Object.values(samples.at(-1)!))
}

function conclude(samples: readonly Sample[], { maxGrowth }: SoakOptions, faults: string[]) {
  const settled = samples.slice(Math.floor(samples.length / 3))
  const growth = {
    heap: growthOf(settled.map(({ heapMB }) => heapMB)),
    promises: growthOf(settled.map(({ promises }) => promises)),
    files: growthOf(settled.map(({ files }) => files)),
  }
  if (growth.heap > maxGrowth) faults.push(`the heap grew by ${percent(growth.heap)}, not ${percent(maxGrowth)}`)
  // These fluctuate with the work in progress.
  if (growth.promises > MAX_BUSY_GROWTH) faults.push(`the number of promises grew by ${percent(growth.promises)}`)
  if (growth.files > MAX_BUSY_GROWTH) faults.push(`the number of open files grew by ${percent(growth.files)}`)
  const checks = settled.map(({ checksPerSecond }) => checksPerSecond)
  return {
    checksPerSecond: Math.round(checks.reduce((sum, each) => sum + each, 0) / checks.length),
    heapGrowth: percent(growth.heap),
    promisesGrowth: percent(growth.promises),
    filesGrowth: percent(growth.files),
    samples,
    faults,
  }
}

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`

if (import.meta.main) await runAlone(defaults, runSoak)

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom, type Random } from '../../bench/origin/random.ts'
import { lastLines, readResult, startErace } from '../kit/erace.ts'
import { createUpFolder, type UpFolder } from '../watch/up-run.ts'
import { createNewsSite, type NewsSite } from './news-site.ts'
import { impliedFaults, watchingProfiles } from './news-watchers.ts'

/**
 * `erace up` on a site that changes all the time, killed without warning again and again. Kills come after a random number of
 * requests (in the midst of checks), when annotations are being made or wait to be, and while the program starts. In the end the site stands still and
 * everything settles; then each profile is held by itself against each version that is kept.
 */
export type KillUpOptions = {
  rounds: number
  seed: number
  /** Between two changes of the site. */
  changeMs: number
  /** A limit for each wait. */
  patienceMs: number
  keep: boolean
}

export type KillUpReport = {
  seed: number
  rounds: number
  kills: Record<Moment, number>
  /** Kills that left versions which nobody had annotated yet. */
  leftTasks: number
  changes: number
  requests: number
  versions: number
  gone: number
  annotations: number
  /** From each start to the first request. */
  slowestStartMs: number
  seconds: number
  faults: string[]
}

type Moment = 'check' | 'annotate' | 'start'

export const killUpDefaults: KillUpOptions = { rounds: 50, seed: 1, changeMs: 25, patienceMs: 30_000, keep: false }

type Place = KillUpOptions & { site: NewsSite; data: string; folder: UpFolder; random: Random; report: KillUpReport }

export async function runKillUp(given: Partial<KillUpOptions> = {}): Promise<KillUpReport> {
  const options = { ...killUpDefaults, ...given }
  const site = await createNewsSite(createRandom(options.seed + 1))
  const data = mkdtempSync(join(tmpdir(), 'erace-kill-up-'))
  const folder = await createUpFolder(data)
  const report: KillUpReport = {
    seed: options.seed,
    rounds: 0,
    kills: { check: 0, annotate: 0, start: 0 },
    leftTasks: 0,
    changes: 0,
    requests: 0,
    versions: 0,
    gone: 0,
    annotations: 0,
    slowestStartMs: 0,
    seconds: 0,
    faults: [],
  }
  const place: Place = { ...options, site, data, folder, random: createRandom(options.seed), report }
  const startedAt = performance.now()
  const changing = setInterval(() => {
    site.change()
    report.changes++
  }, options.changeMs)
  try {
    await folder.put(...watchingProfiles(site.origin))
    while (report.rounds < options.rounds && report.faults.length === 0) await killOnce(place)
    clearInterval(changing)
    if (report.faults.length === 0) await settle(place)
    await check(place)
    report.requests = site.pageRequests()
    report.seconds = Math.round((performance.now() - startedAt) / 100) / 10
    return report
  } finally {
    clearInterval(changing)
    folder.close()
    await site.close()
    if (!options.keep) rmSync(data, { recursive: true, force: true })
  }
}

async function killOnce(place: Place): Promise<void> {
  const { random, report, folder } = place
  const moment = random.pick<Moment>(['check', 'check', 'annotate', 'annotate', 'start'])
  const run = folder.start({ ERACE_SCHEDULE_MINEVERY: '100ms' })
  let hasEnded = false
  void run.ended.then(() => {
    hasEnded = true
  })
  const isTime = momentOf(place, moment)
  const endAt = performance.now() + place.patienceMs
  let isLate = false
  while (!hasEnded && !(await isTime())) {
    isLate = performance.now() > endAt
    if (isLate) break
    await pause(1)
  }
  const isEarly = hasEnded
  run.child.kill('SIGKILL')
  const end = await run.ended
  report.rounds++
  report.kills[moment]++
  if ((await folder.countTasks()) > 0) report.leftTasks++
  if (isEarly) report.faults.push(`round ${report.rounds}: ended by itself with ${end.exitCode}: ${lastLines(end)}`)
  if (isLate) report.faults.push(`round ${report.rounds}: no ${moment} came in time: ${lastLines(end)}`)
}

/** Tells when the moment for the kill has come. */
function momentOf({ random, site, folder, report }: Place, moment: Moment): () => Promise<boolean> {
  const startedAt = performance.now()
  const requests = site.pageRequests()
  let firstAt = 0
  const sinceStart = (): number => {
    const asked = site.pageRequests() - requests
    if (asked > 0 && firstAt === 0) {
      firstAt = performance.now()
      report.slowestStartMs = Math.max(report.slowestStartMs, Math.round(firstAt - startedAt))
    }
    return asked
  }
  if (moment === 'start') {
    const afterMs = random.below(900)
    return async () => sinceStart() >= 0 && performance.now() - startedAt >= afterMs
  }
  if (moment === 'check') {
    const wanted = 1 + random.below(40)
    return async () => sinceStart() >= wanted
  }
  // So many looks at a queue that is not empty, after so many requests: while it is being emptied, or before that.
  const wanted = 1 + random.below(30)
  let looks = 1 + random.below(4)
  return async () => sinceStart() >= wanted && (await folder.countTasks()) > 0 && --looks === 0
}

/** The site stands still. After two checks of everything that bring nothing new, there is nothing to come. */
async function settle(place: Place): Promise<void> {
  const { folder, report } = place
  const run = folder.start({ ERACE_SCHEDULE_MINEVERY: '100ms' })
  const endAt = performance.now() + place.patienceMs
  for (let quiet = 0; quiet < 2; quiet++) {
    const from = Date.now()
    const isOver = async () =>
      (await folder.watches.all()).every(({ round, checkedAt }) => round > from && checkedAt >= round) &&
      (await folder.countTasks()) === 0
    while (!(await isOver())) {
      if (performance.now() > endAt || run.child.exitCode !== null) {
        report.faults.push('it does not settle')
        quiet = 2
        break
      }
      await pause(10)
    }
  }
  run.child.kill('SIGTERM')
  const timer = setTimeout(() => run.child.kill('SIGKILL'), place.patienceMs)
  const end = await run.ended
  clearTimeout(timer)
  if (end.exitCode !== 0) report.faults.push(`ended with ${end.exitCode ?? end.signal}: ${lastLines(end)}`)
}

async function check(place: Place): Promise<void> {
  const { data, folder, site, report } = place
  const annotations = await folder.annotations()
  const { faults, versions, gone } = await impliedFaults({ data, site, annotations })
  report.faults.push(...faults.slice(0, 20))
  Object.assign(report, { versions, gone, annotations: annotations.length })
  const verified = await startErace(['verify', '--data', data, '--json']).ended
  if (verified.exitCode !== 0)
    report.faults.push(`verify: ${JSON.stringify(readResult(verified)?.faults)?.slice(0, 1000)} ${lastLines(verified)}`)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

if (import.meta.main) {
  const number = { type: 'string' } as const
  const { values } = parseArgs({
    options: { rounds: number, seed: number, 'change-ms': number, keep: { type: 'boolean' } },
  })
  const { 'change-ms': changeMs, keep = false, ...numbers } = { ...values }
  const seed = numbers.seed ?? `${Math.floor(Math.random() * 1_000_000)}`
  const entries = Object.entries({ ...numbers, seed, changeMs }).filter(([, value]) => value !== undefined)
  process.stderr.write(`seed ${seed}\n`)
  const report = await runKillUp({ ...Object.fromEntries(entries.map(([name, value]) => [name, Number(value)])), keep })
  process.stdout.write(`${JSON.stringify(report)}\n`)
  process.exitCode = report.faults.length === 0 ? 0 : 1
}

import { setTimeout as pause } from 'node:timers/promises'
import { createRandom, type Random } from '../../bench/origin/random.ts'
import { lastLines, readResult, startErace } from '../kit/erace.ts'
import { createUpFolder, type UpFolder } from '../watch/up-run.ts'
import { inFolder, runAlone, timed } from './experiment.ts'
import { createNewsSite, type NewsSite } from './news-site.ts'
import { impliedFaults, watchingProfiles } from './news-watchers.ts'

/**
 * `erace up` on a constantly changing site, killed repeatedly: after a random number of requests (during checks), while annotations are
 * created or queued, and during start-up. In the end the site stops changing and all work is completed; then each profile is compared
 * with each stored version. Superseded bodies that no profile needs are dropped continuously. With `collect`, all superseded versions
 * are collected, and most of the kills come during a collection.
 */
const defaults = {
  rounds: 50,
  seed: 1,
  /** Time between two changes of the site. */
  changeMs: 25,
  /** Timeout of each wait. */
  patienceMs: 120_000,
  collect: false,
  keep: false,
}
type KillUpOptions = typeof defaults

type Moment = 'check' | 'annotate' | 'start' | 'collect'

const settings = { ERACE_SCHEDULE_MINEVERY: '100ms', ERACE_ARCHIVE_COLLECTEVERY: '1s' }
const collecting = { ERACE_RETENTION: 'versions=1' }

function newReport(seed: number) {
  return {
    seed,
    rounds: 0,
    kills: { check: 0, annotate: 0, start: 0, collect: 0 } as Record<Moment, number>,
    /** Kills that left versions without annotations. */
    leftTasks: 0,
    changes: 0,
    requests: 0,
    versions: 0,
    gone: 0,
    annotations: 0,
    /** Longest time from a start to its first request. */
    slowestStartMs: 0,
    faults: [] as string[],
  }
}

type Experiment = KillUpOptions & {
  site: NewsSite
  data: string
  folder: UpFolder
  random: Random
  report: ReturnType<typeof newReport>
}

export function runKillUp(given: Partial<KillUpOptions> = {}) {
  const options = { ...defaults, ...given }
  return inFolder('kill-up', options.keep, (data) => timed(() => killUp(options, data)))
}

async function killUp(options: KillUpOptions, data: string) {
  const site = await createNewsSite(createRandom(options.seed + 1))
  const folder = await createUpFolder(data)
  const report = newReport(options.seed)
  const experiment: Experiment = { ...options, site, data, folder, random: createRandom(options.seed), report }
  const changing = setInterval(() => {
    site.change()
    report.changes++
  }, options.changeMs)
  try {
    await folder.put(...watchingProfiles(site.origin))
    while (report.rounds < options.rounds && report.faults.length === 0) await killOnce(experiment)
    clearInterval(changing)
    if (report.faults.length === 0) await complete(experiment)
    await check(experiment)
    report.requests = site.pageRequests()
    return report
  } finally {
    clearInterval(changing)
    folder.close()
    await site.close()
  }
}

async function killOnce(experiment: Experiment): Promise<void> {
  const { random, report, folder } = experiment
  const moments: Moment[] = experiment.collect
    ? ['collect', 'collect', 'annotate']
    : ['check', 'check', 'annotate', 'annotate', 'start']
  const moment = random.pick(moments)
  const run = folder.start(settingsOf(experiment))
  const isTime = momentOf(experiment, moment)
  const endAt = performance.now() + experiment.patienceMs
  let isLate = false
  while (run.isRunning() && !(await isTime())) {
    isLate = performance.now() > endAt
    if (isLate) break
    await pause(1)
  }
  const isEarly = !run.isRunning()
  const end = await run.stop('SIGKILL')
  report.rounds++
  report.kills[moment]++
  if ((await folder.countTasks()) > 0) report.leftTasks++
  if (isEarly) report.faults.push(`round ${report.rounds}: ended unexpectedly with ${end.exitCode}: ${lastLines(end)}`)
  if (isLate) report.faults.push(`round ${report.rounds}: no ${moment} in time: ${lastLines(end)}`)
}

const settingsOf = ({ collect }: KillUpOptions) => ({ ...settings, ...(collect ? collecting : {}) })

/** Returns a condition that tells when to kill. */
function momentOf({ random, site, folder, report }: Experiment, moment: Moment): () => Promise<boolean> {
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
  if (moment === 'collect') {
    const beganAt = Date.now()
    return async () => {
      const last = await folder.collectionRuns.last()
      return sinceStart() > 0 && last !== null && last.startedAt > beganAt && last.state === 'running'
    }
  }
  // After some requests, and some polls that find a non-empty queue: before or while it is processed.
  const wanted = 1 + random.below(30)
  let reads = 1 + random.below(4)
  return async () => sinceStart() >= wanted && (await folder.countTasks()) > 0 && --reads === 0
}

/** A version that was being processed at three kills is set aside as if it had caused them, so these are retried explicitly. */
async function complete(experiment: Experiment): Promise<void> {
  await completeChecks(experiment)
  const retried = await startErace(['status', '--retry-tasks', '--data', experiment.data]).ended
  if (retried.exitCode !== 0)
    experiment.report.faults.push(`retry ended with ${retried.exitCode}: ${lastLines(retried)}`)
  await completeChecks(experiment)
}

/** The site no longer changes. After two complete checks, all work is done. */
async function completeChecks(experiment: Experiment): Promise<void> {
  const { folder, report } = experiment
  const run = folder.start(settingsOf(experiment))
  const endAt = performance.now() + experiment.patienceMs
  for (let quiet = 0; quiet < 2; quiet++) {
    const from = Date.now()
    const isOver = async () =>
      (await folder.watches.all()).every(({ round, checkedAt }) => round > from && checkedAt >= round) &&
      (await folder.countTasks()) === 0
    while (!(await isOver())) {
      if (performance.now() > endAt || run.child.exitCode !== null) {
        report.faults.push('it does not complete its work')
        quiet = 2
        break
      }
      await pause(10)
    }
  }
  run.child.kill('SIGTERM')
  const end = await run.endWithin(experiment.patienceMs)
  if (end.exitCode !== 0) report.faults.push(`ended with ${end.exitCode ?? end.signal}: ${lastLines(end)}`)
}

async function check(experiment: Experiment): Promise<void> {
  const { data, folder, site, report } = experiment
  const all = await folder.annotations()
  // The baseline of a tracked source arrives marked as read, so its version may have been collected.
  const gone = await Promise.all(all.map(async ({ owner, id }) => folder.wasCollected(owner, id)))
  const annotations = all.filter((_, at) => !gone[at])
  const { faults, ...counts } = await impliedFaults({ data, site, annotations })
  report.faults.push(...faults.slice(0, 20))
  Object.assign(report, { ...counts, annotations: annotations.length })
  const verified = await startErace(['verify', '--data', data, '--json']).ended
  if (verified.exitCode !== 0)
    report.faults.push(`verify: ${JSON.stringify(readResult(verified)?.faults)?.slice(0, 1000)} ${lastLines(verified)}`)
}

if (import.meta.main)
  await runAlone(defaults, (given) => runKillUp({ seed: Math.floor(Math.random() * 1_000_000), ...given }))

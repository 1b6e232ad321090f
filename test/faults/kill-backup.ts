import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createRandom, type Random } from '../../bench/origin/random.ts'
import { type Origin, startOrigin } from '../../bench/origin/start.ts'
import { openCatalogForReading } from '../../src/store/sqlite/folder/folder.ts'
import { type EraceProcess, lastLines, readResult, startErace, startWebCrawl } from '../kit/erace.ts'
import { inFolder, runAlone, timed } from './experiment.ts'
import { readWarcFolder } from './warc-records.ts'

/**
 * Backups of a running crawl, one after another. Half of them are killed, and sometimes the crawl or a restore too.
 * A killed backup must leave no file of its name. A finished one is restored into a new folder: that must verify, contain
 * everything that was current when the backup started, and crawl to the end with every page stored once.
 */
const defaults = { rounds: 20, pages: 3000, hosts: 3, fetchers: 6, threads: 3, latencyMs: 15, seed: 1, keep: false }
type KillBackupOptions = typeof defaults

function newReport() {
  return {
    rounds: 0,
    killedBackups: 0,
    killedCrawls: 0,
    killedRestores: 0,
    /** Backups that were restored and crawled to the end. */
    restored: 0,
    /** The fewest and the most pages that were stored when a backup started. */
    pagesInBackup: [Number.POSITIVE_INFINITY, 0] as [number, number],
    faults: [] as string[],
  }
}

type Experiment = {
  options: KillBackupOptions
  origin: Origin
  random: Random
  folder: string
  report: ReturnType<typeof newReport>
}

export async function runKillBackup(given: Partial<KillBackupOptions> = {}) {
  const options = { ...defaults, ...given }
  const { pages, hosts, seed, latencyMs, keep } = options
  const origin = await startOrigin({ pages, hosts, seed, latencyMs, meanBytes: 8000, links: 25 })
  try {
    return await inFolder('kill-backup', keep, (folder) =>
      timed(async () => {
        const report = newReport()
        const experiment: Experiment = { options, origin, random: createRandom(seed), folder, report }
        const crawl = keepCrawling(experiment)
        try {
          for (; report.rounds < options.rounds && report.faults.length === 0; report.rounds++)
            await runRound(experiment, crawl)
        } finally {
          await crawl.end()
        }
        return report
      }),
    )
  } finally {
    await origin.close()
  }
}

function startCrawl({ options, origin }: Experiment, data: string, fetchers: number): EraceProcess {
  return startWebCrawl(origin, data, { fetchers, perHost: fetchers, threads: options.threads })
}

/** A first crawl is always running: when one ends, the next starts in a new folder. */
function keepCrawling(experiment: Experiment) {
  let number = 0
  let running: EraceProcess | null = null
  let ended = false
  let kills = 0
  const data = (): string => join(experiment.folder, `data-${number}`)

  async function crawlOn(): Promise<void> {
    while (!ended) {
      const before = kills
      running = startCrawl(experiment, data(), experiment.options.fetchers)
      const end = await running.ended
      if (ended || kills > before) continue
      if (end.exitCode !== 0) {
        experiment.report.faults.push(
          `a crawl ended with ${end.exitCode ?? end.signal}: ${end.stdout.slice(0, 500)} ${lastLines(end)}`,
        )
        return
      }
      number++
    }
  }
  const allEnded = crawlOn()
  return {
    data,
    kill(): void {
      kills++
      running?.child.kill('SIGKILL')
    },
    async end(): Promise<void> {
      ended = true
      running?.child.kill('SIGKILL')
      await allEnded
    },
  }
}

async function runRound(experiment: Experiment, crawl: ReturnType<typeof keepCrawling>): Promise<void> {
  const { options, random, report, folder } = experiment
  const { rounds: round, faults } = report
  const { data, pages } = await waitForPages(crawl, random.below(Math.floor(options.pages / 4)) + 1, faults)
  const before = readCurrent(data)
  const file = join(folder, `round-${round}.${['tar', 'tar.zst', 'tgz'][round % 3]}`)
  const backup = startErace(['backup', file, '--data', data, '--json'])
  if (round % 3 === 2) {
    await pause(random.below(900))
    crawl.kill()
    report.killedCrawls++
  }
  // The first is never killed, so that a single round restores something.
  const isKilled = round % 2 === 1
  if (isKilled) await killAtRandom(backup, () => existsSync(`${file}.part`), random)
  const end = await backup.ended
  if (isKilled && end.signal === 'SIGKILL') report.killedBackups++
  else if (end.exitCode !== 0) faults.push(`round ${round}: backup ended with ${end.exitCode}: ${lastLines(end)}`)
  if (!existsSync(file)) return
  report.pagesInBackup = [Math.min(pages, report.pagesInBackup[0]), Math.max(pages, report.pagesInBackup[1])]
  await restoreAndCheck(experiment, file, before)
  clear(folder, file)
}

async function killAtRandom(process: EraceProcess, isAtWork: () => boolean, random: Random): Promise<void> {
  const { ended, isRunning, stop } = process
  while (isRunning() && !isAtWork()) await pause(1)
  await Promise.race([pause(random.below(200)), ended])
  await stop('SIGKILL')
}

function clear(folder: string, file: string): void {
  rmSync(file, { force: true })
  rmSync(`${file}.part`, { recursive: true, force: true })
  rmSync(join(folder, 'back'), { recursive: true, force: true })
}

type Current = Map<string, string>

/** The digest of the current version of each document, by URL. */
function readCurrent(data: string): Current {
  const db = openCatalogForReading(data)
  try {
    const rows = db
      .prepare(
        `SELECT d.url, hex(v.digest) AS digest FROM documents d JOIN versions v ON v.id = d.version WHERE v.body = 'kept'`,
      )
      .all() as { url: string; digest: string }[]
    return new Map(rows.map(({ url, digest }) => [url, digest]))
  } finally {
    db.close()
  }
}

/** Waits until the current crawl has stored this many pages. */
async function waitForPages(crawl: ReturnType<typeof keepCrawling>, wanted: number, faults: string[]) {
  for (;;) {
    const data = crawl.data()
    const pages = countPages(data)
    if (pages >= wanted || faults.length > 0) return { data, pages }
    await pause(20)
  }
}

function countPages(data: string): number {
  try {
    return readCurrent(data).size
  } catch {
    return 0 // the folder is being created
  }
}

async function restoreAndCheck(experiment: Experiment, file: string, before: Current): Promise<void> {
  const { report, random, folder, options } = experiment
  const { faults, rounds: round } = report
  const back = join(folder, 'back')
  const command = async (name: string, run: EraceProcess) => {
    const end = await run.ended
    if (end.exitCode !== 0)
      faults.push(`round ${round}: ${name} ended with ${end.exitCode}: ${end.stdout.slice(0, 500)} ${lastLines(end)}`)
    return readResult(end)
  }
  if (round % 4 === 0) {
    const killed = startErace(['restore', file, '--data', back])
    await killAtRandom(killed, () => existsSync(`${back}.restoring`), random)
    const { signal } = await killed.ended
    if (signal === 'SIGKILL') report.killedRestores++
    if (existsSync(back)) rmSync(back, { recursive: true }) // it ended before the kill
  }
  await command('restore', startErace(['restore', file, '--data', back, '--json']))
  if (existsSync(`${back}.restoring`)) faults.push(`round ${round}: restore left something behind`)
  await command('verify', startErace(['verify', '--data', back, '--json']))
  if (faults.length > 0) return
  const kept = readCurrent(back)
  const missing = [...before].filter(([url, digest]) => kept.get(url) !== digest)
  if (missing.length > 0)
    faults.push(
      `round ${round}: ${missing.length} of ${before.size} pages are missing from the backup, such as ${missing[0]![0]}`,
    )
  const result = await command('the continued crawl', startCrawl(experiment, back, options.fetchers * 4))
  if (result?.finished !== true) faults.push(`round ${round}: the continued crawl is not finished`)
  await command('verify after the crawl', startErace(['verify', '--data', back, '--json']))
  await checkPages(experiment, back)
  report.restored++
}

async function checkPages({ origin, report }: Experiment, data: string): Promise<void> {
  const { faults, rounds: round } = report
  const warc = await readWarcFolder(data)
  faults.push(...warc.faults.map((fault) => `round ${round}: ${fault}`))
  const once = [...warc.responses.values()].filter((count) => count === 1).length
  if (once !== origin.documents || warc.responses.size !== origin.documents)
    faults.push(
      `round ${round}: ${once} of ${origin.documents} pages are stored once, ${warc.responses.size - once} more than once`,
    )
  const strays = readdirSync(join(data, 'archive')).filter((name) => name.endsWith('.stray'))
  if (strays.length > 0) faults.push(`round ${round}: ${strays.length} archive files are missing from the catalogue`)
}

if (import.meta.main) await runAlone(defaults, runKillBackup)

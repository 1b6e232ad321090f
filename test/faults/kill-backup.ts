import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createRandom } from '../../bench/origin/random.ts'
import { type Origin, startOrigin } from '../../bench/origin/start.ts'
import { openCatalogForReading } from '../../src/store/sqlite/folder/folder.ts'
import { lastLines, readResult, startErace, startWebCrawl } from '../kit/erace.ts'
import { readKillOptions } from './command-line.ts'
import { readWarcFolder } from './warc-records.ts'

/**
 * Backups of a crawl that is under way, one after the other. Half of them are killed without warning, and now and then the crawl or a restore, too. Of a
 * killed backup nothing may be found under its name. One that was finished is brought back into a new folder: that must
 * be without faults, hold everything that was current when the backup began, and be crawled to the end with every page stored once.
 */
export type KillBackupOptions = {
  rounds: number
  pages: number
  hosts: number
  fetchers: number
  threads: number
  latencyMs: number
  seed: number
  keep: boolean
}

export type KillBackupReport = {
  rounds: number
  killedBackups: number
  killedCrawls: number
  killedRestores: number
  /** Backups that were finished, brought back and crawled to the end. */
  restored: number
  /** Pages that they had of the crawl when they were begun, the fewest and the most. */
  pagesInBackup: [number, number]
  seconds: number
  /** Empty when everything held. */
  faults: string[]
}

export const killBackupDefaults: KillBackupOptions = {
  rounds: 20,
  pages: 3000,
  hosts: 3,
  fetchers: 6,
  threads: 2,
  latencyMs: 15,
  seed: 1,
  keep: false,
}

type Ending = ReturnType<typeof startErace>
type Place = {
  options: KillBackupOptions
  origin: Origin
  random: ReturnType<typeof createRandom>
  folder: string
  report: KillBackupReport
}

export async function runKillBackup(given: Partial<KillBackupOptions> = {}): Promise<KillBackupReport> {
  const options = { ...killBackupDefaults, ...given }
  const { pages, hosts, seed, latencyMs } = options
  const origin = await startOrigin({ pages, hosts, seed, latencyMs, meanBytes: 8000, links: 25 })
  const folder = mkdtempSync(join(tmpdir(), 'erace-kill-backup-'))
  const report: KillBackupReport = {
    rounds: 0,
    killedBackups: 0,
    killedCrawls: 0,
    killedRestores: 0,
    restored: 0,
    pagesInBackup: [Number.POSITIVE_INFINITY, 0],
    seconds: 0,
    faults: [],
  }
  const place: Place = { options, origin, random: createRandom(seed), folder, report }
  const crawl = keepCrawling(place)
  const startedAt = performance.now()
  try {
    for (; report.rounds < options.rounds && report.faults.length === 0; report.rounds++) await runRound(place, crawl)
  } finally {
    await crawl.end()
    await origin.close()
    if (!options.keep) rmSync(folder, { recursive: true, force: true })
  }
  return { ...report, seconds: Math.round(performance.now() - startedAt) / 1000 }
}

function startCrawl({ options, origin }: Place, data: string, fetchers: number): Ending {
  return startWebCrawl(origin, data, { fetchers, perHost: fetchers, threads: options.threads })
}

/** There is always a first crawl under way: one that ends is followed by another in a new folder. */
function keepCrawling(place: Place) {
  let number = 0
  let running: Ending | null = null
  let ended = false
  let kills = 0
  const data = (): string => join(place.folder, `data-${number}`)

  async function crawlOn(): Promise<void> {
    while (!ended) {
      const before = kills
      running = startCrawl(place, data(), place.options.fetchers)
      const end = await running.ended
      if (ended || kills > before) continue
      if (end.exitCode !== 0) {
        place.report.faults.push(
          `a crawl ended with ${end.exitCode ?? end.signal}: ${end.stdout.slice(0, 500)} ${lastLines(end)}`,
        )
        return
      }
      number++
    }
  }
  const over = crawlOn()
  return {
    data,
    kill(): void {
      kills++
      running?.child.kill('SIGKILL')
    },
    async end(): Promise<void> {
      ended = true
      running?.child.kill('SIGKILL')
      await over
    },
  }
}

async function runRound(place: Place, crawl: ReturnType<typeof keepCrawling>): Promise<void> {
  const { options, random, report, folder } = place
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
  // The first is always finished, so that a single round shows something.
  const isKilled = round % 2 === 1
  if (isKilled) await killAtRandom(backup, () => existsSync(`${file}.part`), random)
  const end = await backup.ended
  if (isKilled && end.signal === 'SIGKILL') report.killedBackups++
  else if (end.exitCode !== 0) faults.push(`round ${round}: backup ended with ${end.exitCode}: ${lastLines(end)}`)
  if (!existsSync(file)) return
  report.pagesInBackup = [Math.min(pages, report.pagesInBackup[0]), Math.max(pages, report.pagesInBackup[1])]
  await bringBack(place, file, before)
  clear(folder, file)
}

async function killAtRandom({ child, ended }: Ending, isAtWork: () => boolean, random: Place['random']): Promise<void> {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!isOver && !isAtWork()) await pause(1)
  await Promise.race([pause(random.below(200)), ended])
  child.kill('SIGKILL')
}

function clear(folder: string, file: string): void {
  rmSync(file, { force: true })
  rmSync(`${file}.part`, { recursive: true, force: true })
  rmSync(join(folder, 'back'), { recursive: true, force: true })
}

type Current = Map<string, string>

/** The document's URL and the digest of its current version. */
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

/** Waits until the crawl has so many pages, whatever folder it has come to by then. */
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
    return 0 // the folder is being made
  }
}

async function bringBack(place: Place, file: string, before: Current): Promise<void> {
  const { report, random, folder, options } = place
  const { faults, rounds: round } = report
  const back = join(folder, 'back')
  const command = async (name: string, run: Ending) => {
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
    if (existsSync(back)) rmSync(back, { recursive: true }) // it was faster than the kill
  }
  await command('restore', startErace(['restore', file, '--data', back, '--json']))
  if (existsSync(`${back}.restoring`)) faults.push(`round ${round}: restore left something behind`)
  await command('verify', startErace(['verify', '--data', back, '--json']))
  if (faults.length > 0) return
  const kept = readCurrent(back)
  const missing = [...before].filter(([url, digest]) => kept.get(url) !== digest)
  if (missing.length > 0)
    faults.push(
      `round ${round}: ${missing.length} of ${before.size} pages are not in the backup, such as ${missing[0]![0]}`,
    )
  const result = await command('the crawl that goes on', startCrawl(place, back, options.fetchers * 4))
  if (result?.finished !== true) faults.push(`round ${round}: the crawl that goes on is not finished`)
  await command('verify after the crawl', startErace(['verify', '--data', back, '--json']))
  await checkPages(place, back)
  report.restored++
}

async function checkPages({ origin, report }: Place, data: string): Promise<void> {
  const { faults, rounds: round } = report
  const warc = await readWarcFolder(data)
  faults.push(...warc.faults.map((fault) => `round ${round}: ${fault}`))
  const once = [...warc.responses.values()].filter((count) => count === 1).length
  if (once !== origin.documents || warc.responses.size !== origin.documents)
    faults.push(
      `round ${round}: ${once} of ${origin.documents} pages are stored once, ${warc.responses.size - once} more often`,
    )
  const strays = readdirSync(join(data, 'archive')).filter((name) => name.endsWith('.stray'))
  if (strays.length > 0) faults.push(`round ${round}: ${strays.length} archive files were unknown to the catalogue`)
}

if (import.meta.main) {
  const report = await runKillBackup(readKillOptions())
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  process.exitCode = report.faults.length === 0 ? 0 : 1
}

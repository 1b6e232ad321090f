import { mkdtempSync, readdirSync, rmSync, statSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom, type Random } from '../../bench/origin/random.ts'
import { createBodyReader } from '../../src/archive/body-reader.ts'
import { createSqliteObjects } from '../../src/store/sqlite/archive/objects.ts'
import { createSqliteVersions } from '../../src/store/sqlite/documents/versions.ts'
import { openCatalogForReading, paths } from '../../src/store/sqlite/folder/folder.ts'
import { type EraceEnd, lastLines, readResult, startErace } from '../kit/erace.ts'
import { type ChangingSite, createChangingSite } from './changing-site.ts'
import { readWarcFolder } from './warc-records.ts'

/**
 * A garbage collection that is killed without warning again and again, on a data folder that real crawls of a changing site
 * made. Half of the kills come after a random time, the others at a random change of the archive folder, so that they
 * meet the rewriting of files; now and then a crawl runs beside. After each, the archive must be whole and hold every current page.
 */
export type KillGcOptions = {
  rounds: number
  pages: number
  pageBytes: number
  seed: number
  /** A limit for each wait. */
  patienceMs: number
  keep: boolean
}

export type KillGcReport = {
  rounds: number
  /** Kills that met a running collection. */
  kills: number
  /** Of them, those that left a file half-written, or one that nothing points at. */
  leftOvers: number
  besideCrawl: number
  removedVersions: number
  bytesBefore: number
  bytesAfter: number
  seconds: number
  faults: string[]
}

export const killGcDefaults: KillGcOptions = {
  rounds: 30,
  pages: 150,
  pageBytes: 6_000,
  seed: 1,
  patienceMs: 120_000,
  keep: false,
}

type Place = KillGcOptions & { site: ChangingSite; data: string; config: string; random: Random; report: KillGcReport }

export async function runKillGc(given: Partial<KillGcOptions> = {}): Promise<KillGcReport> {
  const options = { ...killGcDefaults, ...given }
  const site = await createChangingSite(options.pages, options.pageBytes)
  const folder = mkdtempSync(join(tmpdir(), 'erace-kill-gc-'))
  const config = join(folder, 'erace.config.json')
  writeFileSync(config, JSON.stringify({ archive: { maxFile: '64KB' }, retention: { versions: 1 } }))
  const report: KillGcReport = {
    rounds: 0,
    kills: 0,
    leftOvers: 0,
    besideCrawl: 0,
    removedVersions: 0,
    bytesBefore: 0,
    bytesAfter: 0,
    seconds: 0,
    faults: [],
  }
  const place: Place = {
    ...options,
    site,
    data: join(folder, 'data'),
    config,
    random: createRandom(options.seed),
    report,
  }
  const startedAt = performance.now()
  try {
    await crawl(place)
    while (report.rounds < options.rounds && report.faults.length === 0) await round(place)
    await finish(place)
    report.seconds = (performance.now() - startedAt) / 1000
    return report
  } finally {
    await site.close()
    if (!options.keep) rmSync(folder, { recursive: true, force: true })
  }
}

async function round(place: Place): Promise<void> {
  const { random, report } = place
  report.rounds++
  changeSome(place)
  await crawl(place)
  changeSome(place)
  // A crawl ends what the changes began, beside the collection or before it.
  const isBeside = random.below(3) === 0
  const crawling = isBeside ? crawl(place) : null
  if (isBeside) report.besideCrawl++
  else await crawl(place)
  await collectAndKill(place)
  await crawling
  await check(place, `round ${report.rounds}`)
}

function changeSome({ site, random }: Place): void {
  for (let page = 0; page < site.pages; page++) if (random.below(2) === 0) site.change(page)
}

/** The command is ended when it takes longer than anybody would wait. */
async function erace(place: Place, args: string[]): Promise<EraceEnd> {
  const { child, ended } = startErace([...args, '--data', place.data, '--config', place.config, '--json'])
  const timer = setTimeout(() => child.kill('SIGKILL'), place.patienceMs)
  const end = await ended
  clearTimeout(timer)
  return end
}

async function crawl(place: Place): Promise<void> {
  const args = [
    'crawl',
    `${place.site.origin}/`,
    '--delay',
    '0',
    '--per-host',
    '8',
    '--allow-net',
    '127.0.0.0/8',
    '--quiet',
  ]
  const end = await erace(place, args)
  if (end.exitCode !== 0 || readResult(end)?.finished !== true)
    place.report.faults.push(
      `round ${place.report.rounds}: a crawl ended with ${end.exitCode ?? end.signal}: ${lastLines(end)}`,
    )
}

async function collectAndKill(place: Place): Promise<void> {
  const { data, config, random, report } = place
  const { child, ended } = startErace(['gc', '--data', data, '--config', config, '--json'])
  const stop = killLater(data, random, () => child.kill('SIGKILL'))
  const patience = setTimeout(() => child.kill('SIGKILL'), place.patienceMs)
  const end = await ended
  clearTimeout(patience)
  stop()
  if (end.signal === 'SIGKILL') {
    report.kills++
    if (hasLeftOvers(data)) report.leftOvers++
  } else if (end.exitCode !== 0) {
    const what = `${lastLines(end)} ${end.stdout.slice(0, 500)}`
    report.faults.push(`round ${report.rounds}: gc ended with ${end.exitCode}: ${what}`)
  } else report.removedVersions += removedIn(end)
}

/** Some time after the collection took its lock, or when so many files came or went. */
function killLater(data: string, random: Random, kill: () => void): () => void {
  const byTime = random.below(2) === 0
  const delayMs = random.below(250)
  let changesLeft = 1 + random.below(25)
  let timer: NodeJS.Timeout | undefined
  const locks = watch(data, (_, name) => {
    if (byTime && name === 'housekeeping.holder') timer ??= setTimeout(kill, delayMs)
  })
  const files = watch(paths.archive(data), (event) => {
    if (!byTime && event === 'rename' && --changesLeft === 0) kill()
  })
  return () => {
    clearTimeout(timer)
    locks.close()
    files.close()
  }
}

function removedIn(end: EraceEnd): number {
  const removed = readResult(end)?.removed as { versions: number } | undefined
  return removed?.versions ?? 0
}

function hasLeftOvers(data: string): boolean {
  const db = openCatalogForReading(data)
  const names = new Set((db.prepare('SELECT name FROM files').all() as { name: string }[]).map(({ name }) => name))
  db.close()
  return readdirSync(paths.archive(data)).some((name) => !names.has(name))
}

async function check(place: Place, when: string): Promise<void> {
  const { report } = place
  const end = await erace(place, ['verify'])
  const faults = readResult(end)?.faults
  if (end.exitCode !== 0)
    report.faults.push(`${when}: verify found ${JSON.stringify(faults)?.slice(0, 1000)} ${lastLines(end)}`)
  report.faults.push(...(await currentFaults(place)).map((fault) => `${when}: ${fault}`))
}

/** Every page as it was served at last must be there and readable. */
async function currentFaults({ data, site }: Place): Promise<string[]> {
  const db = openCatalogForReading(data)
  try {
    const versions = createSqliteVersions(db)
    const bodies = createBodyReader({ versions, objects: createSqliteObjects(db, paths.archive(data)) })
    const expected = site.digests()
    const faults: string[] = []
    for (const document of await versions.documents({ after: 0, limit: 1_000_000 })) {
      const digest = expected.get(document.url)
      const version = await versions.version(document.versionId)
      if (version === null) continue // such as /, which is not compared, or robots.txt
      const read = await bodies.read(version)
      if (read.kind !== 'body') faults.push(`${document.url} can not be read: ${JSON.stringify(read).slice(0, 200)}`)
      if (digest === undefined) continue
      expected.delete(document.url)
      if (version.digest.toString('hex') !== digest) faults.push(`${document.url} is not what was served`)
    }
    if (expected.size > 0) faults.push(`${expected.size} pages are not there`)
    return faults.slice(0, 5)
  } finally {
    db.close()
  }
}

/** What was left undone is done in the end, and then nothing is left over. */
async function finish(place: Place): Promise<void> {
  const { data, report } = place
  for (let times = 0; times < 3; times++) {
    changeSome(place)
    await crawl(place)
  }
  report.bytesBefore = sizeOf(paths.archive(data))
  const end = await erace(place, ['gc'])
  if (end.exitCode !== 0) report.faults.push(`the last gc ended with ${end.exitCode}: ${lastLines(end)}`)
  else report.removedVersions += removedIn(end)
  report.bytesAfter = sizeOf(paths.archive(data))
  await check(place, 'at the end')
  report.faults.push(...(await readWarcFolder(data)).faults)
  if (hasLeftOvers(data)) report.faults.push(`left over: ${readdirSync(paths.archive(data)).join(' ')}`)
  if (report.bytesAfter > report.bytesBefore / 2)
    report.faults.push(`the archive went from ${report.bytesBefore} to ${report.bytesAfter} bytes only`)
  const superseded = countOf(data, 'SELECT count(*) AS n FROM versions WHERE id NOT IN (SELECT version FROM documents)')
  const needed = countOf(data, 'SELECT count(DISTINCT original) AS n FROM versions WHERE original <> id')
  if (superseded > needed) report.faults.push(`${superseded} superseded versions are left, ${needed} are needed`)
}

function countOf(data: string, sql: string): number {
  const db = openCatalogForReading(data)
  try {
    return (db.prepare(sql).get() as { n: number }).n
  } finally {
    db.close()
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

if (import.meta.main) {
  const number = { type: 'string' } as const
  const { values } = parseArgs({
    options: { rounds: number, pages: number, 'page-bytes': number, seed: number, keep: { type: 'boolean' } },
  })
  const { 'page-bytes': pageBytes, keep = false, ...numbers } = { ...values }
  const entries = Object.entries({ ...numbers, pageBytes }).filter(([, value]) => value !== undefined)
  const report = await runKillGc({ ...Object.fromEntries(entries.map(([name, value]) => [name, Number(value)])), keep })
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  process.exitCode = report.faults.length === 0 ? 0 : 1
}

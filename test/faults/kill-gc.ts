import { createHash } from 'node:crypto'
import { readdirSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../bench/origin/random.ts'
import { createBodyReader } from '../../src/archive/body-reader.ts'
import { createSqliteObjects } from '../../src/store/sqlite/archive/objects.ts'
import { createSqliteVersions } from '../../src/store/sqlite/documents/versions.ts'
import { openCatalogForReading, paths } from '../../src/store/sqlite/folder/folder.ts'
import { type EraceEnd, lastLines, readResult, startErace } from '../kit/erace.ts'
import { createHandlerSite } from '../site/handler-site.ts'
import { inFolder, runAlone, timed } from './experiment.ts'
import { readWarcFolder } from './warc-records.ts'

/**
 * A garbage collection that is killed repeatedly, on a data folder from real crawls of a changing site. Half of the kills
 * come after a random time, the others at a random change of the archive folder, while files are rewritten; sometimes a
 * crawl runs at the same time. After each kill, the archive must be intact and contain every current page.
 */
const defaults = { rounds: 30, pages: 150, pageBytes: 6_000, seed: 1, patienceMs: 120_000, keep: false }
type KillGcOptions = typeof defaults

function newReport() {
  return {
    rounds: 0,
    /** Kills during a running collection. */
    kills: 0,
    /** Kills that left a partial file, or one without references. */
    leftOvers: 0,
    besideCrawl: 0,
    removedVersions: 0,
    bytesBefore: 0,
    bytesAfter: 0,
    faults: [] as string[],
  }
}

type Experiment = KillGcOptions & {
  site: ChangingSite
  data: string
  config: string
  random: Random
  report: ReturnType<typeof newReport>
}

export async function runKillGc(given: Partial<KillGcOptions> = {}) {
  const options = { ...defaults, ...given }
  const site = await createChangingSite(options.pages, options.pageBytes)
  try {
    return await inFolder('kill-gc', options.keep, (folder) =>
      timed(async () => {
        const config = join(folder, 'erace.config.json')
        writeFileSync(config, JSON.stringify({ archive: { maxFile: '64KB' }, retention: { versions: 1 } }))
        const report = newReport()
        const random = createRandom(options.seed)
        const experiment: Experiment = { ...options, site, data: join(folder, 'data'), config, random, report }
        await crawl(experiment)
        while (report.rounds < options.rounds && report.faults.length === 0) await round(experiment)
        await finish(experiment)
        return report
      }),
    )
  } finally {
    await site.close()
  }
}

async function round(experiment: Experiment): Promise<void> {
  const { random, report } = experiment
  report.rounds++
  changeSome(experiment)
  await crawl(experiment)
  changeSome(experiment)
  // A crawl stores the changes, during the collection or before it.
  const isBeside = random.below(3) === 0
  const crawling = isBeside ? crawl(experiment) : null
  if (isBeside) report.besideCrawl++
  else await crawl(experiment)
  await collectAndKill(experiment)
  await crawling
  await check(experiment, `round ${report.rounds}`)
}

function changeSome({ site, random }: Experiment): void {
  for (let page = 0; page < site.pages; page++) if (random.below(2) === 0) site.change(page)
}

function erace({ data, config, patienceMs }: Experiment, args: string[]): Promise<EraceEnd> {
  return startErace([...args, '--data', data, '--config', config, '--json']).endWithin(patienceMs)
}

async function crawl(experiment: Experiment): Promise<void> {
  const limits = ['--delay', '0', '--per-host', '8', '--allow-net', '127.0.0.0/8']
  const args = ['crawl', `${experiment.site.origin}/`, '--quiet', ...limits]
  const end = await erace(experiment, args)
  if (end.exitCode !== 0 || readResult(end)?.finished !== true)
    experiment.report.faults.push(
      `round ${experiment.report.rounds}: a crawl ended with ${end.exitCode ?? end.signal}: ${lastLines(end)}`,
    )
}

async function collectAndKill(experiment: Experiment): Promise<void> {
  const { data, config, random, report } = experiment
  const { child, endWithin } = startErace(['gc', '--data', data, '--config', config, '--json'])
  const stop = killLater(data, random, () => child.kill('SIGKILL'))
  const end = await endWithin(experiment.patienceMs)
  stop()
  if (end.signal === 'SIGKILL') {
    report.kills++
    if (hasLeftOvers(data)) report.leftOvers++
  } else if (end.exitCode !== 0) {
    const what = `${lastLines(end)} ${end.stdout.slice(0, 500)}`
    report.faults.push(`round ${report.rounds}: gc ended with ${end.exitCode}: ${what}`)
  } else report.removedVersions += removedIn(end)
}

/** Kills at a random time after the collection took its lock, or after a random number of file changes. */
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

async function check(experiment: Experiment, when: string): Promise<void> {
  const { report } = experiment
  const end = await erace(experiment, ['verify'])
  const faults = readResult(end)?.faults
  if (end.exitCode !== 0)
    report.faults.push(`${when}: verify found ${JSON.stringify(faults)?.slice(0, 1000)} ${lastLines(end)}`)
  report.faults.push(...(await currentFaults(experiment)).map((fault) => `${when}: ${fault}`))
}

/** Every page must be stored and readable as it was last served. */
async function currentFaults({ data, site }: Experiment): Promise<string[]> {
  const db = openCatalogForReading(data)
  try {
    const versions = createSqliteVersions(db)
    const bodies = createBodyReader({ versions, objects: createSqliteObjects(db, paths.archive(data)) })
    const expected = site.digests()
    const faults: string[] = []
    for (const document of await versions.documents({ after: 0, limit: 1_000_000 })) {
      const digest = expected.get(document.url)
      const version = await versions.version(document.versionId)
      if (version === null) continue // such as robots.txt
      const read = await bodies.read(version)
      if (read.kind !== 'body') faults.push(`${document.url} cannot be read: ${JSON.stringify(read).slice(0, 200)}`)
      if (digest === undefined) continue
      expected.delete(document.url)
      if (version.digest.toString('hex') !== digest) faults.push(`${document.url} differs from what was served`)
    }
    if (expected.size > 0) faults.push(`${expected.size} pages are missing`)
    return faults.slice(0, 5)
  } finally {
    db.close()
  }
}

/** The last collection completes the work and leaves nothing over. */
async function finish(experiment: Experiment): Promise<void> {
  const { data, report } = experiment
  for (let times = 0; times < 3; times++) {
    changeSome(experiment)
    await crawl(experiment)
  }
  report.bytesBefore = sizeOf(paths.archive(data))
  const end = await erace(experiment, ['gc'])
  if (end.exitCode !== 0) report.faults.push(`the last gc ended with ${end.exitCode}: ${lastLines(end)}`)
  else report.removedVersions += removedIn(end)
  report.bytesAfter = sizeOf(paths.archive(data))
  await check(experiment, 'at the end')
  report.faults.push(...(await readWarcFolder(data)).faults)
  if (hasLeftOvers(data)) report.faults.push(`left over: ${readdirSync(paths.archive(data)).join(' ')}`)
  if (report.bytesAfter > report.bytesBefore / 2)
    report.faults.push(`the archive only shrank from ${report.bytesBefore} to ${report.bytesAfter} bytes`)
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

/** A site whose pages change between crawls; every fifth has the text of another, so that bodies are shared. */
type ChangingSite = {
  origin: string
  pages: number
  change(page: number): void
  /** SHA-256 of the current pages, by URL. */
  digests(): Map<string, string>
  close(): Promise<void>
}

const LINKS = 4

async function createChangingSite(pages: number, pageBytes: number): Promise<ChangingSite> {
  const editions = new Array<number>(pages).fill(1)
  /** Pages with the same source have the same body. */
  const sourceOf = (page: number): number => (page % 5 === 4 && page >= 5 ? page - 5 : page)

  function render(page: number): string {
    const source = sourceOf(page)
    const links = Array.from({ length: LINKS }, (_, n) => (source * LINKS + n + 1) % pages)
    const anchors = [...links, (source + 5) % pages].map((to) => `<a href="/${to}">${to}</a>`).join(' ')
    return `<title>${source}</title>${anchors}<p>${words(`${source} ${editions[source]}`, pageBytes)}</p>`
  }

  const site = await createHandlerSite((path, response) => {
    const page = path === '/' ? 0 : Number(/^\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)
    if (page < pages) response.end(render(page))
    else response.writeHead(404).end()
  })
  return {
    origin: site.origin,
    pages,
    change: (page) => void editions[page]!++,
    digests() {
      const digests = new Map<string, string>()
      for (let page = 1; page < pages; page++) {
        digests.set(`${site.origin}/${page}`, createHash('sha256').update(render(page)).digest('hex'))
      }
      return digests
    },
    close: site.close,
  }
}

/** Deterministic text that hardly compresses. */
function words(seed: string, bytes: number): string {
  let text = ''
  for (let n = 0; text.length < bytes; n++)
    text += ` ${createHash('sha256').update(`${seed} ${n}`).digest('base64url')}`
  return text
}

if (import.meta.main) await runAlone(defaults, runKillGc)

// Runs all tests (`npm test`), or those whose path contains one of the given words: `npm test -- robots url`.
// Slow tests (`x.slow.test.ts`) run in CI, with `--slow`, and when selected by path. A test that is skipped because a
// program or variable is missing is listed at the end, and is a failure in CI. When many files run, they share a
// PostgreSQL server and a compile cache, and unit tests share processes. A file that fails while others run is rerun
// alone, and listed at the end.
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { ensureScanners } from './build-scanner.ts'

/**
 * A hanging test, or a process kept alive by something a failed test left open, must not hang the whole run. The tests of this script
 * set a shorter timeout.
 */
const FILE_TIMEOUT_MS = Number(process.env.ERACE_TEST_TIMEOUT_MS ?? 900_000)
/** More than one, since tests spend part of their time waiting for timers and other processes. */
const FILES_PER_CORE = 2
/** Minimum number of files for which one shared server is faster than one for each. */
const SHARING_FILES = 20
/** Large enough that shared modules are rarely loaded again, small enough that the last processes end at about the same time. */
const FILES_PER_GROUP = 12
/** Code that affects the whole process or needs one: a file with a match runs in its own process. */
const ownProcess = /\bprocess\.|\bmock\b|\bglobalThis\b|node:(?:child_process|worker_threads|v8|vm|cluster)/
const groupProgram = fileURLToPath(new URL('./test-group.ts', import.meta.url))
/** If more files than this fail, load is not the reason, and none is rerun. */
const MAX_REPEATED = 12
/** Number of slowest files listed at the end of a long run, as candidates for speeding up. */
const SLOWEST_SHOWN = 15
const summaryLine = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)/

type Skipped = { file: string; name: string; reason: string }

const ci = (process.env.CI ?? '') !== '' && process.env.CI !== 'false'
const words = process.argv.slice(2).filter((word) => word !== '--slow')
const withSlow = ci || words.length > 0 || process.argv.includes('--slow')
const found = globSync('{src,ui,test,bench,scripts,examples}/**/*.test.ts', { exclude: ['**/node_modules/**'] })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort(bySize)
const files = withSlow ? found : found.filter((file) => !file.endsWith('.slow.test.ts'))
const selected = files.length
if (selected === 0) {
  console.error(words.length === 0 ? 'No tests found.' : `No test file has ${words.join(' or ')} in its path.`)
  process.exit(1)
}

/** Estimates by its name how long a file takes; tests of whole engines are among the long ones. */
function rank(file: string): number {
  const isLong = file.startsWith('test/') || file.endsWith('conformance.test.ts')
  return Number(file.endsWith('.slow.test.ts')) * 2 + Number(isLong)
}

/** Long files start first, so that the last to end are short. */
function bySize(a: string, b: string): number {
  return rank(b) - rank(a) || a.localeCompare(b)
}

/** Starts a shared PostgreSQL if there are many files; returns a function that stops it. On Citus, the files share a template. */
async function sharePostgres(): Promise<() => Promise<void>> {
  if (files.length < SHARING_FILES || process.env.ERACE_TEST_POSTGRES) return async () => {}
  const { startPostgres } = await import('../src/store/postgres/testkit/postgres-server.testkit.ts')
  const { createTemplate, dropDatabase } = await import('../src/store/postgres/testkit/postgres.testkit.ts')
  const citus = process.env.ERACE_TEST_CITUS
  if (citus) {
    const template = await createTemplate(citus)
    process.env.ERACE_TEST_POSTGRES_TEMPLATE = template
    return () => dropDatabase(citus, template)
  }
  const server = await startPostgres({ settings: { max_connections: '500' } })
  process.env.ERACE_TEST_POSTGRES = server.address
  process.env.ERACE_TEST_POSTGRES_TEMPLATE = await createTemplate(server.address)
  return server.end
}

/** The files of each process: a single one, or a group of adjacent files, which import much the same modules. */
function processesOf(files: readonly string[]): string[][] {
  if (files.length < SHARING_FILES) return files.map((file) => [file])
  const alone: string[][] = []
  const groups: string[][] = [[]]
  for (const file of files) {
    const isGrouped = file.startsWith('src/') && rank(file) === 0
    if (!isGrouped || ownProcess.test(readFileSync(file, 'utf8'))) alone.push([file])
    else if (groups.at(-1)!.length < FILES_PER_GROUP) groups.at(-1)!.push(file)
    else groups.push([file])
  }
  // Groups start after the long files and before the short ones.
  const short = alone.findIndex(([file]) => rank(file!) === 0)
  return alone.toSpliced(short < 0 ? alone.length : short, 0, ...groups.filter(({ length }) => length > 0))
}

type TestEvent = { type: string; data: Record<string, unknown> & { details?: { duration_ms?: number } } }
type Run = {
  files: readonly string[]
  events: TestEvent[]
  failed: readonly string[]
  skipped: Skipped[]
  counts: Map<string, number>
  durations: { file: string; seconds: number }[]
}

/** Runs one process and collects all of its events except the totals. */
async function runProcess(files: readonly string[]): Promise<Run> {
  const isGroup = files.length > 1
  const failed: string[] = []
  const over: Run = { files, events: [], failed, skipped: [], counts: new Map(), durations: [] }
  const took = (file: string, ms: number) => over.durations.push({ file, seconds: Math.round(ms / 1000) })
  let isFailed = false
  const beganAt = performance.now()
  const options = isGroup ? { files: [groupProgram], argv: files } : { files: [resolve(files[0]!)] }
  const limits = { timeout: FILE_TIMEOUT_MS, signal: AbortSignal.timeout(FILE_TIMEOUT_MS) }
  for await (const event of run({ ...options, ...limits }) as AsyncIterable<TestEvent>) {
    const { type, data } = event
    const name = String(data.name)
    if (type === 'test:fail') isFailed = true
    if (type === 'test:pass' && data.skip !== undefined && data.skip !== false)
      over.skipped.push({
        file: isGroup ? '' : files[0]!,
        name,
        reason: typeof data.skip === 'string' ? data.skip : 'no reason given',
      })
    // In a group, the suite of a file ends after its tests.
    if (isGroup && (type === 'test:pass' || type === 'test:fail') && files.includes(name)) {
      for (const one of over.skipped) one.file ||= name
      if (type === 'test:fail') failed.push(name)
      took(name, data.details?.duration_ms ?? 0)
    }
    const total = type === 'test:diagnostic' && data.nesting === 0 ? summaryLine.exec(String(data.message)) : null
    if (total === null) over.events.push(event)
    else over.counts.set(total[1]!, Number(total[2]) - (isGroup && total[1] === 'suites' ? files.length : 0))
  }
  if (!isGroup) took(files[0]!, performance.now() - beganAt)
  // A group that crashes doesn't report in which file.
  return isFailed && failed.length === 0 ? { ...over, failed: files } : over
}

/** Runs up to `atOnce` processes concurrently and yields each when it ends. The files of a failed group are rerun one by one. */
async function* runAll(waiting: (readonly string[])[], atOnce: number): AsyncGenerator<Run> {
  const running = new Map<readonly string[], Promise<Run>>()
  while (waiting.length > 0 || running.size > 0) {
    while (running.size < atOnce && waiting.length > 0) {
      const files = waiting.shift()!
      running.set(files, runProcess(files))
    }
    const over = await Promise.race(running.values())
    running.delete(over.files)
    if (over.files.length > 1 && over.failed.length > 0) waiting.unshift(...over.files.map((file) => [file]))
    yield over
  }
}

/** The runs that count, by their first file: no failed groups, and only the last run of a repeated file. */
const runs = new Map<string, Run>()
const failedInGroup: string[] = []
const failed: string[] = []

async function* reported(): AsyncGenerator<TestEvent> {
  const atOnce = Math.ceil(availableParallelism() * FILES_PER_CORE)
  for await (const over of runAll(processesOf(files), atOnce)) {
    const isApart = over.files.length === 1
    if (isApart || over.failed.length === 0) runs.set(over.files[0]!, over)
    const into = isApart ? failed : failedInGroup
    into.push(...over.failed)
    yield* over.events
  }
}

process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
const startedAt = performance.now()
await ensureScanners()
const endPostgres = await sharePostgres()
for await (const text of Readable.from(reported()).pipe(new spec())) process.stdout.write(text)

// A test that fails while others run may have been starved of CPU time: rerun it alone. A second failure counts.
const wrong: string[] = []
for (const file of failed.length <= MAX_REPEATED ? failed : []) {
  process.stdout.write(`\n${file} failed; once more, alone:\n`)
  const over = await runProcess([file])
  runs.set(file, over)
  wrong.push(...over.failed)
  for await (const text of Readable.from(over.events).pipe(new spec())) process.stdout.write(text)
}
if (failed.length > MAX_REPEATED) wrong.push(...failed)
await endPostgres()

const skipped = [...runs.values()].flatMap((over) => over.skipped)
if (skipped.length > 0) {
  const title = ci ? 'Skipped, which is a failure in CI:' : 'Skipped:'
  const lines = skipped.map(({ file, name, reason }) => `  ${file}: ${name} (${reason})`)
  process.stdout.write(`\n${[title, ...lines].join('\n')}\n\n`)
}
if (selected >= SHARING_FILES) {
  const durations = [...runs.values()].flatMap((over) => over.durations)
  const slowest = durations.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN)
  process.stdout.write(`\nSlowest:\n${slowest.map(({ file, seconds }) => `  ${seconds} s  ${file}\n`).join('')}`)
}
const unsteady = [...new Set([...failedInGroup, ...failed])].filter((file) => !wrong.includes(file))
if (unsteady.length > 0) process.stdout.write(`\nPassed only when run alone:\n  ${unsteady.join('\n  ')}\n`)
if (wrong.length > 0) process.stdout.write(`\nFailed:\n  ${wrong.join('\n  ')}\n`)
if (selected >= SHARING_FILES && !process.env.ERACE_TEST_CITUS)
  process.stdout.write('\nLeft out: the PostgreSQL tests on Citus (ERACE_TEST_CITUS names a coordinator)\n')
const slow = found.length - selected
if (slow > 0) process.stdout.write(`\n${slow} slow test files run in CI, or with npm test -- --slow\n\n`)
const totals = new Map<string, number>()
for (const { counts } of runs.values()) for (const [name, n] of counts) totals.set(name, (totals.get(name) ?? 0) + n)
totals.set('duration_ms', Math.round(performance.now() - startedAt))
process.stdout.write(`${[...totals].map(([name, n]) => `ℹ ${name} ${n}`).join('\n')}\n`)
const code = wrong.length > 0 || (ci && skipped.length > 0) ? 1 : 0
// Exit explicitly: a library used by the tests sets the exit code of a normal end to 0.
process.stdout.write('', () => process.exit(code))

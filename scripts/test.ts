// Runs all tests (`npm test`), or those whose path contains one of the given words: `npm test -- robots url`.
// Slow tests (`x.slow.test.ts`) run in CI, with `--slow`, and when selected by path. A test that is skipped because a
// program or variable is missing is listed at the end, and is a failure in CI. When many files run, they share a
// PostgreSQL and what was compiled. A file that fails beside others is run once more, alone, and named at the end.
import { globSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { ensureScanners } from './build-scanner.ts'

/** A test file that hangs must not hang the whole run. */
const FILE_TIMEOUT_MS = 900_000
/** Tests wait for timers and other processes a part of their time. */
const FILES_PER_CORE = 2
/** From this number of files on, a server for all of them is started faster than one for each. */
const SHARING_FILES = 20
/** More files than this that fail are no lack of time. */
const MAX_REPEATED = 12
/** Named at the end of a long run, so that it can be kept short. */
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

/** The long ones begin first, so that the last to end are short. */
function bySize(a: string, b: string): number {
  const rank = (file: string): number => Number(file.endsWith('.slow.test.ts')) * 2 + Number(file.startsWith('test/'))
  return rank(b) - rank(a) || a.localeCompare(b)
}

/** Starts the PostgreSQL that the files share, if they are many; what ends it. On Citus they share a template. */
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

const skipped: Skipped[] = []
/** What each file counted when it last ran. */
const counted = new Map<string, Map<string, number>>()
const durations: { file: string; seconds: number }[] = []
type TestEvent = { type: string; data: Record<string, unknown> }
type Run = { file: string; events: TestEvent[]; isFailed: boolean }

/** All events of one file, but for its totals, which are summed up. */
async function runFile(file: string): Promise<Run> {
  const found: Run = { file, events: [], isFailed: false }
  const counts = new Map<string, number>()
  counted.set(file, counts)
  const beganAt = performance.now()
  for await (const event of run({ files: [resolve(file)], timeout: FILE_TIMEOUT_MS }) as AsyncIterable<TestEvent>) {
    const { type, data } = event
    if (type === 'test:fail') found.isFailed = true
    if (type === 'test:pass' && data.skip !== undefined && data.skip !== false)
      skipped.push({
        file,
        name: String(data.name),
        reason: typeof data.skip === 'string' ? data.skip : 'no reason given',
      })
    const total = type === 'test:diagnostic' && data.nesting === 0 ? summaryLine.exec(String(data.message)) : null
    if (total === null) found.events.push(event)
    else counts.set(total[1]!, Number(total[2]))
  }
  durations.push({ file, seconds: Math.round((performance.now() - beganAt) / 1000) })
  return found
}

/** Runs the files, some at a time; each is given when it is over. */
async function* runAll(waiting: string[], atOnce: number): AsyncGenerator<Run> {
  const running = new Map<string, Promise<Run>>()
  while (waiting.length > 0 || running.size > 0) {
    while (running.size < atOnce && waiting.length > 0) {
      const file = waiting.shift()!
      running.set(file, runFile(file))
    }
    const over = await Promise.race(running.values())
    running.delete(over.file)
    yield over
  }
}

const failed: string[] = []

async function* reported(): AsyncGenerator<TestEvent> {
  for await (const { file, events, isFailed } of runAll(files, Math.ceil(availableParallelism() * FILES_PER_CORE))) {
    if (isFailed) failed.push(file)
    yield* events
  }
}

process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
const startedAt = performance.now()
await ensureScanners()
const endPostgres = await sharePostgres()
for await (const text of Readable.from(reported()).pipe(new spec())) process.stdout.write(text)

// What fails beside other tests may have wanted for time: alone it has all of it. What fails again is wrong.
const wrong: string[] = []
for (const file of failed.length <= MAX_REPEATED ? failed : []) {
  process.stdout.write(`\n${file} failed; once more, alone:\n`)
  const { events, isFailed } = await runFile(file)
  if (isFailed) wrong.push(file)
  for await (const text of Readable.from(events).pipe(new spec())) process.stdout.write(text)
}
if (failed.length > MAX_REPEATED) wrong.push(...failed)
await endPostgres()

if (skipped.length > 0) {
  const title = ci ? 'Skipped, which is a failure in CI:' : 'Skipped:'
  const lines = skipped.map(({ file, name, reason }) => `  ${file}: ${name} (${reason})`)
  process.stdout.write(`\n${[title, ...lines].join('\n')}\n\n`)
}
if (selected >= SHARING_FILES) {
  const slowest = durations.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN)
  process.stdout.write(`\nSlowest:\n${slowest.map(({ file, seconds }) => `  ${seconds} s  ${file}\n`).join('')}`)
}
const unsteady = failed.filter((file) => !wrong.includes(file))
if (unsteady.length > 0) process.stdout.write(`\nPassed only when run alone:\n  ${unsteady.join('\n  ')}\n`)
if (wrong.length > 0) process.stdout.write(`\nFailed:\n  ${wrong.join('\n  ')}\n`)
if (selected >= SHARING_FILES && !process.env.ERACE_TEST_CITUS)
  process.stdout.write('\nLeft out: the PostgreSQL tests on Citus (ERACE_TEST_CITUS names a coordinator)\n')
const slow = found.length - selected
if (slow > 0) process.stdout.write(`\n${slow} slow test files run in CI, or with npm test -- --slow\n\n`)
const totals = new Map<string, number>()
for (const counts of counted.values()) for (const [name, n] of counts) totals.set(name, (totals.get(name) ?? 0) + n)
totals.set('duration_ms', Math.round(performance.now() - startedAt))
process.stdout.write(`${[...totals].map(([name, n]) => `ℹ ${name} ${n}`).join('\n')}\n`)
const code = wrong.length > 0 || (ci && skipped.length > 0) ? 1 : 0
// Said aloud: a library of the tests sets the code of a quiet end to 0.
process.stdout.write('', () => process.exit(code))

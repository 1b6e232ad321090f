// Runs all tests (`npm test`), or those whose path contains one of the given words: `npm test -- robots url`.
// Slow tests (`x.slow.test.ts`) run in CI, with `--slow`, and when selected by path. A test that is skipped because a
// program or variable is missing is listed at the end, and is a failure in CI. When many files run, they share a
// PostgreSQL and what was compiled.
import { globSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** A test file that hangs must not hang the whole run. */
const FILE_TIMEOUT_MS = 900_000
/** Tests wait for timers and other processes a part of their time. */
const FILES_PER_CORE = 1.5
/** From this number of files on, a server for all of them is started faster than one for each. */
const SHARING_FILES = 20
const summaryLine = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /

type Skipped = { file: string; name: string; reason: string }

const ci = (process.env.CI ?? '') !== '' && process.env.CI !== 'false'
const words = process.argv.slice(2).filter((word) => word !== '--slow')
const withSlow = ci || words.length > 0 || process.argv.includes('--slow')
const found = globSync('{src,ui,test,bench,scripts}/**/*.test.ts', { exclude: ['**/node_modules/**'] })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort(bySize)
const files = withSlow ? found : found.filter((file) => !file.endsWith('.slow.test.ts'))
if (files.length === 0) {
  console.error(words.length === 0 ? 'No tests found.' : `No test file has ${words.join(' or ')} in its path.`)
  process.exit(1)
}

/** The long ones begin first, so that the last to end are short. */
function bySize(a: string, b: string): number {
  const rank = (file: string): number => Number(file.endsWith('.slow.test.ts')) * 2 + Number(file.startsWith('test/'))
  return rank(b) - rank(a) || a.localeCompare(b)
}

/** Starts the PostgreSQL that the files share, if they are many; what ends it. */
async function sharePostgres(): Promise<() => Promise<void>> {
  if (files.length < SHARING_FILES || process.env.ERACE_TEST_POSTGRES) return async () => {}
  const { startPostgres } = await import('../src/store/postgres/testkit/postgres-server.testkit.ts')
  const { createTemplate } = await import('../src/store/postgres/testkit/postgres.testkit.ts')
  const server = await startPostgres({ settings: { max_connections: '500' } })
  process.env.ERACE_TEST_POSTGRES = server.address
  process.env.ERACE_TEST_POSTGRES_TEMPLATE = await createTemplate(server.address)
  return server.end
}

const skipped: Skipped[] = []
const summary: string[] = []
let failed = false

/** Passes on all events except the totals, which are printed last. */
async function* watched(events: ReturnType<typeof run>) {
  for await (const event of events) {
    if (event.type === 'test:fail') failed = true
    if (event.type === 'test:pass' && event.data.skip !== undefined && event.data.skip !== false) {
      const { file = '', name, skip } = event.data
      skipped.push({ file: relative('.', file), name, reason: typeof skip === 'string' ? skip : 'no reason given' })
    }
    if (event.type === 'test:diagnostic' && event.data.nesting === 0 && summaryLine.test(event.data.message)) {
      summary.push(event.data.message)
    } else yield event
  }
}

process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
const endPostgres = await sharePostgres()
const events = run({
  files: files.map((file) => resolve(file)),
  concurrency: Math.ceil(availableParallelism() * FILES_PER_CORE),
  timeout: FILE_TIMEOUT_MS,
})
for await (const text of Readable.from(watched(events)).pipe(new spec())) process.stdout.write(text)
await endPostgres()

if (skipped.length > 0) {
  const title = ci ? 'Skipped, which is a failure in CI:' : 'Skipped:'
  const lines = skipped.map(({ file, name, reason }) => `  ${file}: ${name} (${reason})`)
  process.stdout.write(`\n${[title, ...lines].join('\n')}\n\n`)
}
const slow = found.length - files.length
if (slow > 0) process.stdout.write(`\n${slow} slow test files run in CI, or with npm test -- --slow\n\n`)
process.stdout.write(`${summary.map((line) => `ℹ ${line}`).join('\n')}\n`)
process.exitCode = failed || (ci && skipped.length > 0) ? 1 : 0

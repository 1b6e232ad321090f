// Runs all tests, or those whose path contains one of the words given: `npm test`, `npm test -- robots url`.
// A test that is skipped for want of a program or a variable is named at the end, and is a failure where CI is set.
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** A test file that hangs shall not hang the whole run. */
const FILE_TIMEOUT_MS = 900_000
const summaryLine = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /

type Skipped = { file: string; name: string; reason: string }

const words = process.argv.slice(2)
const files = globSync('{src,ui,test,bench,scripts}/**/*.test.ts', { exclude: ['**/node_modules/**'] })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()
if (files.length === 0) {
  console.error(words.length === 0 ? 'there are no tests here' : `no test file has ${words.join(' or ')} in its path`)
  process.exit(1)
}

const skipped: Skipped[] = []
const summary: string[] = []
let failed = false

/** Passes everything on to the report but the closing figures, which are to come last. */
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

const events = run({
  files: files.map((file) => resolve(file)),
  concurrency: availableParallelism(),
  timeout: FILE_TIMEOUT_MS,
})
for await (const text of Readable.from(watched(events)).pipe(new spec())) process.stdout.write(text)

const ci = (process.env.CI ?? '') !== '' && process.env.CI !== 'false'
if (skipped.length > 0) {
  const title = ci ? 'Left out, which is a failure where CI is set:' : 'Left out:'
  const lines = skipped.map(({ file, name, reason }) => `  ${file}: ${name} (${reason})`)
  process.stdout.write(`\n${[title, ...lines].join('\n')}\n\n`)
}
process.stdout.write(`${summary.map((line) => `ℹ ${line}`).join('\n')}\n`)
process.exitCode = failed || (ci && skipped.length > 0) ? 1 : 0

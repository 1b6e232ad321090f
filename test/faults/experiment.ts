import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

type Options = Record<string, number | boolean | string>
type Report = { faults: string[] }

/**
 * Runs an experiment from the command line: `--some-option VALUE` for each of its options, the report as JSON on
 * standard output, exit code 1 if it has faults.
 */
export async function runAlone<O extends Options>(
  defaults: O,
  experiment: (given: Partial<O>) => Promise<Report>,
): Promise<void> {
  const nameOf = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const options = Object.fromEntries(
    Object.entries(defaults).map(([key, value]) => [
      nameOf(key),
      { type: typeof value === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { values } = parseArgs({ options })
  const given = Object.keys(defaults).flatMap((key) => {
    const value = values[nameOf(key)]
    if (value === undefined) return []
    return [[key, typeof value === 'string' && !Number.isNaN(Number(value)) ? Number(value) : value]]
  })
  const report = await experiment(Object.fromEntries(given) as Partial<O>)
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  // Set at the very end: the code that stops a test PostgreSQL exits with 0.
  process.once('exit', () => {
    process.exitCode = report.faults.length === 0 ? 0 : 1
  })
}

/** Gives `work` a temporary folder, which is removed afterwards unless `keep` is set. */
export async function inFolder<T>(name: string, keep: boolean, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `erace-${name}-`))
  try {
    return await work(folder)
  } finally {
    if (!keep) rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs `work` and adds how long it took to its report. */
export async function timed<R>(work: () => Promise<R>): Promise<R & { seconds: number }> {
  const startedAt = performance.now()
  const report = await work()
  return { ...report, seconds: Math.round(performance.now() - startedAt) / 1000 }
}

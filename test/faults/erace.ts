import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const maxKeptChars = 4 * 1024 * 1024

export type EraceEnd = { exitCode: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

/** The real command in a process of its own, as a person would start it. */
export function startErace(
  args: string[],
  env: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<EraceEnd> } {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(-maxKeptChars)
    })
  const ended = once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal, ...output }) as EraceEnd)
  return { child, ended }
}

/** The one object that `--json` prints, or undefined where a command ended without it. */
export function readResult({ stdout }: EraceEnd): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(stdout)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The last lines that a command wrote for people, for a report of what went wrong. */
export function lastLines(end: EraceEnd, count = 5): string {
  return end.stderr.trim().split('\n').slice(-count).join(' | ')
}

/** A crawl of a generated web, as fast as it goes. */
export function startWebCrawl(
  origin: { seeds: readonly string[]; port: number },
  data: string,
  { fetchers, perHost, threads }: { fetchers: number; perHost: number; threads: number },
): ReturnType<typeof startErace> {
  const options = {
    data,
    delay: 0,
    fetchers,
    'per-host': perHost,
    threads,
    'allow-net': '127.0.0.0/8',
    restrict: `^http://127\\.0\\.\\d+\\.\\d+:${origin.port}/`,
  }
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
  return startErace(['crawl', ...origin.seeds, '--json', '--quiet', ...words])
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const ownProgram = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const maxKeptChars = 4 * 1024 * 1024

export type EraceEnd = { exitCode: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type EraceProcess = {
  child: ChildProcess
  ended: Promise<EraceEnd>
  isRunning(): boolean
  /** The first line of `--json`, printed when the command is ready. Rejects if it ends before. */
  ready<T>(): Promise<T>
  /** Resolves when the log contains the text. Rejects if the process ends before. */
  logs(text: string): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<EraceEnd>
  /** Waits for the end, and kills the process after this time. */
  endWithin(limitMs: number): Promise<EraceEnd>
}

/** The real command in its own process, as a user starts it. */
export function startErace(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
  program = ownProgram,
): EraceProcess {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
    env: { ...process.env, ...env },
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(-maxKeptChars)
    })
  const ended = once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal, ...output }) as EraceEnd)

  /** Waits until the output contains a match. */
  async function find<T>(stream: keyof typeof output, match: (text: string) => T | undefined): Promise<T> {
    for (let hasEnded = false; ; ) {
      const found = match(output[stream])
      if (found !== undefined) return found
      if (hasEnded) break
      await Promise.race([
        once(child[stream], 'data'),
        ended.then(() => {
          hasEnded = true
        }),
      ])
    }
    const end = await ended
    throw new Error(`ended with ${end.exitCode}: ${end.stdout.slice(0, 500)} ${end.stderr.slice(-2000)}`)
  }

  return {
    child,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    ready: async <T>() => JSON.parse(await find('stdout', (text) => /^.*(?=\n)/.exec(text)?.[0])) as T,
    logs: (text) => find('stderr', (log) => (log.includes(text) ? null : undefined)).then(() => {}),
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
    async endWithin(limitMs) {
      const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
      const end = await ended
      clearTimeout(timer)
      return end
    },
  }
}

/** The object that `--json` prints; undefined if a command ended without it. */
export function readResult({ stdout }: EraceEnd): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(stdout)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The last lines of the log, for error reports. */
export function lastLines(end: EraceEnd, count = 5): string {
  return end.stderr.trim().split('\n').slice(-count).join(' | ')
}

/** A crawl of a generated web at full speed. */
export function startWebCrawl(
  origin: { seeds: readonly string[]; port: number },
  data: string,
  { fetchers, perHost, threads }: { fetchers: number; perHost: number; threads: number },
): EraceProcess {
  const options = {
    data,
    delay: 0,
    fetchers,
    'per-host': perHost,
    threads,
    'allow-net': '127.0.0.0/8',
    restrict: `^http://127\\.0\\.\\d+\\.\\d+:${origin.port}/`,
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
  return startErace(['crawl', ...origin.seeds, '--json', '--quiet', ...args])
}

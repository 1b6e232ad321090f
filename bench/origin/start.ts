import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../src/core/errors.ts'
import type { OriginStats } from './server.ts'

export type OriginOptions = {
  hosts?: number
  pages?: number
  seed?: number
  meanBytes?: number
  links?: number
  latencyMs?: number
  roots?: string[]
}

export type Origin = {
  port: number
  hosts: string[]
  /** The root page of each host; all others are reachable from these. */
  seeds: string[]
  documents: number
  bodyBytes: number
  stats(): Promise<OriginStats>
  reset(): Promise<void>
  mark(): Promise<void>
  /** Changes every nth document; returns their number. */
  change(nth: number): Promise<number>
  reached(requests: number, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

type Ready = { port: number; controlPort: number; hosts: string[]; documents: number; bodyBytes: number }

/** Starts an origin in its own process and waits until its web is generated. */
export async function startOrigin(options: OriginOptions): Promise<Origin> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./main.ts', import.meta.url)), ...originArgs(options)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'exit')
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended])
  if (typeof line !== 'string') throw new AppError('internal', 'the origin ended before it was ready')
  const ready = JSON.parse(line) as Ready
  async function ask(path: string, signal?: AbortSignal): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${ready.controlPort}${path}`, signal === undefined ? {} : { signal })
    return response.json()
  }
  return {
    ...ready,
    seeds: ready.hosts.map((host) => `http://${host}:${ready.port}/`),
    stats: async () => (await ask('/__stats')) as OriginStats,
    reset: async () => void (await ask('/__reset')),
    change: async (nth) => ((await ask(`/__change?nth=${nth}`)) as { changed: number }).changed,
    mark: async () => void (await ask('/__mark')),
    reached: async (requests, signal) => void (await ask(`/__reached?requests=${requests}`, signal)),
    async close() {
      child.stdin.end()
      await ended
    },
  }
}

function originArgs(options: OriginOptions): string[] {
  const { roots = [], meanBytes, latencyMs, ...plain } = options
  const numbers = { ...plain, 'mean-bytes': meanBytes, 'latency-ms': latencyMs }
  const args = Object.entries(numbers).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, `${value}`],
  )
  return [...args, ...roots.flatMap((root) => ['--root', root])]
}

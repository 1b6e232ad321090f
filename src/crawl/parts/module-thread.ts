import { mkdirSync } from 'node:fs'
import { format } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../../core/errors.ts'
import { serveThread } from '../../core/work/thread-host.ts'
import type { Answer, Wanted } from './answer.ts'
import { loadPart } from './load-part.ts'
import type { ModuleTools } from './module.ts'
import { pageOf } from './page-of.ts'
import type { Parts } from './part.ts'

/** A processing module or a storage in its own thread. It knows neither the store nor the crawl. */
export type ModuleThreadData = {
  kind: 'module' | 'storage'
  path: string
  /** Absolute. */
  output: string
  pageTimeMs: number
}

export type ModuleCall =
  | { method: 'load' }
  | { method: 'restore'; state: Uint8Array }
  | { method: 'page'; answer: Answer }
  | { method: 'snapshot' }
  | { method: 'end' }

export type ModuleEvent = { kind: 'log'; level: 'debug' | 'info' | 'warn'; message: string }

export type LoadedModule = Wanted & { name: string; hasState: boolean }

const MAX_STATE_BYTES = 64 << 20
const MAX_RESULT_CHARS = 64 << 10
/** Maximum number of log messages per page. */
const MAX_LOGGED = 20
const MAX_MESSAGE = 2000

const { kind, path, output, pageTimeMs } = workerData as ModuleThreadData
let part: Parts['module'] | Parts['storage'] | null = null
let logged = 0

function log(level: ModuleEvent['level'], message: string): void {
  if (++logged > MAX_LOGGED) return
  const rest = logged === MAX_LOGGED ? ' (further messages of this page are left out)' : ''
  thread.send({ kind: 'log', level, message: String(message).slice(0, MAX_MESSAGE) + rest })
}

// Standard output belongs to the running command.
globalThis.console = Object.assign(Object.create(console) as Console, {
  log: (...args: unknown[]) => log('info', format(...args)),
  info: (...args: unknown[]) => log('info', format(...args)),
  debug: (...args: unknown[]) => log('debug', format(...args)),
  warn: (...args: unknown[]) => log('warn', format(...args)),
  error: (...args: unknown[]) => log('warn', format(...args)),
})

function toolsFor(signal: AbortSignal): ModuleTools {
  return {
    signal,
    folder() {
      mkdirSync(output, { recursive: true })
      return output
    },
    log,
  }
}

async function load(): Promise<LoadedModule> {
  part = await loadPart(kind, path)
  const hasState = part.snapshot !== undefined
  if (part.kind === 'storage') return { name: part.name, hasState, types: [], answers: 'changes' }
  const { name, types = [], answers = 'pages' } = part
  return { name, hasState, types: types.map((type) => type.toLowerCase()), answers }
}

async function processPage(answer: Answer): Promise<void> {
  const page = pageOf(answer)
  const tools = toolsFor(AbortSignal.timeout(pageTimeMs))
  if (part!.kind === 'module') await part!.process(page, tools)
  else await part!.store(page, tools)
}

/** Returns the result as JSON, so that programs on other machines and later versions can read it. */
async function end(): Promise<string> {
  const result = JSON.stringify((await part!.end?.(toolsFor(AbortSignal.timeout(pageTimeMs)))) ?? null)
  if (result.length > MAX_RESULT_CHARS)
    throw new AppError('part-invalid', `its result has ${result.length} characters; ${MAX_RESULT_CHARS} are allowed`)
  return result
}

function snapshot(): Uint8Array | null {
  if (part!.snapshot === undefined) return null
  const state = serialize(part!.snapshot())
  if (state.length > MAX_STATE_BYTES)
    throw new AppError('part-invalid', `its state has ${state.length} bytes; ${MAX_STATE_BYTES} are allowed`)
  return state
}

const thread = serveThread<ModuleCall, ModuleEvent>(parentPort!, (call) => {
  logged = 0
  switch (call.method) {
    case 'load':
      return load()
    case 'restore':
      return part!.restore?.(deserialize(call.state) as never)
    case 'page':
      return processPage(call.answer)
    case 'snapshot':
      return snapshot()
    case 'end':
      return end()
  }
})

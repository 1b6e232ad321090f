import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before } from 'node:test'
import { type CrawlResult, noDetails } from '../core/reports/crawl-report.ts'
import { webAbilities } from '../services/profiles/protocols.ts'
import type { Engine } from './engine.ts'
import type { CliIo, StopSignal } from './output/io.ts'
import { runCli } from './run-cli.ts'
import type { Key } from './top/keyboard.ts'

/** Answers to prompts, or piped input. */
export type Typed = { replies?: readonly string[]; piped?: string }

/** Records all output and raises signals on demand. */
export function createRecordingIo(terminal?: { columns: number; rows?: number }, typed: Typed = {}) {
  const listeners = new Map<StopSignal, Set<() => void>>()
  const out: Uint8Array[] = []
  const err: string[] = []
  const exits: number[] = []
  const questions: string[] = []
  const replies = [...(typed.replies ?? [])]
  const keyListeners = new Set<(key: Key) => void>()
  const io: CliIo = {
    stdin: Readable.from([typed.piped ?? '']),
    stdout: {
      write: (data: string | Uint8Array) => out.push(typeof data === 'string' ? Buffer.from(data) : data),
      isTTY: terminal !== undefined,
      ...terminal,
    },
    stderr: { write: (text) => err.push(text), isTTY: terminal !== undefined, ...terminal },
    prompt: {
      isThere: typed.replies !== undefined,
      async ask(question, { secret }) {
        questions.push(secret ? `${question}(secret)` : question)
        return replies.shift() ?? null
      },
      piped: async (maxBytes) => (typed.piped ?? '').slice(0, maxBytes),
    },
    keyboard: {
      isThere: terminal !== undefined,
      listen(onKey) {
        keyListeners.add(onKey)
        return () => void keyListeners.delete(onKey)
      },
    },
    on: (signal, listener) => listeners.set(signal, (listeners.get(signal) ?? new Set()).add(listener)),
    off: (signal, listener) => listeners.get(signal)?.delete(listener),
    exitNow: (code) => exits.push(code),
  }
  return {
    io,
    exits,
    questions,
    out: () => Buffer.concat(out).toString(),
    bytes: () => Buffer.concat(out),
    err: () => err.join(''),
    raise(signal: StopSignal) {
      for (const listener of listeners.get(signal) ?? []) listener()
    },
    press(key: Key) {
      for (const listener of keyListeners) listener(key)
    },
    listening: () => [...listeners.values()].reduce((sum, set) => sum + set.size, keyListeners.size),
  }
}

export const emptyResult: CrawlResult = {
  fetched: 0,
  stored: 0,
  unchanged: 0,
  duplicates: 0,
  failed: 0,
  redirects: 0,
  skipped: { robots: 0, scope: 0, blocked: 0, type: 0, length: 0, trap: 0, address: 0, limit: 0 },
  links: 0,
  seen: 0,
  queued: 0,
  bytes: 0,
  seconds: 0,
  perSecond: 0,
  peakRssBytes: 0,
  finished: true,
  interrupted: false,
  details: noDetails,
}

/** An engine with the parts a test needs; the others fail the test. */
export function engineWith(parts: Partial<Engine>): Engine {
  const unexpected = () => Promise.reject(new Error('unexpected call of the engine'))
  const reading = { history: unexpected, show: unexpected, diff: unexpected, diffPage: unexpected }
  const profiles = {
    importProfiles: unexpected,
    exportProfiles: unexpected,
    exportUrds: unexpected,
    query: unexpected,
    importAcis: unexpected,
    previewProfiles: unexpected,
  }
  const users = { addUser: unexpected, listUsers: unexpected, setPassword: unexpected, removeUser: unexpected }
  const channels = {
    channelKinds: async () => [],
    ...{ addChannel: unexpected, listChannels: unexpected, testChannel: unexpected, removeChannel: unexpected },
    ...{ addCredentials: unexpected, listCredentials: unexpected, removeCredentials: unexpected },
  }
  const cluster = { mcp: unexpected, serve: unexpected, worker: unexpected, control: unexpected }
  const schema = {
    schema: unexpected,
    migrate: unexpected,
    distribute: unexpected,
    importFolder: unexpected,
    moveObjects: unexpected,
  }
  return {
    abilities: async () => webAbilities,
    up: unexpected,
    crawl: unexpected,
    status: unexpected,
    stats: unexpected,
    simulate: unexpected,
    retryTasks: unexpected,
    search: unexpected,
    export: unexpected,
    augment: unexpected,
    gc: unexpected,
    verify: unexpected,
    verifyWacz: unexpected,
    backup: unexpected,
    restore: unexpected,
    ...cluster,
    ...schema,
    ...reading,
    ...profiles,
    ...users,
    ...channels,
    ...parts,
  }
}

/** A working folder with files, to run command lines in. Created before the tests of a suite and removed after them. */
export function useCliFolder(files: Record<string, string | Uint8Array> = {}) {
  const folder = {
    cwd: '',
    async run(
      argv: string[],
      given: { engine?: Partial<Engine>; env?: Record<string, string>; columns?: number } & Typed = {},
    ) {
      const world = createRecordingIo(given.columns === undefined ? undefined : { columns: given.columns }, given)
      const engine = engineWith(given.engine ?? {})
      const code = await runCli({ argv, env: given.env ?? {}, cwd: folder.cwd, io: world.io, engine })
      return { code, out: world.out(), err: world.err(), listening: world.listening(), questions: world.questions }
    },
  }
  before(async () => {
    folder.cwd = await mkdtemp(join(tmpdir(), 'erace-cli-'))
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder.cwd, name), content)
  })
  after(() => rm(folder.cwd, { recursive: true, force: true }))
  return folder
}

import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { withoutAccesses } from '../../core/url/access.ts'
import { createKeyboard, type Keyboard } from '../top/keyboard.ts'

/** An output stream: standard output for results, standard error for everything else. */
export type Sink = {
  write(text: string): unknown
  /** True on a terminal. */
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
}

/** Results may be bodies of documents, which are bytes. */
export type ResultSink = Sink & { write(data: string | Uint8Array): unknown }

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Everything outside of a command: the process, or a stand-in in tests. */
export type CliIo = {
  stdin: Readable
  stdout: ResultSink
  stderr: Sink
  prompt: Prompt
  keyboard: Keyboard
  on(signal: StopSignal, listener: () => void): unknown
  off(signal: StopSignal, listener: () => void): unknown
  /** Ends the process at once, saving nothing. */
  exitNow(code: number): void
}

export type ProcessIo = CliIo & {
  /** Why results were lost: a full disk under standard output, for example. */
  lostOutput(): Error | null
}

/**
 * A reader that closes early (`erace status | head`) is not an error. Nor does a full disk under the log end a crawl or a
 * service: only the lines are lost.
 */
export function createProcessIo(process: NodeJS.Process): ProcessIo {
  let lost: Error | null = null
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lost = error
  })
  process.stderr.on('error', () => {})
  return {
    stdin: process.stdin,
    stdout: plain(process.stdout),
    stderr: plain(process.stderr, (data) => writeDespiteErrors(process.stderr, data)),
    lostOutput: () => lost,
    prompt: createPrompt(process),
    keyboard: createKeyboard(process.stdin),
    on: (signal, listener) => process.on(signal, listener),
    off: (signal, listener) => process.off(signal, listener),
    exitNow: (code) => process.exit(code),
  }
}

/** Removes the access from URLs: with whose credentials a page was fetched is not shown. */
function plain(
  stream: NodeJS.WriteStream,
  write: (data: string | Uint8Array) => unknown = (data) => stream.write(data),
): ResultSink {
  return {
    write: (data) => write(typeof data === 'string' ? withoutAccesses(data) : data),
    get isTTY() {
      return stream.isTTY
    },
    get columns() {
      return stream.columns
    },
    get rows() {
      return stream.rows
    },
  }
}

/** Node gives up a stream after its first error, but a log file can be written again once there is space. */
function writeDespiteErrors(stream: NodeJS.WriteStream & { fd: number }, data: string | Uint8Array): unknown {
  if (stream.errored === null) return stream.write(data)
  try {
    return writeSync(stream.fd, Buffer.from(data))
  } catch {
    return 0 // the disk is still full, or the reader is gone
  }
}

/** Input from the user: a prompt on a terminal, or a pipe. */
type Prompt = {
  /** Whether there is a terminal to prompt on. */
  readonly isThere: boolean
  /** A line; null if cancelled. Secret input is not echoed. */
  ask(question: string, options: { secret: boolean }): Promise<string | null>
  /** The piped input, up to a length. */
  piped(maxBytes: number): Promise<string>
}

/** Prompts go to standard error: standard output is for results. */
function createPrompt({ stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>): Prompt {
  return {
    isThere: stdin.isTTY === true && stderr.isTTY === true,
    async ask(question, { secret }) {
      stderr.write(question)
      // Discards what the line editor would echo.
      const output = secret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr
      const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 })
      if (!secret) lines.setPrompt(question)
      const { promise, resolve } = Promise.withResolvers<string | null>()
      lines.once('line', resolve)
      lines.once('SIGINT', () => resolve(null))
      lines.once('close', () => resolve(null))
      const line = await promise
      lines.close()
      if (secret || line === null) stderr.write('\n')
      return line
    },
    async piped(maxBytes) {
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of stdin) {
        chunks.push(Buffer.from(chunk))
        size += chunks.at(-1)!.length
        if (size > maxBytes) break
      }
      return Buffer.concat(chunks).subarray(0, maxBytes).toString()
    },
  }
}

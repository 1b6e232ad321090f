import { createPrompt, type Prompt } from '../args/prompt.ts'
import { createKeyboard, type Keyboard } from '../top/keyboard.ts'

/** Where text goes. Results go to one, everything else to the other. */
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

/** The outer world of a command: the process in earnest, something smaller in tests. */
export type CliIo = {
  stdout: ResultSink
  stderr: Sink
  prompt: Prompt
  keyboard: Keyboard
  on(signal: StopSignal, listener: () => void): unknown
  off(signal: StopSignal, listener: () => void): unknown
  /** Ends the process at once, saving nothing. */
  exitNow(code: number): void
}

/** A reader that goes away (`erace status | head`) is no fault of the command. */
export function createProcessIo(process: NodeJS.Process): CliIo {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    prompt: createPrompt(process),
    keyboard: createKeyboard(process.stdin),
    on: (signal, listener) => process.on(signal, listener),
    off: (signal, listener) => process.off(signal, listener),
    exitNow: (code) => process.exit(code),
  }
}

import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** Who sits before a command, or what is piped into it. */
export type Prompt = {
  /** Whether somebody can be asked. */
  readonly isThere: boolean
  /** A line, null where it was broken off. What is typed is not shown where it is secret. */
  ask(question: string, options: { secret: boolean }): Promise<string | null>
  /** What was piped in, up to a length. */
  piped(maxBytes: number): Promise<string>
}

/** Questions go to standard error: standard output is for results. */
export function createPrompt({ stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>): Prompt {
  return {
    isThere: stdin.isTTY === true && stderr.isTTY === true,
    async ask(question, { secret }) {
      stderr.write(question)
      // What the line editor would show again goes nowhere.
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

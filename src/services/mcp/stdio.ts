import type { Readable, Writable } from 'node:stream'
import type { McpServerFactory } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'

export type StdioStreams = {
  input: Readable
  /** Carries nothing but the protocol. */
  output: Writable
}

/** A longer message ends the connection. */
const MAX_MESSAGE_BYTES = 1024 * 1024

/** Serves one client over standard input and output, until it closes them or the signal aborts. */
export async function serveOverStdio(
  factory: McpServerFactory,
  { input, output }: StdioStreams,
  { signal, onError }: { signal: AbortSignal; onError(error: Error): void },
): Promise<void> {
  const ended = Promise.withResolvers<void>()
  class Transport extends StdioServerTransport {
    override async close(): Promise<void> {
      await super.close()
      ended.resolve()
    }
  }
  const transport = new Transport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES })
  const connection = serveStdio(factory, { transport, maxSubscriptions: 0, onerror: onError })
  const stop = (): void => ended.resolve()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    await ended.promise
  } finally {
    signal.removeEventListener('abort', stop)
    await connection.close()
  }
}

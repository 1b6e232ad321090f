import { createRequire } from 'node:module'
import pino, { type Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Sink } from './io.ts'

export type LogSettings = {
  level: Config['log']['level']
  format: Config['log']['format']
  destination: Sink
  colour: boolean
}

/** Writes synchronously: a logged line is out even if the process is killed right after it. */
export function createLog({ level, format, destination, colour }: LogSettings): Logger {
  const readable = format === 'pretty' || (format === 'auto' && destination.isTTY === true)
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (!readable) return pino(options, { write: (line: string) => void destination.write(line) })
  // Loaded only for readable logs: it takes as long to load as the rest of the command line.
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
  const write = pretty.prettyFactory({ colorize: colour, translateTime: 'SYS:HH:MM:ss', singleLine: true })
  return pino(options, { write: (line: string) => void destination.write(write(line)) })
}

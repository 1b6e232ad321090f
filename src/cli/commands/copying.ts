import type { ValidationError } from '../../config/validation-errors.ts'
import type { CopyProgress } from '../../core/reports/backup-report.ts'
import { type CommandContext, exitCodes } from '../command.ts'
import { createInterrupt } from '../interrupt.ts'
import { createStatusLine, type StatusLine } from '../output/status-line.ts'
import { formatSize } from '../output/terminal-text.ts'

/** The one file that a command wants. */
export function takeOneFile(positionals: readonly string[], name: string, errors: ValidationError[]): string {
  const [file, ...rest] = positionals
  if (file === undefined || file === '') errors.push({ place: 'FILE', message: `${name} needs the name of a file` })
  for (const word of rest) errors.push({ place: word.slice(0, 60), message: `${name} takes one file` })
  return file ?? ''
}

export function copyPieces({ phase, bytes, totalBytes }: CopyProgress): string[] {
  const share = totalBytes === 0 ? 100 : Math.min(100, Math.floor((bytes / totalBytes) * 100))
  return [
    phase === 'snapshot' ? 'databases' : 'files',
    `${share} %`,
    `${formatSize(bytes)} of ${formatSize(totalBytes)}`,
  ]
}

type Running = { signal: AbortSignal; line: StatusLine; shows: boolean }

/** Work that clears up after itself when it is interrupted; `consequence` says what that means. */
export async function interruptible(
  { io, clock, quiet }: CommandContext,
  consequence: string,
  work: (running: Running) => Promise<number>,
): Promise<number> {
  const line = createStatusLine(io.stderr)
  const interrupt = createInterrupt({ io, clock, onFirst: () => {} })
  try {
    return await work({ signal: interrupt.signal, line, shows: io.stderr.isTTY === true && !quiet })
  } catch (error) {
    line.clear()
    if (!interrupt.signal.aborted) throw error
    io.stderr.write(`interrupted: ${consequence}\n`)
    return exitCodes.interrupted
  } finally {
    line.clear()
    interrupt.dispose()
  }
}

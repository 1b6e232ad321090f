import { InvalidInputError } from '../../config/validation-errors.ts'
import { AppError, type ErrorCode } from '../../core/errors.ts'
import { exitCodes } from '../command.ts'
import { printable } from './terminal-text.ts'

/** Faults in what the caller wrote; everything else is a failure of the work itself. */
const wrongUse: readonly ErrorCode[] = [
  'usage-wrong',
  'config-invalid',
  'url-invalid',
  'file-unreadable',
  'file-invalid',
  'not-available',
]

const hints: Partial<Record<ErrorCode, string>> = {
  'store-locked': 'wait for the other process, or name another folder with --data',
  'store-missing': 'erace crawl makes one; or name another folder with --data',
  'store-too-new': 'use the version that wrote it, or a newer one',
  'store-damaged': 'nothing was changed; restore the file from a backup, or start afresh with another --data',
  'store-full': 'make room and run the same command again: it goes on where it stopped',
}

export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new AppError('internal', message, { cause: error })
}

export function exitCodeOf(error: AppError): number {
  return wrongUse.includes(error.code) ? exitCodes.wrong : exitCodes.failed
}

/** For a person: each fault on a line of its own, then what to do about it. */
export function errorText(where: string, error: AppError, withStack: boolean): string {
  const fault = error.code === 'internal' ? 'fault in the program: ' : ''
  const lines = error.message.split('\n').map((line) => `${where}: ${fault}${printable(line, 1000)}`)
  const hint = error instanceof InvalidInputError ? `try ${where} --help` : hints[error.code]
  if (hint !== undefined) lines.push(`  ${hint}`)
  if (error.code === 'internal') {
    const { cause } = error
    if (withStack) lines.push((cause instanceof Error ? cause.stack : error.stack) ?? '')
    else lines.push('  ERACE_LOG_LEVEL=debug shows where')
  }
  return `${lines.join('\n')}\n`
}

export function errorJson(error: AppError): string {
  const details = error instanceof InvalidInputError ? { details: error.errors } : {}
  return `${JSON.stringify({ error: { code: error.code, message: error.message, ...details } })}\n`
}

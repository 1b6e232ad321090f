import { InvalidInputError } from '../../config/validation-errors.ts'
import { AppError, type ErrorCode } from '../../core/errors.ts'
import { exitCodes } from '../command.ts'
import { printable } from './terminal-text.ts'

/** Errors in the input; all others are failures of the work itself. */
const inputErrors: readonly ErrorCode[] = [
  'usage-wrong',
  'config-invalid',
  'url-invalid',
  'file-unreadable',
  'file-invalid',
  'part-invalid',
  'not-available',
]

const hints: Partial<Record<ErrorCode, string>> = {
  'store-locked': 'wait for the other process, or choose another folder with --data',
  'store-missing': 'create one with erace crawl, or choose another folder with --data',
  'store-too-new': 'use the version that wrote it, or a newer one',
  'store-damaged': 'nothing was changed; restore the file from a backup, or start over with another --data',
  'store-full': 'free some space and run the same command again to continue',
}

/** Refusals of the operating system. What is missing is left out: the program looks before it opens. */
const refusals: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'not permitted'],
  ['EROFS', 'the file system is read-only'],
  ['ENOTDIR', 'a part of the path is a file, not a folder'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
])

export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const { message, code, path } = (error instanceof Error ? error : { message: String(error) }) as NodeJS.ErrnoException
  const refusal = path === undefined ? undefined : refusals.get(code ?? '')
  if (refusal === undefined) return new AppError('internal', message, { cause: error })
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return new AppError(isFull ? 'store-full' : 'store-failed', `${path}: ${refusal}`, { cause: error })
}

export function exitCodeOf(error: AppError): number {
  return inputErrors.includes(error.code) ? exitCodes.wrong : exitCodes.failed
}

/** Readable: one line per error, then a hint. */
export function errorText(where: string, error: AppError, withStack: boolean): string {
  const prefix = error.code === 'internal' ? 'internal error: ' : ''
  const lines = error.message.split('\n').map((line) => `${where}: ${prefix}${printable(line, 1000)}`)
  const hint = error instanceof InvalidInputError ? `see ${where} --help` : hints[error.code]
  if (hint !== undefined) lines.push(`  ${hint}`)
  if (error.code === 'internal') {
    const { cause } = error
    if (withStack) lines.push((cause instanceof Error ? cause.stack : error.stack) ?? '')
    else lines.push('  set ERACE_LOG_LEVEL=debug for the stack trace')
  }
  return `${lines.join('\n')}\n`
}

export function errorJson(error: AppError): string {
  const details = error instanceof InvalidInputError ? { details: error.errors } : {}
  return `${JSON.stringify({ error: { code: error.code, message: error.message, ...details } })}\n`
}

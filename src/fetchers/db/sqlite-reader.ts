import { fork } from 'node:child_process'
import { realpath, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../core/errors.ts'
import type { Place } from '../../crawl/fetch/protocol.ts'
import { graceMs, type SqlReader, serverWords, type Table, tookTooLong } from './sql-reader.ts'
import type { SqliteAnswer, SqliteJob } from './sqlite-thread.ts'

/** Throws `url-invalid` for a path that leads out of all roots. Links are followed later, when the file is opened. */
export function checkRoot(path: string, roots: readonly string[]): void {
  if (roots.length === 0)
    throw new AppError('url-invalid', "SQLite files can't be watched here: no folder is configured for them")
  if (!roots.some((root) => isWithin(path, root)))
    throw new AppError('url-invalid', 'the file is outside the folders that may be watched')
}

export async function openSqlite(
  path: string,
  roots: readonly string[],
  place: Pick<Place, 'signal'>,
): Promise<SqlReader> {
  checkRoot(path, roots)
  const real = await orMissing(realpath(path))
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => null)))
  if (!realRoots.some((root) => root !== null && isWithin(real, root)))
    throw new AppError('url-invalid', 'the file is a link out of the folders that may be watched')
  if (!(await orMissing(stat(real))).isFile()) throw new AppError('not-found', 'that is not a file')
  return {
    address: '',
    read: (query, limits) => ask({ path: real, query, limits }, place.signal),
    close: async () => {},
  }
}

async function orMissing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new AppError('not-found', 'there is no such file')
    throw new AppError('file-unreadable', `the file can't be read (${code})`)
  }
}

function isWithin(path: string, root: string): boolean {
  const folder = root.endsWith(sep) ? root : root + sep
  return path.startsWith(folder)
}

function ask(job: SqliteJob, signal: AbortSignal): Promise<Table> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('./sqlite-process.ts', import.meta.url)), {
      env: {},
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    let end = (): void => reject(new AppError('protocol-failed', 'the process that reads the file ended early'))
    const stop = (then: () => void): void => {
      end = then
      child.kill('SIGKILL')
    }
    const late = (message: string) => () => stop(() => reject(new AppError('query-timeout', message)))
    const timer = setTimeout(late(tookTooLong(job.limits.timeoutMs)), job.limits.timeoutMs + graceMs)
    const onAbort = late('the time for the visit was over')
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    child.once('message', (answer: SqliteAnswer) => {
      stop(() => (answer.kind === 'table' ? resolve(answer.table) : reject(failureOf(answer))))
    })
    child.once('error', () =>
      stop(() => reject(new AppError('protocol-failed', "the process that reads the file can't be started"))),
    )
    child.once('close', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      end()
    })
    child.send(job, () => {})
  })
}

const [notADatabase, corrupt, cantOpen, busy, locked, readOnly, auth] = [26, 11, 14, 5, 6, 8, 23]

function failureOf({ errcode, message }: Extract<SqliteAnswer, { kind: 'failed' }>): AppError {
  const words = serverWords(message, [])
  switch (errcode & 0xff) {
    case notADatabase:
    case corrupt:
      return new AppError('file-invalid', 'the file is no SQLite database, or a damaged one')
    case cantOpen:
      return new AppError('file-unreadable', "the file can't be opened")
    case busy:
    case locked:
      return new AppError('protocol-failed', 'the database is in use')
    case readOnly:
    case auth:
      return new AppError('query-refused', `only reading is allowed: ${words}`)
    default:
      return new AppError('query-refused', `the database refused the query: ${words}`)
  }
}

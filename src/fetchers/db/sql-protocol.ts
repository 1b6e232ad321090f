import { AppError } from '../../core/errors.ts'
import type { TlsOptions } from '../../crawl/fetch/connector.ts'
import type { List, Place, Protocol, Session } from '../../crawl/fetch/protocol.ts'
import { listOfRows } from './rows.ts'
import type { SqlReader } from './sql-reader.ts'
import { readSqlUrl, type ServerPlace, type SqlUrl, sqlSchemes, writeSqlUrl } from './sql-url.ts'
import { checkRoot } from './sqlite-reader.ts'

export type SqlProtocolOptions = {
  /** Folders whose SQLite files may be read. */
  roots: readonly string[]
  /** CA certificates and the like; the system's by default. */
  tls?: TlsOptions
  /** Maximum size of a result; further rows are left out. */
  maxResultBytes?: number
}

const maxRows = 10_000
const usualResultBytes = 64 * 1024 * 1024

/**
 * Queries of PostgreSQL, MariaDB and MySQL servers and of SQLite files, as lists of rows. Each look has its own connection and read-only
 * transaction; the timeout of its query is that for a silent source (`stallTimeoutMs`).
 */
export function createSqlProtocol({
  roots,
  tls = {},
  maxResultBytes = usualResultBytes,
}: SqlProtocolOptions): Protocol {
  return {
    schemes: sqlSchemes,
    can: { revalidate: true, push: false, depth: false, credentials: 'optional' },
    normalise(url) {
      const source = readSqlUrl(url)
      if (source.place.kind === 'file') checkRoot(source.place.path, roots)
      return writeSqlUrl(source)
    },
    async open(place) {
      const source = readSqlUrl(place.url)
      const reader = await openReader(source, place, { roots, tls })
      return sessionOf(reader, source, place, maxResultBytes)
    },
    async close() {},
  }
}

async function openReader(
  { place: at }: SqlUrl,
  place: Place,
  { roots, tls }: Required<Pick<SqlProtocolOptions, 'roots' | 'tls'>>,
): Promise<SqlReader> {
  if (at.kind === 'file') {
    const { openSqlite } = await import('./sqlite-reader.ts')
    return openSqlite(at.path, roots, place)
  }
  const { user = '', password = '' } = place.secret ?? {}
  if (user === '')
    throw new AppError('sign-in-failed', "the database needs a user and a password: save them as the source's sign-in")
  if (/[\0\r\n]/.test(user + password))
    throw new AppError('sign-in-failed', 'user or password has a line break or a zero byte')
  if (at.dialect === 'postgres') {
    const { openPostgres } = await import('./postgres-reader.ts')
    return openPostgres(at, { user, password }, place, tls)
  }
  const { openMysql } = await import('./mysql-reader.ts')
  return openMysql(at, { user, password }, place, tls)
}

function sessionOf(reader: SqlReader, source: SqlUrl, { url, limits }: Place, maxBytes: number): Session {
  return {
    address: reader.address,
    async look(): Promise<List> {
      const { names, rows, isCapped } = await reader.read(source.query, {
        maxRows: Math.min(limits.maxItems, maxRows),
        maxBytes,
        timeoutMs: limits.stallTimeoutMs,
      })
      for (const name of [...source.key, source.title]) {
        if (name === '' || names.includes(name)) continue
        const known = names.slice(0, 20).join(', ')
        throw new AppError('query-refused', `the result has no column ${JSON.stringify(name)}; it has ${known}`)
      }
      const named = { url, name: nameOf(source.place), key: source.key, title: source.title }
      const list = rows.map((cells) => ({ names, cells }))
      return listOfRows({ ...named, rows: list, columns: names, isCapped, maxBodyBytes: limits.maxBodyBytes })
    },
    async read({ body }) {
      if (body === undefined) throw new AppError('not-found', 'rows come with their list')
      return body
    },
    close: () => reader.close(),
  }
}

function nameOf(place: SqlUrl['place'] | ServerPlace): string {
  return place.kind === 'file'
    ? place.path.slice(place.path.lastIndexOf('/') + 1)
    : `${place.database} on ${place.host}`
}

import { AppError } from '../../core/errors.ts'
import { parseUrl, readNames, readParameters, withoutControls, writeParameters } from './parameters.ts'
import type { RowNaming } from './rows.ts'
import { checkStatement, type Dialect } from './statement.ts'

/** A query of a database: `postgres://host/database?query=SELECT…&key=id&title=name`, `sqlite:///folder/file.db?query=…`. */
export type SqlUrl = RowNaming & {
  query: string
  place: { kind: 'file'; path: string } | ServerPlace
}
export type ServerPlace = {
  kind: 'server'
  dialect: Exclude<Dialect, 'sqlite'>
  host: string
  port: number
  database: string
  /** `require`: the connection is encrypted; `verify-full`: and the certificate matches the host. */
  sslmode: '' | 'require' | 'verify-full'
}

const dialects = new Map<string, Dialect>([
  ['postgres', 'postgres'],
  ['postgresql', 'postgres'],
  ['mysql', 'mysql'],
  ['mariadb', 'mysql'],
  ['sqlite', 'sqlite'],
])
export const sqlSchemes = [...dialects.keys()]
const ports = { postgres: 5432, mysql: 3306 }

/** Throws `url-invalid`, or `query-refused` if it isn't a reading query. */
export function readSqlUrl(text: string): SqlUrl {
  const url = parseUrl(text)
  const dialect = url === null ? undefined : dialects.get(url.protocol.slice(0, -1))
  if (url === null || dialect === undefined) throw invalid("that isn't the address of a database")
  if (url.username !== '' || url.password !== '')
    throw invalid("leave user and password out of the address; save them as the source's sign-in")
  if (url.hash !== '') throw invalid('write # as %23 in the query')
  const names = dialect === 'sqlite' ? ['query', 'key', 'title'] : ['query', 'key', 'title', 'sslmode']
  const given = readParameters(url.search.slice(1), names)
  const one = (name: string): string => given.get(name)?.[0] ?? ''
  if (one('query').trim() === '') throw invalid('the query is missing: add ?query=SELECT…')
  const key = one('key') === '' ? [] : readNames(one('key'), 'key')
  const title = one('title') === '' ? '' : readNames(one('title'), 'title').join(',')
  const query = checkStatement(withoutControls(one('query'), 'the query'), dialect)
  if (title !== '' && key.length === 0) throw invalid('title names rows: it needs a key')
  const place = dialect === 'sqlite' ? filePlace(url) : serverPlace(url, dialect, one('sslmode'))
  return { query, key, title, place }
}

export function writeSqlUrl({ query, key, title, place }: SqlUrl): string {
  const common = [
    ['query', query],
    ['key', key.join(',')],
    ['title', title],
  ] as const
  if (place.kind === 'file')
    return `sqlite://${place.path.split('/').map(encodeURIComponent).join('/')}?${writeParameters(common)}`
  const port = place.port === ports[place.dialect] ? '' : `:${place.port}`
  const host = place.host.includes(':') ? `[${place.host}]` : place.host
  const database = encodeURIComponent(place.database)
  return `${place.dialect}://${host}${port}/${database}?${writeParameters([...common, ['sslmode', place.sslmode]])}`
}

function serverPlace(url: URL, dialect: ServerPlace['dialect'], sslmode: string): ServerPlace {
  // The URL parser doesn't normalise the host of schemes that it doesn't know.
  const host = url.hostname === '' ? undefined : URL.parse(`https://${url.hostname}/`)?.hostname
  if (host === undefined) throw invalid('the host of the database is missing or wrong')
  const database = withoutControls(pathText(url.pathname.replace(/^\//, '')), 'the name of the database')
  if (database === '') throw invalid(`the name of the database is missing: ${dialect}://host/database`)
  if (sslmode !== '' && sslmode !== 'require' && sslmode !== 'verify-full')
    throw invalid('sslmode is require or verify-full')
  const port = url.port === '' ? ports[dialect] : Number(url.port)
  return { kind: 'server', dialect, host: host.replace(/^\[|\]$/g, ''), port, database, sslmode }
}

function filePlace(url: URL): { kind: 'file'; path: string } {
  if (url.hostname !== '') throw invalid('the path of the file begins with three slashes: sqlite:///folder/file.db')
  const path = pathText(url.pathname)
  if (!path.startsWith('/') || path.endsWith('/'))
    throw invalid('the path of the file is missing: sqlite:///folder/file.db')
  if (path.split('/').includes('..')) throw invalid('the path of the file has ..')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\0-\x1f\x7f]/.test(path)) throw invalid('the path of the file has control characters')
  return { kind: 'file', path }
}

function pathText(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw invalid('a percent sign of the path is not written as %25')
  }
}

const invalid = (message: string): AppError => new AppError('url-invalid', message)

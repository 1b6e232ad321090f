import { connect as connectTcp, type Socket } from 'node:net'
import type { Connection, FieldPacket, QueryError } from 'mysql2'
import { AppError } from '../../core/errors.ts'
import { createWhileAlive } from '../../core/work/race.ts'
import type { TlsOptions } from '../../crawl/fetch/connector.ts'
import type { Place } from '../../crawl/fetch/protocol.ts'
import type { Login } from './postgres-reader.ts'
import { binaryCell, type Cell, jsonCell, nullCell, numberCell, textCell, timeCell, uniqueNames } from './rows.ts'
import { guardSocket, lineFailure, type ReadLimits, type SqlReader, serverWords, type Table } from './sql-reader.ts'
import type { ServerPlace } from './sql-url.ts'

/** MariaDB and MySQL. */
export async function openMysql(server: ServerPlace, login: Login, place: Place, tls: TlsOptions): Promise<SqlReader> {
  const { default: mysql } = await import('mysql2')
  const address = await place.resolve(server.host)
  const socket = connectTcp({ host: address, port: server.port, noDelay: true })
  const guard = guardSocket(socket, place)
  const connection = mysql.createConnection({
    stream: socket,
    host: server.host,
    port: server.port,
    database: server.database,
    user: login.user,
    password: login.password,
    ...(server.sslmode !== '' && { ssl: secured(server, tls) }),
    charset: 'utf8mb4',
    flags: ['-LOCAL_FILES', '-MULTI_STATEMENTS'],
    multipleStatements: false,
    disableEval: true,
    // The socket guard has the timeout.
    connectTimeout: 0,
  })
  const failed = (error: unknown): AppError => guard.failure() ?? failureOf(error, login)
  const untilClosed = createEnd(connection, socket)

  try {
    await untilClosed(
      new Promise<void>((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve()))),
    )
  } catch (error) {
    guard.end()
    connection.destroy()
    throw failed(error)
  }

  const tell = (sql: string): Promise<void> =>
    untilClosed(
      new Promise((resolve, reject) =>
        connection.query(sql, (error: QueryError | null) => (error ? reject(error) : resolve())),
      ),
    )

  return {
    address,
    async read(query, limits): Promise<Table> {
      guard.allow(limits)
      try {
        await limitTime(tell, limits.timeoutMs)
        // Strings end where `checkStatement` expects it, and times are in UTC.
        await tell(
          "SET SESSION time_zone = '+00:00', sql_mode = REPLACE(REPLACE(@@sql_mode, 'NO_BACKSLASH_ESCAPES', ''), 'ANSI_QUOTES', '')",
        )
        await tell('SET SESSION TRANSACTION READ ONLY')
        await tell('START TRANSACTION READ ONLY')
        const table = await untilClosed(rowsOf(connection, query, limits))
        if (!table.isCapped) await tell('ROLLBACK')
        return table
      } catch (error) {
        throw failed(error)
      }
    },
    async close() {
      guard.end()
      connection.destroy()
    },
  }
}

/** The driver doesn't tell a command that its connection was closed, so each is awaited together with the end of the connection. */
function createEnd(connection: Connection, socket: Socket): <T>(work: Promise<T>) => Promise<T> {
  let cause: unknown = Object.assign(new Error('closed'), { code: 'PROTOCOL_CONNECTION_LOST' })
  connection.on('error', (error) => {
    cause = error
  })
  return createWhileAlive(new Promise((_, reject) => socket.once('close', () => reject(cause))))
}

/** Sets the statement timeout: in seconds for MariaDB, in milliseconds and under another name for MySQL. */
async function limitTime(tell: (sql: string) => Promise<void>, timeoutMs: number): Promise<void> {
  try {
    await tell(`SET SESSION max_statement_time = ${timeoutMs / 1000}`)
  } catch (error) {
    if ((error as QueryError).errno !== unknownVariable) throw error
    await tell(`SET SESSION max_execution_time = ${timeoutMs}`)
  }
}

/** Reads row by row, up to the limits. At a limit, closing the connection stops the server. */
function rowsOf(connection: Connection, sql: string, { maxRows, maxBytes }: ReadLimits): Promise<Table> {
  return new Promise((resolve, reject) => {
    const table: Table = { names: [], rows: [], isCapped: false }
    let fields: FieldPacket[] = []
    let bytes = 0
    connection
      .query({ sql, rowsAsArray: true, typeCast: (field) => field.buffer() })
      .on('fields', (given: FieldPacket[]) => {
        fields = given
        table.names = uniqueNames(given.map(({ name }) => name))
      })
      .on('result', (row) => {
        if (table.isCapped || !Array.isArray(row)) return
        if (table.rows.length >= maxRows || bytes > maxBytes) {
          table.isCapped = true
          connection.destroy()
          resolve(table)
          return
        }
        const cells = (row as (Buffer | null)[]).map((value, at) => cellOf(value, fields[at]!))
        for (const cell of cells) bytes += cell.length
        table.rows.push(cells)
      })
      .on('error', reject)
      .on('end', () => resolve(table))
  })
}

function secured({ sslmode }: ServerPlace, { ca }: TlsOptions) {
  const isVerified = sslmode === 'verify-full'
  return { rejectUnauthorized: isVerified, verifyIdentity: isVerified, ...(ca !== undefined && { ca: ca as Buffer }) }
}

/** Protocol types: decimal, tiny, short, long, float, double, longlong, int24, year, newdecimal. */
const numbers = new Set([0, 1, 2, 3, 4, 5, 8, 9, 13, 246])
const [timestamp, datetime, bit, json, geometry] = [7, 12, 16, 245, 255]
/** varchar, enum, set, the blobs, var_string, string: bytes if their character set is `binary`. */
const strings = new Set([15, 247, 248, 249, 250, 251, 252, 253, 254])
const binarySet = 63

function cellOf(value: Buffer | null, field: FieldPacket): Cell {
  if (value === null) return nullCell
  const { columnType = 0, characterSet } = field as FieldPacket & { characterSet: number }
  if (columnType === bit || columnType === geometry) return binaryCell(value)
  if (strings.has(columnType) && characterSet === binarySet) return binaryCell(value)
  const text = value.toString('utf8')
  if (numbers.has(columnType)) return numberCell(text)
  if (columnType === json) return jsonCell(text)
  if (columnType === timestamp) return timeCell(text, 'Z')
  return columnType === datetime ? timeCell(text, '') : textCell(text)
}

const unknownVariable = 1193
/** Access denied: user, database, missing plugin, expired password. */
const signIn = new Set([1044, 1045, 1251, 1524, 1698, 1820, 1862, 4151])
const timeouts = new Set([1969, 3024])
/** Too many connections, shutting down, locks. */
const passing = new Set([1040, 1053, 1129, 1130, 1203, 1205, 1213, 1226, 1927])

function failureOf(error: unknown, { user, password }: Login): AppError {
  const { errno = 0, code = '', message = '' } = error as QueryError
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return new AppError('tls-failed', 'the server does not offer encryption')
  if (code === 'AUTH_SWITCH_PLUGIN_ERROR' || signIn.has(errno))
    return new AppError('sign-in-failed', 'the database refused user and password')
  if (errno < 1000)
    return /^PROTOCOL_(?!CONNECTION_LOST)/.test(code)
      ? new AppError('protocol-failed', 'the server said something that its protocol does not allow')
      : lineFailure(error)
  const words = serverWords(message, [password, user])
  if (timeouts.has(errno)) return new AppError('query-timeout', 'the query took too long')
  if (errno === 1792) return new AppError('query-refused', 'only reading is allowed, and this query writes')
  if (errno === 1049) return new AppError('not-found', 'there is no database of this name')
  if (passing.has(errno)) return new AppError('protocol-failed', `the database can't answer now: ${words}`)
  return new AppError('query-refused', `the database refused the query: ${words}`)
}

import { Socket } from 'node:net'
import type { ClientConfig } from 'pg'
import { AppError } from '../../core/errors.ts'
import type { TlsOptions } from '../../crawl/fetch/connector.ts'
import type { Place } from '../../crawl/fetch/protocol.ts'
import { guardMessages } from './postgres-messages.ts'
import { binaryCell, type Cell, jsonCell, nullCell, numberCell, textCell, timeCell, uniqueNames } from './rows.ts'
import { graceMs, guardSocket, lineFailure, type SqlReader, serverWords, type Table } from './sql-reader.ts'
import type { ServerPlace } from './sql-url.ts'

export type Login = { user: string; password: string }

/** Limits per fetch: both the server and we hold all rows of a response in memory. */
const bytesAtOnce = 1024 * 1024
const rowsAtOnce = 500

/** Values are received as text and parsed here, so that their spelling doesn't depend on settings of the server or the driver. */
const types = { getTypeParser: () => (text: string) => text }
const spelling =
  "SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'iso_8601'; SET LOCAL timezone = 'UTC'; SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1; SET LOCAL standard_conforming_strings = on"

export async function openPostgres(
  server: ServerPlace,
  login: Login,
  place: Place,
  tls: TlsOptions,
): Promise<SqlReader> {
  const { default: pg } = await import('pg')
  const address = await place.resolve(server.host)
  const socket = new Socket()
  const guard = guardSocket(socket, place)
  const client = new pg.Client({
    host: address,
    port: server.port,
    database: server.database,
    user: login.user,
    // A function, since for an empty password the driver would look in the environment and in the operator's files.
    password: () => login.password,
    ssl: server.sslmode === '' ? false : secured(server, tls),
    application_name: 'erace',
    client_encoding: 'UTF8',
    stream: () => socket,
    types,
  } as ClientConfig)
  guardMessages(client, guard.refuse)
  // If the connection breaks while idle, the next query reports it.
  client.on('error', () => {})
  const failed = (error: unknown): AppError => guard.failure() ?? failureOf(error, login)

  try {
    await client.connect()
  } catch (error) {
    guard.end()
    socket.destroy()
    throw failed(error)
  }

  return {
    address,
    async read(query, limits): Promise<Table> {
      guard.allow(limits)
      const ask = (text: string) => client.query<string[]>({ text, rowMode: 'array', queryMode: 'extended' } as never)
      try {
        await client.query(
          `SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; BEGIN READ ONLY; SET LOCAL statement_timeout = ${limits.timeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${limits.timeoutMs + graceMs}; ${spelling}`,
        )
        // In the extended query mode, the server accepts only a single statement.
        await ask(`DECLARE erace_rows NO SCROLL CURSOR FOR ${query}`)
        const table: Table = { names: [], rows: [], isCapped: false }
        let bytes = 0
        let count = 1
        for (;;) {
          const { fields, rows } = await ask(`FETCH ${count} FROM erace_rows`)
          guard.check()
          if (table.names.length === 0) table.names = uniqueNames(fields.map(({ name }) => name))
          for (const row of rows) {
            if (table.rows.length >= limits.maxRows || bytes > limits.maxBytes) {
              table.isCapped = true
              break
            }
            const cells = (row as (string | null)[]).map((value, at) => cellOf(value, fields[at]!.dataTypeID))
            for (const cell of cells) bytes += cell.length
            table.rows.push(cells)
          }
          if (table.isCapped || rows.length < count) break
          count = Math.max(1, Math.min(rowsAtOnce, Math.floor((bytesAtOnce * table.rows.length) / bytes)))
        }
        await client.query('ROLLBACK')
        return table
      } catch (error) {
        throw failed(error)
      }
    },
    async close() {
      guard.end()
      // Closing the connection rolls back an open transaction.
      await client.end().catch(() => {})
      socket.destroy()
    },
  }
}

function secured({ host, sslmode }: ServerPlace, tls: TlsOptions): TlsOptions & { servername: string; host: string } {
  return {
    ...tls,
    rejectUnauthorized: sslmode === 'verify-full',
    servername: /^[\d.]+$|:/.test(host) ? '' : host,
    host,
  }
}

const [bool, bytea, json, jsonb, timestamp, timestamptz] = [16, 17, 114, 3802, 1114, 1184]
/** int8, int2, int4, oid, float4, float8, numeric */
const numbers = new Set([20, 21, 23, 26, 700, 701, 1700])

function cellOf(value: string | null, type: number): Cell {
  if (value === null) return nullCell
  if (numbers.has(type)) return numberCell(value)
  switch (type) {
    case bool:
      return value === 't' ? 'true' : 'false'
    case bytea:
      return binaryCell(Buffer.from(value.replace(/^\\x/, ''), 'hex'))
    case json:
    case jsonb:
      return jsonCell(value)
    case timestamp:
      return timeCell(value, '')
    case timestamptz:
      return timeCell(value, 'Z')
    default:
      return textCell(value)
  }
}

function failureOf(error: unknown, { user, password }: Login): AppError {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const isOfServer = /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]+$/.test(code)
  if (!isOfServer) {
    if (/SSL connection/.test(message)) return new AppError('tls-failed', 'the server does not offer encryption')
    return lineFailure(error)
  }
  const words = serverWords(message, [password, user])
  if (code === '57014') return new AppError('query-timeout', 'the query took too long')
  if (code === '25006') return new AppError('query-refused', `only reading is allowed: ${words}`)
  if (code.startsWith('28')) return new AppError('sign-in-failed', 'the database refused user and password')
  if (code === '42501') return new AppError('query-refused', `the user of the database may not do that: ${words}`)
  if (code === '3D000') return new AppError('not-found', 'there is no database of this name')
  if (/^(?:08|53|55|57|58|40|XX)/.test(code))
    return new AppError('protocol-failed', `the database can't answer now: ${words}`)
  return new AppError('query-refused', `the database refused the query: ${words}`)
}

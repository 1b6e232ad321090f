import { AppError, type ErrorCode, isAppError } from '../../../core/errors.ts'

type Meaning = { code: ErrorCode; advice?: string }

const signIn = 'check the user and the password in the address of the store'
const rights =
  'the role of the address needs CREATE and USAGE on the schema, and all rights on its tables; let their owner GRANT them'
const noSchema = 'the schema is missing or not complete; erace migrate makes it'
const notThere = 'check host and port in the address of the store, and that the server runs'
const safety = 'check sslmode in the address of the store, and the certificate of the server'
const noFiles = 'too many files are open; raise the limit of the process (ulimit -n)'
const noConnection = 'raise max_connections of the server, or lower cluster.connections of the processes'
export const smallPool = 'the pool of the pooler is too small; docs/cluster.md says how many connections are needed'
const tooLong = 'the server is overloaded, or another session holds a lock on what is asked for'
const isStandby = 'it is a standby; name the primary server in the address'
const isReadOnly =
  'the database or its role was made read-only (default_transaction_read_only); ALTER DATABASE or ALTER ROLE takes it back'
/** Replaced by the exact cause if the server can be asked (`explainReadOnly`). */
const readOnly = 'the database is a standby, or was made read-only'
export const poolBySession =
  'the pooler must pool by session (in PgBouncer: pool_mode = session), not by transaction or statement'
const badAddress = 'the address of the store must be postgres://USER:PASSWORD@HOST:PORT/DATABASE'

/** SQLSTATE classes and codes that a caller can act on, with advice for the user; all others are store-failed. */
const states: readonly (readonly [beginning: string, meaning: Meaning])[] = [
  ['ERL', { code: 'lease-lost' }], // raised by our own fence
  ['28', { code: 'store-refused', advice: signIn }], // wrong password, no such role
  ['3D', { code: 'store-refused', advice: 'create it first (CREATE DATABASE), or name another in the address' }],
  ['42501', { code: 'store-refused', advice: rights }],
  ['42P01', { code: 'store-failed', advice: noSchema }],
  ['42883', { code: 'store-failed', advice: noSchema }],
  ['42703', { code: 'store-failed', advice: noSchema }],
  ['25006', { code: 'store-read-only', advice: readOnly }],
  ['25P03', { code: 'store-busy', advice: 'the server ended a transaction that had nothing to do for too long' }],
  ['53100', { code: 'store-full', advice: 'make room on the disk of the database server' }],
  ['53200', { code: 'store-failed', advice: 'the database server is out of memory' }],
  ['53300', { code: 'store-unavailable', advice: noConnection }],
  ['57P03', { code: 'store-unavailable', advice: 'it is starting or shutting down' }],
  ['57P', { code: 'store-unreachable', advice: 'the server is shutting down, or has ended the connection' }],
  ['08', { code: 'store-unreachable', advice: notThere }],
  // A statement was prepared on another connection of the server.
  ['26000', { code: 'store-refused', advice: poolBySession }],
  ['42P05', { code: 'store-refused', advice: poolBySession }],
  ['40P01', { code: 'store-busy', advice: 'two transactions waited for each other' }],
  ['40', { code: 'store-busy', advice: "transactions got in each other's way" }],
  ['55P03', { code: 'store-busy', advice: 'another session holds a lock' }],
  ['57014', { code: 'store-busy', advice: tooLong }],
]

/** Error codes of the operating system and of Node when there is no connection. */
const systemCodes: ReadonlyMap<string, Meaning> = new Map(
  Object.entries<Meaning>({
    ECONNREFUSED: { code: 'store-unreachable', advice: notThere },
    ECONNRESET: { code: 'store-unreachable', advice: notThere },
    EPIPE: { code: 'store-unreachable' },
    ETIMEDOUT: { code: 'store-unreachable', advice: notThere },
    EHOSTUNREACH: { code: 'store-unreachable', advice: notThere },
    ENETUNREACH: { code: 'store-unreachable', advice: notThere },
    EHOSTDOWN: { code: 'store-unreachable', advice: notThere },
    ENETDOWN: { code: 'store-unreachable', advice: notThere },
    ENOTFOUND: { code: 'store-unreachable', advice: notThere },
    EAI_AGAIN: { code: 'store-unreachable', advice: notThere },
    ENOENT: { code: 'store-unreachable', advice: notThere },
    EMFILE: { code: 'store-unreachable', advice: noFiles },
    ENFILE: { code: 'store-unreachable', advice: noFiles },
    ERR_SOCKET_CLOSED: { code: 'store-unreachable' },
    ERR_STREAM_DESTROYED: { code: 'store-unreachable' },
    ERR_INVALID_URL: { code: 'store-refused', advice: badAddress },
  }),
)

/** System calls whose other errors also mean that there is no connection. */
const connectionCalls = new Set(['connect', 'read', 'write', 'getaddrinfo'])

const PROTOCOL = '08P01'

/** Messages of the driver, which have no code, and of poolers, which use one code for everything. */
const sayings: readonly (readonly [pattern: RegExp, meaning: Meaning])[] = [
  [
    /timeout exceeded when trying to connect|timeout expired|connection timeout/i,
    { code: 'store-unreachable', advice: notThere },
  ],
  [/Connection terminated|Client has encountered a connection error|Client was closed/i, { code: 'store-unreachable' }],
  [/Query read timeout/i, { code: 'store-unreachable', advice: 'there was no answer in time' }],
  [
    /client password must be a string|client password must be a non-empty string/i,
    { code: 'store-refused', advice: signIn },
  ],
  [
    /does not support SSL connections|certificate|There was an error establishing an SSL connection/i,
    { code: 'store-refused', advice: safety },
  ],
  [/statement pooling|not allowed in transaction pooling/i, { code: 'store-refused', advice: poolBySession }],
  [
    /unsupported startup parameter/i,
    { code: 'store-refused', advice: 'list it in ignore_startup_parameters of the pooler' },
  ],
  [/query_wait_timeout|no more connections allowed/i, { code: 'store-unavailable', advice: smallPool }],
  [/received invalid response|Unknown message|Invalid message/i, { code: 'store-refused', advice: notThere }],
]

/** The same failure with a code and a one-line message, with advice if there is any. */
export function postgresError(error: unknown): AppError {
  if (isAppError(error)) return error
  const { code: state = '', message = String(error) } = error as { code?: string; message?: string }
  const { code, advice } = meaningOf(state, message, callOf(error))
  const words = oneLine(message === '' ? state : message)
  return new AppError(code, `PostgreSQL: ${words}${advice === undefined ? '' : `; ${advice}`}`, { cause: error })
}

/** The server closes the connection after a FATAL error. */
export function isConnectionLost(error: unknown): boolean {
  const { code, cause } = postgresError(error)
  return code === 'store-unreachable' || (cause as { severity?: string } | undefined)?.severity === 'FATAL'
}

type Asked = { query(text: string): Promise<{ rows: unknown[] }> }

/** A standby and a database that was made read-only refuse writes with the same message; asks the server which it is. */
export async function explainReadOnly(client: Asked, given: AppError): Promise<AppError> {
  if (given.code !== 'store-read-only') return given
  try {
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS standby')
    const { standby } = rows[0] as { standby: boolean }
    const [words] = given.message.split('; ')
    return new AppError('store-read-only', `${words}; ${standby ? isStandby : isReadOnly}`, { cause: given.cause })
  } catch {
    return given // the server can't be asked any more
  }
}

/** If a host name has several addresses, all of them failed; the first error represents them. */
function callOf(error: unknown): string | undefined {
  const first = error instanceof AggregateError ? error.errors[0] : error
  return (first as { syscall?: string } | undefined)?.syscall
}

function meaningOf(state: string, message: string, call: string | undefined): Meaning {
  const system = systemCodes.get(state)
  if (system !== undefined) return system
  if (call !== undefined && connectionCalls.has(call)) return { code: 'store-unreachable' }
  const said = sayings.find(([pattern]) => pattern.test(message))
  const isState = /^[0-9A-Z]{5}$/.test(state)
  // Poolers use this code for all errors.
  if (said !== undefined && state === PROTOCOL) return said[1]
  if (isState) {
    const known = states.find(([beginning]) => state.startsWith(beginning))
    if (known !== undefined) return known[1]
  }
  return said?.[1] ?? { code: isState ? 'store-failed' : 'internal' }
}

const MAX_MESSAGE = 500

/** A server's message may be long and span several lines. */
function oneLine(message: string): string {
  return message.slice(0, MAX_MESSAGE).replace(/\s+/g, ' ').trim()
}

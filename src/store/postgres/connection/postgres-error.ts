import { AppError, type ErrorCode, isAppError } from '../../../core/errors.ts'

type Meaning = { code: ErrorCode; advice?: string }

const signIn = 'check the user and the password in the address of the store'
const rights =
  'the role of the address needs CREATE and USAGE on the schema, and all rights on its tables; let their owner GRANT them'
const noSchema = 'the schema is missing or not complete; erace migrate makes it'
const notThere = 'check host and port in the address of the store, and that the server runs'
const safety = 'check sslmode in the address of the store, and the certificate of the server'
const noFiles = 'too many files are open; raise the limit of the process (ulimit -n)'
const badAddress = 'the address of the store must be postgres://USER:PASSWORD@HOST:PORT/DATABASE'

/** SQLSTATE classes and codes that a caller can act on, and what a person can do; all else is store-failed. */
const states: readonly (readonly [beginning: string, meaning: Meaning])[] = [
  ['ERL', { code: 'lease-lost' }], // raised by our own fence
  ['28', { code: 'store-refused', advice: signIn }], // wrong password, no such role
  ['3D', { code: 'store-refused', advice: 'create it first (CREATE DATABASE), or name another in the address' }],
  ['42501', { code: 'store-refused', advice: rights }],
  ['42P01', { code: 'store-failed', advice: noSchema }],
  ['42883', { code: 'store-failed', advice: noSchema }],
  ['42703', { code: 'store-failed', advice: noSchema }],
  // A standby that was not promoted yet.
  ['25006', { code: 'store-unreachable', advice: 'it is a standby; name the primary server in the address' }],
  ['53100', { code: 'store-full', advice: 'make room on the disk of the database server' }],
  ['53200', { code: 'store-failed', advice: 'the database server is out of memory' }],
  [
    '53300',
    {
      code: 'store-unreachable',
      advice: 'raise max_connections of the server, or lower cluster.connections of the processes',
    },
  ],
  ['57P', { code: 'store-unreachable' }], // the server goes down, or starts
  ['08', { code: 'store-unreachable' }],
  ['40', { code: 'store-failed' }], // serialization, deadlock
  ['55P03', { code: 'store-failed' }], // lock timeout
  ['57014', { code: 'store-failed' }], // statement timeout
]

/** What the system says where there is no connection. */
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

/** What the system was asked for when it said anything else: a connection that fails in some rare way is none, too. */
const connectionCalls = new Set(['connect', 'read', 'write', 'getaddrinfo'])

/** What the driver says without a code. */
const sayings: readonly (readonly [pattern: RegExp, meaning: Meaning])[] = [
  [
    /timeout exceeded when trying to connect|timeout expired|connection timeout/i,
    { code: 'store-unreachable', advice: notThere },
  ],
  [/Connection terminated|Client has encountered a connection error|Client was closed/i, { code: 'store-unreachable' }],
  [/Query read timeout/i, { code: 'store-unreachable', advice: 'the connection has gone silent' }],
  [
    /client password must be a string|client password must be a non-empty string/i,
    { code: 'store-refused', advice: signIn },
  ],
  [
    /does not support SSL connections|certificate|There was an error establishing an SSL connection/i,
    { code: 'store-refused', advice: safety },
  ],
  [/received invalid response|Unknown message|Invalid message/i, { code: 'store-refused', advice: notThere }],
]

/** The same failure with a code, in one line that says what to do, if anything can be done. */
export function postgresError(error: unknown): AppError {
  if (isAppError(error)) return error
  const { code: state = '', message = String(error) } = error as { code?: string; message?: string }
  const { code, advice } = meaningOf(state, message, callOf(error))
  const words = oneLine(message === '' ? state : message)
  return new AppError(code, `PostgreSQL: ${words}${advice === undefined ? '' : `; ${advice}`}`, { cause: error })
}

/** Where a name has several addresses, all of them failed; the first speaks for them. */
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
  if (isState) {
    const known = states.find(([beginning]) => state.startsWith(beginning))
    if (known !== undefined) return known[1]
  }
  return said?.[1] ?? { code: isState ? 'store-failed' : 'internal' }
}

const MAX_MESSAGE = 500

/** What a server says may be long, and is not to be believed to be one line. */
function oneLine(message: string): string {
  return message.slice(0, MAX_MESSAGE).replace(/\s+/g, ' ').trim()
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InvalidInputError } from '../../config/validation-errors.ts'
import { AppError, type ErrorCode, isAppError } from '../../core/errors.ts'
import { linger, MALFORMED_LINGER_MS } from './closing.ts'

export type Detail = { place: string; message: string }

/** A failure with several errors, all reported at once. */
export class DetailedError extends AppError {
  readonly details: readonly Detail[]

  constructor(code: ErrorCode, message: string, details: readonly Detail[]) {
    super(code, message)
    this.details = details
  }
}

/** A temporary failure, with the time to wait before a retry. */
export class WaitError extends AppError {
  readonly retryAfterSeconds: number

  constructor(code: ErrorCode, message: string, retryAfterSeconds: number) {
    super(code, message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const statuses: Partial<Record<ErrorCode, number>> = {
  'not-signed-in': 401,
  'sign-in-wrong': 401,
  forbidden: 403,
  'cross-site': 403,
  'setup-key-wrong': 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  'address-taken': 409,
  'record-damaged': 410,
  'last-administrator': 409,
  'credentials-locked': 409,
  'body-too-large': 413,
  'type-unsupported': 415,
  'too-many-attempts': 429,
  'rate-limited': 429,
  'too-many-streams': 429,
  'too-many-reads': 429,
  'too-many-crawls': 429,
  'too-many-tries': 429,
  'address-refused': 400,
  'request-invalid': 400,
  'usage-wrong': 400,
  'cursor-invalid': 400,
  'url-invalid': 400,
  'file-invalid': 400,
  'not-available': 400,
  'store-full': 503,
  'store-locked': 503,
  'store-unreachable': 503,
  'store-unavailable': 503,
  'store-busy': 503,
  'store-read-only': 503,
  'store-failed': 503,
  'archive-busy': 503,
  'took-too-long': 503,
  'body-gone': 410,
}

/** The store's own messages name files and addresses; they go to the log only. */
const storeWords: Partial<Record<ErrorCode, string>> = {
  'store-full': 'the store is full; nothing can be written until space is freed',
  'store-unreachable': 'the store is not responding; try again in a moment',
  'store-unavailable': 'the store is not ready; try again in a moment',
  'store-busy': 'the store is busy; try again in a moment',
  'store-read-only': "the store can't be changed at the moment",
  'store-failed': 'the store is not responding; try again in a moment',
}

const MAX_MESSAGE = 500

export function answerProblems(server: FastifyInstance, allowedMethods: AllowedMethods): void {
  server.setErrorHandler((error: FastifyError, request, reply) => sendProblem(error, request, reply))
  // Answered before the body is read.
  server.addHook('onRequest', async (request, reply) => {
    if (request.is404) return sendNotFound(request, reply, allowedMethods)
  })
  server.setNotFoundHandler((request, reply) => sendNotFound(request, reply, allowedMethods))
}

function sendNotFound(request: FastifyRequest, reply: FastifyReply, allowedMethods: AllowedMethods): FastifyReply {
  const allowed = allowedMethods(request.url.split('?', 1)[0]!)
  const message = `no route for ${request.method} ${pathOf(request)}`
  if (allowed.length === 0) return sendProblem(new AppError('not-found', message), request, reply)
  reply.header('allow', allowed.join(', '))
  return sendProblem(new AppError('method-not-allowed', `${message}; allowed: ${allowed.join(', ')}`), request, reply)
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = isAppError(error) ? error : ofFramework(error as FastifyError)
  const status = known === null ? 500 : (statuses[known.code] ?? 500)
  if (status >= 500)
    request.log.error({ err: error, method: request.method, path: pathOf(request) }, 'a request failed')
  if (known instanceof WaitError) reply.header('retry-after', String(known.retryAfterSeconds))
  // Details of internal failures go to the log; their messages may contain confidential data.
  const isOurs = known !== null && status < 500
  const ours = isOurs || status === 503 ? known!.message.slice(0, MAX_MESSAGE) : 'internal error; see the server log'
  const message = (known === null ? undefined : storeWords[known.code]) ?? ours
  const details = detailsOf(known)
  return reply
    .status(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: { code: known?.code ?? 'internal', message, ...details } }))
}

function detailsOf(error: AppError | null): { details?: readonly Detail[] } {
  if (error instanceof DetailedError) return { details: error.details }
  // Others of this kind may name files of the server.
  return error instanceof InvalidInputError && error.code === 'request-invalid' ? { details: error.errors } : {}
}

function ofFramework(error: FastifyError): AppError | null {
  if (error.validation !== undefined) {
    const place = error.validationContext ?? 'request'
    const details = error.validation.map(({ instancePath, message }) => ({
      place: `${place}${instancePath.replaceAll('/', '.')}`,
      message: message ?? 'is invalid',
    }))
    return new DetailedError('request-invalid', `invalid ${place}`, details)
  }
  const { statusCode, message } = error
  if (statusCode === 413) return new AppError('body-too-large', 'the request body is too large')
  if (statusCode === 415) return new AppError('type-unsupported', 'unsupported media type')
  if (statusCode === 406) return new AppError('not-acceptable', message)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new AppError('request-invalid', message)
  return null
}

/** The path for messages and the log, without the secrets that follow these prefixes. */
function pathOf({ url }: FastifyRequest): string {
  return url
    .split('?', 1)[0]!
    .replace(/^(\/+(?:feeds|unsubscribe|wml)\/).*/i, '$1…')
    .slice(0, 200)
}

type ClientError = Error & { code?: string }

const reasons = new Map<string | undefined, [status: string, message: string]>([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'the URL and headers are too long']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'the request took too long to arrive']],
])

/** Malformed and oversized requests get an error in the same form as all others. */
export function answerClientError(error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET') return void socket.destroy(error)
  // Already answered: each further chunk of a malformed request causes another error.
  if (!socket.writable) return
  const [status, message] = reasons.get(error.code) ?? ['400 Bad Request', 'malformed HTTP request']
  const body = invalidRequest(message)
  const header = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ]
  socket.end(`${header.join('\r\n')}\r\n\r\n${body}`)
  socket.resume()
  linger(socket, MALFORMED_LINGER_MS)
}

function invalidRequest(message: string): string {
  return JSON.stringify({ error: { code: 'request-invalid', message } })
}

/** Responds to `Expect` headers other than `100-continue`. */
export function answerExpectations(server: Server): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const body = invalidRequest('this expectation is not supported')
    response
      .writeHead(417, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'x-content-type-options': 'nosniff',
      })
      .end(body)
  })
}

/** The methods that a path supports. */
type AllowedMethods = (path: string) => string[]

/** Records the routes added from now on, except catch-all routes such as the pages. */
export function listenForMethods(server: FastifyInstance): AllowedMethods {
  const patterns = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  server.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*')) return
    const known = patterns.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const each of [method].flat()) known.methods.add(each)
    patterns.set(url, known)
  })
  return (path) => {
    const found = new Set<string>()
    for (const { pattern, methods } of patterns.values())
      if (pattern.test(path)) for (const each of methods) found.add(each)
    return [...found].sort()
  }
}

function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')))
  return new RegExp(`^${parts.join('/')}/?$`)
}

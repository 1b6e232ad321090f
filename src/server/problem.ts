import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type ErrorCode, isAppError } from '../core/errors.ts'
import type { AllowedMethods } from './allowed-methods.ts'

export type Detail = { place: string; message: string }

/** A failure with several faults, all told at once. */
export class DetailedError extends AppError {
  readonly details: readonly Detail[]

  constructor(code: ErrorCode, message: string, details: readonly Detail[]) {
    super(code, message)
    this.details = details
  }
}

/** A failure that passes: when to come again. */
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
  'body-too-large': 413,
  'type-unsupported': 415,
  'too-many-attempts': 429,
  'rate-limited': 429,
  'too-many-streams': 429,
  'request-invalid': 400,
  'usage-wrong': 400,
  'cursor-invalid': 400,
  'url-invalid': 400,
  'file-invalid': 400,
  'not-available': 400,
  'store-full': 503,
  'store-locked': 503,
  'store-unreachable': 503,
  'store-failed': 503,
  'archive-busy': 503,
  'took-too-long': 503,
  'body-gone': 410,
}

/** What the store itself says names files and addresses; that is for the log. */
const storeWords: Partial<Record<ErrorCode, string>> = {
  'store-full': 'there is no room left in the store; nothing can be written until there is',
  'store-unreachable': 'the store does not answer at the moment; ask again in a moment',
  'store-failed': 'the store does not answer at the moment; ask again in a moment',
}

const MAX_MESSAGE = 500

export function answerProblems(server: FastifyInstance, allowedMethods: AllowedMethods): void {
  server.setErrorHandler((error: FastifyError, request, reply) => sendProblem(error, request, reply))
  server.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(request.url.split('?', 1)[0]!)
    const message = `there is no ${request.method} ${pathOf(request)}`
    if (allowed.length === 0) return sendProblem(new AppError('not-found', message), request, reply)
    reply.header('allow', allowed.join(', '))
    return sendProblem(new AppError('method-not-allowed', `${message}, but ${allowed.join(', ')}`), request, reply)
  })
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = isAppError(error) ? error : ofFramework(error as FastifyError)
  const status = known === null ? 500 : (statuses[known.code] ?? 500)
  if (status >= 500)
    request.log.error({ err: error, method: request.method, path: pathOf(request) }, 'a request failed')
  if (known instanceof WaitError) reply.header('retry-after', String(known.retryAfterSeconds))
  // What went wrong inside is for the log; messages of unknown failures may hold what nobody outside should read.
  const isOurs = known !== null && status < 500
  const ours = isOurs || status === 503 ? known!.message.slice(0, MAX_MESSAGE) : 'something went wrong inside'
  const message = (known === null ? undefined : storeWords[known.code]) ?? ours
  const details = known instanceof DetailedError ? { details: known.details } : {}
  return reply
    .status(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: { code: known?.code ?? 'internal', message, ...details } }))
}

function ofFramework(error: FastifyError): AppError | null {
  if (error.validation !== undefined) {
    const place = error.validationContext ?? 'request'
    const details = error.validation.map(({ instancePath, message }) => ({
      place: `${place}${instancePath.replaceAll('/', '.')}`,
      message: message ?? 'is wrong',
    }))
    return new DetailedError('request-invalid', `the ${place} is not as the API describes it`, details)
  }
  const { statusCode, message } = error
  if (statusCode === 413) return new AppError('body-too-large', 'the body is larger than the limit')
  if (statusCode === 415) return new AppError('type-unsupported', 'the body is of a media type that is not read here')
  if (statusCode === 406) return new AppError('not-acceptable', message)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new AppError('request-invalid', message)
  return null
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0]!.slice(0, 200)
}

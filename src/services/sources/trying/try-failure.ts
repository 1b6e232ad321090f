import { AppError, type ErrorCode, errorCodes } from '../../../core/errors.ts'
import type { Source } from '../../../core/profile.ts'

/** Why a source can't be read, in words for its owner, and the field at fault. */
export type TryFailure = {
  code: ErrorCode | 'blocked-by-robots'
  message: string
  field: 'uri' | 'credentials' | 'render'
}

/** robots.txt forbids the fetch. Elsewhere that is an outcome of a visit, not an error. */
export class RobotsRefusal extends Error {}

const MAX_MESSAGE = 400
const browserCodes: ReadonlySet<ErrorCode> = new Set([
  ...(['browser-missing', 'browser-busy', 'browser-failed', 'step-failed'] as const),
])

/** Replacements for messages that come from a library or the network; all others are already written for the owner. */
const ownWords = new Map<ErrorCode, (host: string) => string>([
  ['dns-not-found', (host) => `There is no host named ${host}. Check the spelling of the address`],
  ['dns-failed', (host) => `The name ${host} can't be looked up right now. Try again in a moment`],
  [
    'address-refused',
    (host) =>
      `${host} is in a private network, from which nothing is fetched here. An administrator can allow it with the setting network.allow`,
  ],
  ['connect-refused', (host) => `Nothing answers at ${host}. Check the address and the port`],
  ['connect-timeout', (host) => `${host} doesn't answer. Check the address and the port`],
  ['connect-failed', (host) => `${host} closed the connection. Check the port, and whether it expects TLS`],
  ['tls-failed', (host) => `There is no secure connection with ${host}: its certificate or its TLS isn't accepted`],
  ['total-timeout', () => 'Reading it took too long, so it was stopped'],
  ['header-timeout', (host) => `${host} took too long to answer`],
  ['body-timeout', (host) => `${host} stopped in the middle of its answer`],
])
const plainCodes: ReadonlySet<ErrorCode> = new Set([
  ...(['header-too-large', 'http-malformed', 'body-short', 'http-incomplete', 'decode-failed'] as const),
  ...(['redirect-limit', 'redirect-refused', 'internal'] as const),
])

export function failureOf(error: unknown, { uri }: Pick<Source, 'uri'>): TryFailure {
  const host = URL.parse(uri)?.host || 'this address'
  if (error instanceof RobotsRefusal)
    return {
      code: 'blocked-by-robots',
      message: `The robots.txt of ${host} doesn't allow fetching this page. Ask the site's owner, or watch another page.`,
      field: 'uri',
    }
  const { code, message } = asAppError(error)
  return { code, message: sentence(wordsOf(code, message, host)), field: fieldOf(code) }
}

function fieldOf(code: ErrorCode): TryFailure['field'] {
  if (code === 'sign-in-failed') return 'credentials'
  return browserCodes.has(code) ? 'render' : 'uri'
}

function wordsOf(code: ErrorCode, message: string, host: string): string {
  const own = ownWords.get(code)
  if (own !== undefined) return own(host)
  if (code === 'sign-in-failed') return /^sign-in failed/i.test(message) ? message : `sign-in failed: ${message}`
  return plainCodes.has(code) ? `It can't be read: ${errorCodes[code].means}` : message
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return new AppError('total-timeout', 'reading took too long', { cause: error })
  // The message of a library may quote a password.
  const name = error instanceof Error ? error.name : typeof error
  return new AppError('protocol-failed', `reading failed (${name})`, { cause: error })
}

function sentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE)
  const begun = line.slice(0, 1).toUpperCase() + line.slice(1)
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}

import { AppError } from '../../core/errors.ts'

/**
 * What `/web/…` asks for: a time and an address. `list` and `timemap`: all captures, for people (`*`) or programs (`timemap/link`).
 * `frame`: the page alone, without the banner (`if_` after the time). `last`: the last capture, if there is no time.
 */
export type ReplayPath =
  | { kind: 'page'; time: string; at: number; url: string }
  | { kind: 'frame'; time: string; at: number; url: string }
  | { kind: 'last'; url: string }
  | { kind: 'list'; url: string }
  | { kind: 'timemap'; url: string }

const maxAddress = 8192

/** `rest` is the request path after `/web/`, with its query. Throws `request-invalid`. */
export function readReplayPath(rest: string): ReplayPath {
  if (rest.startsWith('timemap/link/')) return { kind: 'timemap', url: addressOf(rest.slice('timemap/link/'.length)) }
  const [first = ''] = rest.split('/', 1)
  const behind = rest.slice(first.length + 1)
  if (first === '*') return { kind: 'list', url: addressOf(behind) }
  const found = /^(\d{4,14})(if_)?$/.exec(first)
  if (found === null) {
    if (/^[\d*]/.test(first) && !first.includes('.')) throw wrongTime(first)
    return { kind: 'last', url: addressOf(rest) }
  }
  const [, time = '', frame] = found
  const at = endOf(time)
  if (at === null) throw wrongTime(first)
  return { kind: frame === undefined ? 'page' : 'frame', time, at, url: addressOf(behind) }
}

function wrongTime(text: string): AppError {
  const shown = text.slice(0, 40)
  return new AppError(
    'request-invalid',
    `${shown} is not a time: 2026, 202611, 20261101 … 20261101123000, or * for a list`,
  )
}

/** Proxies collapse two slashes into one; people omit the scheme. */
function addressOf(text: string): string {
  if (text.length > maxAddress)
    throw new AppError('request-invalid', `the address has more than ${maxAddress} characters`)
  const whole = text.replace(/^([a-z][a-z0-9+.-]*):\/+/i, '$1://')
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(whole) ? whole : `https://${whole}`)
  if (url === null || url.hostname === '')
    throw new AppError('request-invalid', 'the address of a page must follow the time')
  url.username = url.password = url.hash = ''
  return url.href
}

/** The last millisecond of the period named by the digits: a year, a month, … a second. Null if there is no such time. */
export function endOf(digits: string): number | null {
  if (digits.length % 2 !== 0 || digits.length < 4 || digits.length > 14) return null
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = [
    Number(digits.slice(0, 4)),
    ...(digits.slice(4).match(/../g) ?? []).map(Number),
  ]
  const start = Date.UTC(year, month - 1, day, hour, minute, second)
  if (year < 1000 || timeDigits(start).slice(0, digits.length) !== digits) return null
  const next = [
    Date.UTC(year + 1, 0),
    Date.UTC(year, month),
    start + 86_400_000,
    start + 3_600_000,
    start + 60_000,
    start + 1000,
  ][(digits.length - 4) / 2]!
  return next - 1
}

/** Fourteen digits, in UTC. */
export function timeDigits(ms: number): string {
  return new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14)
}

export function replayPath(at: number | '*', url: string, modifier: '' | 'if_' = ''): string {
  return `/web/${at === '*' ? at : timeDigits(at)}${modifier}/${url}`
}

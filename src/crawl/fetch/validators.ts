import { parseHttpDate } from '../../core/http/http-date.ts'
import { headerList, headerValue } from './fetch-result.ts'

/** Validators of a response, for later conditional requests. */
export type Validators = { etag: string; lastModified: string }

const MAX_LENGTH = 1024
const YEAR_MS = 365 * 86_400_000

/**
 * An entity tag is taken as it is. A date is used only if it is a valid HTTP date at least a second before the answer:
 * a page modified within the second of the answer may be modified again within it and keep its date (RFC 9110,
 * 8.8.2.2), and a date in the future means that the clock behind it can't be trusted.
 */
export function validatorsOf(rawHeaders: readonly string[], at: number): Validators {
  const etag = headerValue(rawHeaders, 'etag')?.trim() ?? ''
  const lastModified = headerValue(rawHeaders, 'last-modified')?.trim() ?? ''
  const modifiedAt = lastModified === '' ? null : parseHttpDate(lastModified)
  const isSound = modifiedAt !== null && modifiedAt <= answeredAt(rawHeaders, at) - 1000
  return { etag: etag.length > MAX_LENGTH ? '' : etag, lastModified: isSound ? lastModified : '' }
}

/** Time until which the server calls the response fresh, at most a year ahead; 0 if it says nothing valid. */
export function freshUntil(rawHeaders: readonly string[], at: number): number {
  const control = headerList(rawHeaders, 'cache-control')?.toLowerCase()
  if (control !== undefined) {
    if (/(?:^|[\s,])no-(?:store|cache)(?:$|[\s,=])/.test(control)) return 0
    const seconds = /(?:^|[\s,])max-age="?(\d{1,10})/.exec(control)?.[1]
    if (seconds !== undefined) return seconds === '0' ? 0 : at + Math.min(Number(seconds) * 1000, YEAR_MS)
  }
  const stated = headerValue(rawHeaders, 'expires')
  const expires = stated === undefined ? null : parseHttpDate(stated)
  // Relative to the server's clock, which may differ from ours.
  const leftMs = expires === null ? 0 : expires - answeredAt(rawHeaders, at)
  return leftMs <= 0 ? 0 : at + Math.min(leftMs, YEAR_MS)
}

/** Caches the last date parsed: all answers within a second have the same. */
let lastDate = ''
let lastMoment: number | null = null

function answeredAt(rawHeaders: readonly string[], at: number): number {
  const date = headerValue(rawHeaders, 'date') ?? ''
  if (date !== lastDate) {
    lastMoment = parseHttpDate(date)
    lastDate = date
  }
  return lastMoment ?? Math.floor(at / 1000) * 1000
}

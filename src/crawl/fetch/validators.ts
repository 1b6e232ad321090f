import { parseHttpDate } from '../../core/http/http-date.ts'
import { headerList, headerValue } from './fetch-result.ts'

/** What of a response can be used to ask later whether it still holds. */
export type Validators = { etag: string; lastModified: string }

const MAX_LENGTH = 1024
const YEAR_MS = 365 * 86_400_000

/**
 * An entity tag is taken as it is. A date only if it is one of HTTP's and lies at least a second before the answer:
 * what was modified within the second of the answer may be modified again within it and keep its date (RFC 9110,
 * 8.8.2.2), and a date in the future says that the clock which made it can't be trusted.
 */
export function validatorsOf(rawHeaders: readonly string[], at: number): Validators {
  const etag = headerValue(rawHeaders, 'etag')?.trim() ?? ''
  const lastModified = headerValue(rawHeaders, 'last-modified')?.trim() ?? ''
  const modifiedAt = lastModified === '' ? null : parseHttpDate(lastModified)
  const isSound = modifiedAt !== null && modifiedAt <= answeredAt(rawHeaders, at) - 1000
  return { etag: etag.length > MAX_LENGTH ? '' : etag, lastModified: isSound ? lastModified : '' }
}

/** Until when the server calls the response fresh, at most a year ahead; 0 when it says nothing that can be understood. */
export function freshUntil(rawHeaders: readonly string[], at: number): number {
  const control = headerList(rawHeaders, 'cache-control')?.toLowerCase()
  if (control !== undefined) {
    if (/(?:^|[\s,])no-(?:store|cache)(?:$|[\s,=])/.test(control)) return 0
    const seconds = /(?:^|[\s,])max-age="?(\d{1,10})/.exec(control)?.[1]
    if (seconds !== undefined) return seconds === '0' ? 0 : at + Math.min(Number(seconds) * 1000, YEAR_MS)
  }
  const stated = headerValue(rawHeaders, 'expires')
  const expires = stated === undefined ? null : parseHttpDate(stated)
  // By the server's own clock, which need not be ours.
  const leftMs = expires === null ? 0 : expires - answeredAt(rawHeaders, at)
  return leftMs <= 0 ? 0 : at + Math.min(leftMs, YEAR_MS)
}

/** The date of the last answer: all answers of a second have the same. */
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

import { AppError } from '../../core/errors.ts'

/** Fields that frame the message or the connection: a caller that set them could forge either. */
const framing = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
  'proxy-connection',
])
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const illegalInValue = /[^\t\x20-\x7e\x80-\xff]/

export type RequestHeaders = { kind: 'headers'; flat: string[] } | { kind: 'refused'; message: string }

/**
 * Writes name, value, … for one request; what a request sets itself replaces a default of the same name. The defaults
 * alone are written once, since most requests add nothing.
 */
export function createHeaderWriter(defaults: Record<string, string>) {
  const alone = write([], defaults, new Set())
  if (alone.kind === 'refused') throw new AppError('config-invalid', alone.message)

  return (own: Record<string, string> | undefined): RequestHeaders => {
    if (own === undefined) return alone
    const given = new Set<string>()
    const written = write([], own, given)
    return written.kind === 'refused' ? written : write(written.flat, defaults, given)
  }
}

/** Adds the fields that are not given yet, and notes them. */
function write(flat: string[], fields: Record<string, string>, given: Set<string>): RequestHeaders {
  const before = new Set(given)
  for (const [name, value] of Object.entries(fields)) {
    const lower = name.toLowerCase()
    if (before.has(lower)) continue
    if (framing.has(lower)) return { kind: 'refused', message: `the header ${name} is not the caller's to set` }
    if (!token.test(name)) return { kind: 'refused', message: `${JSON.stringify(name)} is not a header name` }
    if (illegalInValue.test(value)) {
      return { kind: 'refused', message: `the header ${name} holds characters that a header must not hold` }
    }
    given.add(lower)
    flat.push(name, value)
  }
  return { kind: 'headers', flat }
}

import { AppError } from '../../core/errors.ts'
import type { PageOfRows } from './json-rows.ts'
import type { QueryUrl } from './query-url.ts'

/** A request; `body` is null for a GET. */
export type Asked = { url: string; body: string | null }

/** Null if there is no further page. */
export type NextRequest = { kind: 'asked'; asked: Asked } | { kind: 'elsewhere' } | null

/** The request for the page after one that came from `url`. */
export function nextRequest(asked: Asked, url: string, query: QueryUrl, found: PageOfRows): NextRequest {
  if (query.next !== null) {
    if (found.next === null) return null
    if (query.page !== '') return { kind: 'asked', asked: withParameter(asked, query, () => found.next!) }
    const link = URL.parse(found.next, url)
    if (link === null) return null
    link.hash = ''
    if (link.origin !== new URL(query.url).origin) return { kind: 'elsewhere' }
    return { kind: 'asked', asked: { ...asked, url: link.href } }
  }
  if (query.page === '' || found.rows.length === 0) return null
  return { kind: 'asked', asked: withParameter(asked, query, countedUp) }
}

/** The first page is 1 by default. */
function countedUp(given: string | null): string {
  const page = given === null || given === '' ? 1 : Number(given)
  if (!Number.isSafeInteger(page))
    throw new AppError('query-refused', 'the parameter that counts pages is not a whole number')
  return String(page + 1)
}

/** Sets the parameter in the body if it is there, otherwise in the URL. */
function withParameter(
  { url, body }: Asked,
  { page: name, type }: QueryUrl,
  change: (given: string | null) => string,
): Asked {
  if (body !== null && type === 'json') {
    const record: unknown = JSON.parse(body)
    if (typeof record === 'object' && record !== null && !Array.isArray(record) && Object.hasOwn(record, name)) {
      const given = (record as Record<string, unknown>)[name]
      const next = change(given === null ? null : String(given))
      return { url, body: JSON.stringify({ ...record, [name]: typeof given === 'number' ? Number(next) : next }) }
    }
  }
  const form = new URLSearchParams(type === 'form' ? (body ?? '') : '')
  if (form.has(name)) {
    form.set(name, change(form.get(name)))
    return { url, body: form.toString() }
  }
  const target = new URL(url)
  target.searchParams.set(name, change(target.searchParams.get(name)))
  return { url: target.href, body }
}

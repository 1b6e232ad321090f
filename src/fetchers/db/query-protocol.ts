import { AppError } from '../../core/errors.ts'
import { decodeBody } from '../../core/http/decode-body.ts'
import { readJsonTree } from '../../core/text/blocks/json-blocks.ts'
import { readSource } from '../../core/text/text-source.ts'
import { createWorkBudget, isExhausted } from '../../core/work/work-budget.ts'
import type { FetchRequest, FetchResponse, FetchResult } from '../../crawl/fetch/fetch-result.ts'
import { headerList, headerValue, isWholeAnswer, locationOf } from '../../crawl/fetch/fetch-result.ts'
import type { List, Place, Protocol } from '../../crawl/fetch/protocol.ts'
import { headersOfSecret } from '../../crawl/fetch/web-secret.ts'
import { type PageOfRows, rowsOfJson } from './json-rows.ts'
import { type Asked, nextRequest } from './paging.ts'
import { type QueryUrl, querySchemes, readQueryUrl, writeQueryUrl } from './query-url.ts'
import { listOfRows, type Row } from './rows.ts'

export type QueryProtocolOptions = {
  /** The crawler's fetch, with its resolver, address guard and limits. */
  fetch(request: FetchRequest): Promise<FetchResult>
  /** Whether robots.txt and the like allow a further page, or the target of a redirect. */
  mayFetch?(url: string): Promise<boolean>
}

const maxRedirects = 5
/** Work budget of the selectors for one page. */
const maxSteps = 10_000_000
const contentTypes = { '': '', form: 'application/x-www-form-urlencoded', json: 'application/json' }

type Answer = { response: FetchResponse; url: string }

/** Lists of rows that websites return for queries: JSON, XML or HTML, over several pages. */
export function createQueryProtocol({ fetch, mayFetch = async () => true }: QueryProtocolOptions): Protocol {
  /** Follows redirects of GETs; credentials are sent only to the origin they are for. */
  async function ask(asked: Asked, query: QueryUrl, place: Place, validators: Record<string, string>): Promise<Answer> {
    let { url } = asked
    for (let hops = 0; ; hops++) {
      const isHome = new URL(url).origin === new URL(query.url).origin
      const result = await fetch({
        url,
        headers: {
          accept:
            query.rows.selector.kind === 'json'
              ? 'application/json, */*;q=0.5'
              : 'text/html, application/xml, */*;q=0.5',
          ...(asked.body !== null && { 'content-type': contentTypes[query.type] }),
          ...validators,
          ...(isHome && place.secret !== null && headersOfSecret(place.secret)),
        },
        ...(asked.body !== null && { body: Buffer.from(asked.body) }),
        anyType: true,
        maxBodyBytes: place.limits.maxBodyBytes,
      })
      if (result.kind === 'failed') throw new AppError(result.code, result.message, { retry: result.retry })
      if (result.kind === 'skipped') throw new AppError('internal', 'the body was not read')
      const { status } = result
      if (status < 300 || status >= 400 || status === 304) {
        refuseStatus(status, place.secret !== null)
        if (status !== 304 && !isWholeAnswer(status, result.body.length))
          throw new AppError('http-incomplete', `the server answered with ${status}: a part or a promise`)
        return { response: result, url }
      }
      url = await redirected(result, url, asked.body !== null, hops)
    }
  }

  async function redirected(
    { status, rawHeaders }: FetchResponse,
    url: string,
    isPost: boolean,
    hops: number,
  ): Promise<string> {
    if (isPost) throw new AppError('redirect-refused', `the server answered a POST with a redirect (${status})`)
    if (hops >= maxRedirects) throw new AppError('redirect-limit', `more than ${maxRedirects} redirects`)
    const target = URL.parse(locationOf(rawHeaders) ?? '', url)
    if (target === null || !/^https?:$/.test(target.protocol))
      throw new AppError('redirect-refused', 'the redirect leads nowhere')
    if (url.startsWith('https:') && target.protocol === 'http:')
      throw new AppError('redirect-refused', 'the redirect leads from https to http')
    target.hash = ''
    if (!(await mayFetch(target.href)))
      throw new AppError('redirect-refused', 'the redirect leads to a page that must not be fetched')
    return target.href
  }

  async function look(
    query: QueryUrl,
    place: Place,
    cursor: string,
    onAddress: (address: string) => void,
  ): Promise<List> {
    const left: string[] = []
    const rows: Row[] = []
    const seen = new Set<string>()
    const { maxItems, maxBodyBytes } = place.limits
    const known = query.pages === 1 ? readCursor(cursor, maxBodyBytes) : null
    let asked: Asked = { url: query.url, body: query.method === 'POST' ? query.body : null }
    let isCapped = false
    let version: Cursor | null = null
    for (let page = 1; ; page++) {
      if (place.signal.aborted) throw new AppError('total-timeout', 'the time for the visit was over')
      seen.add(JSON.stringify(asked))
      const { response, url } = await ask(asked, query, place, asked.body === null ? conditionsOf(known) : {})
      onAddress(response.address)
      if (response.status === 304 && known !== null) return unchanged(query, cursor, known)
      const { body, cut } = await bodyOf(response, maxBodyBytes)
      const found = await rowsOf(body, headerValue(response.rawHeaders, 'content-type'), cut !== null, query)
      const why = cut ?? (found.isCut ? 'has more than is looked at' : null)
      if (why !== null) left.push(`page ${page} ${why}`)
      if (why !== null && found.rows.length === 0 && rows.length === 0)
        throw new AppError('query-refused', `page ${page} ${why}, and has no whole row before`)
      isCapped ||= why !== null || rows.length + found.rows.length > maxItems
      rows.push(...found.rows.slice(0, maxItems - rows.length))
      version = query.pages === 1 && response.truncated !== 'time' ? cursorOf(response) : null
      if (version !== null && cut !== null) version.cutAt = maxBodyBytes
      const next = nextRequest(asked, url, query, found)
      if (next === null || (next.kind === 'asked' && seen.has(JSON.stringify(next.asked)))) break
      if (rows.length >= maxItems) {
        isCapped = true
        break
      }
      if (next.kind === 'elsewhere' || page >= query.pages || !(await mayFetch(next.asked.url))) {
        isCapped = true
        if (next.kind === 'elsewhere') left.push('the next page is on another host and was not read')
        else
          left.push(
            page >= query.pages
              ? `only the first ${page} pages were read`
              : `page ${page + 1} must not be fetched (robots.txt)`,
          )
        break
      }
      asked = next.asked
    }
    const { url, key, title } = { ...query, url: place.url }
    const list = listOfRows({ url, name: nameOf(query), key, title, rows, isCapped, maxBodyBytes, left })
    return { ...list, cursor: version === null ? '' : JSON.stringify({ ...version, left: list.left }) }
  }

  return {
    schemes: querySchemes,
    can: { revalidate: true, push: false, depth: false, credentials: 'optional' },
    normalise: (url) => writeQueryUrl(readQueryUrl(url)),
    async open(place) {
      const query = readQueryUrl(place.url)
      let address = ''
      return {
        get address() {
          return address
        },
        look: (cursor) =>
          look(query, place, cursor, (given) => {
            address = given
          }),
        async read({ body }) {
          if (body === undefined) throw new AppError('not-found', 'rows come with their list')
          return body
        },
        async close() {},
      }
    },
    async close() {},
  }
}

function refuseStatus(status: number, isSignedIn: boolean): void {
  if (status < 400) return
  const message = `the server answered with ${status}`
  if (status === 401 || status === 407 || (status === 403 && isSignedIn)) throw new AppError('sign-in-failed', message)
  if (status === 404 || status === 410) throw new AppError('not-found', message)
  if (status >= 500) throw new AppError('http-server-error', message)
  throw new AppError('http-client-error', message, { retry: status === 429 || status === 408 ? 'later' : 'never' })
}

/** `cut`: why the body is truncated; null if it isn't. */
async function bodyOf(
  { body, rawHeaders, truncated }: FetchResponse,
  maxBytes: number,
): Promise<{ body: Buffer; cut: string | null }> {
  const decoded = await decodeBody(body, headerList(rawHeaders, 'content-encoding'), maxBytes)
  if (decoded.kind === 'failed') throw new AppError(decoded.code, decoded.message)
  if (truncated === 'time') return { body: decoded.body, cut: 'took too long and was cut' }
  const isCut = decoded.truncated || truncated === 'length'
  return { body: decoded.body, cut: isCut ? `is longer than ${maxBytes} bytes and was cut` : null }
}

async function rowsOf(
  body: Buffer,
  contentType: string | undefined,
  isCut: boolean,
  query: QueryUrl,
): Promise<PageOfRows> {
  const isJson = query.rows.selector.kind === 'json'
  const source = readSource(body, isJson && !/json|text/i.test(contentType ?? '') ? 'application/json' : contentType)
  if (source === null) throw new AppError('query-refused', 'the answer has no text to look for rows in')
  const budget = createWorkBudget(maxSteps)
  try {
    if (isJson) {
      const tree = readJsonTree(source.page, isCut || source.isCut)
      if (tree === null) throw new AppError('query-refused', 'the answer is not JSON')
      return rowsOfJson(tree, query, budget)
    }
    const { rowsOfPage } = await import('./page-rows.ts')
    const isXml = source.kind === 'xml' || source.kind === 'xhtml'
    return rowsOfPage({ text: source.page.toString('utf8'), isXml, isCut: isCut || source.isCut }, query, budget)
  } catch (error) {
    if (isExhausted(error)) throw new AppError('query-refused', 'the answer is too large for these selectors')
    throw error
  }
}

/** Validators of the last response. `cutAt`: the limit at which it was truncated; with another limit, the list is different. */
type Cursor = { etag: string; modified: string; left: string; cutAt?: number }

function cursorOf({ rawHeaders }: FetchResponse): Cursor | null {
  const [etag, modified] = [headerValue(rawHeaders, 'etag') ?? '', headerValue(rawHeaders, 'last-modified') ?? '']
  return etag + modified === '' ? null : { etag, modified, left: '' }
}

function readCursor(text: string, maxBodyBytes: number): Cursor | null {
  try {
    const { etag, modified, left, cutAt = maxBodyBytes } = JSON.parse(text) as Cursor
    const isCursor = [etag, modified, left].every((each) => typeof each === 'string')
    return isCursor && cutAt === maxBodyBytes ? { etag, modified, left } : null
  } catch {
    return null
  }
}

function conditionsOf(known: Cursor | null): Record<string, string> {
  const { etag = '', modified = '' } = known ?? {}
  return { ...(etag !== '' && { 'if-none-match': etag }), ...(modified !== '' && { 'if-modified-since': modified }) }
}

/** A list that changes nothing that is stored. */
function unchanged(query: QueryUrl, cursor: string, { left }: Cursor): List {
  return { kind: 'list', title: nameOf(query), items: [], lists: [], isWhole: false, cursor, hasMore: false, left }
}

function nameOf({ url }: QueryUrl): string {
  const { host, pathname } = new URL(url)
  return host + pathname
}

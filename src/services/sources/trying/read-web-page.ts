import { AppError } from '../../../core/errors.ts'
import { decodeBody } from '../../../core/http/decode-body.ts'
import {
  type FetchResponse,
  type FetchResult,
  headerList,
  headerValue,
  isWholeAnswer,
  locationOf,
} from '../../../crawl/fetch/fetch-result.ts'
import type { Secret } from '../../../crawl/fetch/protocol.ts'
import { headersOfSecret } from '../../../crawl/fetch/web-secret.ts'
import type { RobotsLoad } from '../../../crawl/worker/visit/robots-gate.ts'
import type { Reach } from './reach.ts'
import type { TriedDocument } from './tried-content.ts'
import { RobotsRefusal } from './try-failure.ts'

const MAX_REDIRECTS = 5

export type WebPage = TriedDocument & Pick<FetchResponse, 'rawHeaders'>

/** Reads a web page, following redirects. Credentials are sent only to the origin they were given for. */
export async function readWebPage(
  start: string,
  { reach, secret }: { reach: Reach; secret: Secret | null },
): Promise<WebPage> {
  const { origin } = new URL(start)
  const signIn = secret === null ? {} : headersOfSecret(secret)
  let url = start.replace(/#.*/s, '')
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    await robotsRefusal(url, reach)
    const isOwn = new URL(url).origin === origin
    const { maxBodyBytes } = reach.limits
    const result = await reach.fetch({ url, maxBodyBytes, ...(isOwn && { headers: signIn }) })
    const response = answered(result, secret !== null && isOwn)
    if (response.status < 300) return documentOf(url, response, maxBodyBytes)
    url = targetOf(url, response)
  }
  throw new AppError('redirect-limit', 'too many redirects in a row')
}

/** Throws if robots.txt forbids the URL, or can't be read. */
export async function robotsRefusal(url: string, { robots }: Pick<Reach, 'robots'>): Promise<void> {
  if (robots === null) return
  const { gate, agent } = robots
  const { origin } = new URL(url)
  const known = gate.peek(origin)
  const load: RobotsLoad = known === null ? await gate.load(origin) : { kind: 'kept', rules: known }
  if (load.kind !== 'unreachable') {
    if (!load.rules.isAllowed(agent, url)) throw new RobotsRefusal()
    return
  }
  const { result } = load
  if (result.kind === 'failed') throw new AppError(result.code, result.message)
  const { host } = new URL(url)
  throw new AppError('http-server-error', `the robots.txt of ${host} can't be read, so nothing is fetched from it`)
}

function answered(result: FetchResult, isSignedIn: boolean): FetchResponse {
  if (result.kind === 'failed') throw new AppError(result.code, result.message)
  const { status, rawHeaders } = result
  if (result.kind === 'skipped')
    throw new AppError('not-available', `pages of this type (${headerValue(rawHeaders, 'content-type')}) aren't read`)
  if (status === 401 || (status === 403 && isSignedIn))
    throw new AppError(
      'sign-in-failed',
      isSignedIn
        ? `the server refused the credentials (status ${status})`
        : `the page requires signing in (status ${status})`,
    )
  if (status === 404 || status === 410)
    throw new AppError('not-found', `there is no such page (status ${status}). Check the address`)
  if (status >= 500) throw new AppError('http-server-error', `the server responds with an error (status ${status})`)
  if (status >= 400) throw new AppError('http-client-error', `the server denies access to the page (status ${status})`)
  const isRedirect = status >= 300 && headerValue(rawHeaders, 'location') !== undefined
  if (!isRedirect && !isWholeAnswer(status, result.body.length))
    throw new AppError('http-incomplete', `the server answered with status ${status}`)
  return result
}

function targetOf(url: string, { rawHeaders }: FetchResponse): string {
  const target = URL.parse(locationOf(rawHeaders)?.trim() ?? '', url)
  if (target === null || !/^https?:$/.test(target.protocol) || target.username !== '' || target.password !== '')
    throw new AppError('redirect-refused', 'the page leads to an address that is not followed')
  target.hash = ''
  return target.href
}

async function documentOf(url: string, { body, rawHeaders, truncated }: FetchResponse, maxBytes: number) {
  const decoded = await decodeBody(body, headerList(rawHeaders, 'content-encoding'), maxBytes)
  if (decoded.kind === 'failed') throw new AppError(decoded.code, decoded.message)
  const contentType = headerValue(rawHeaders, 'content-type')
  return { url, body: decoded.body, contentType, rawHeaders, isCut: truncated !== null || decoded.truncated }
}

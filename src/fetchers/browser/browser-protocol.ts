import type { Config } from '../../config/config.ts'
import { AppError } from '../../core/errors.ts'
import { formatRenderSteps, namesSecret, parseRenderSteps, renderMark } from '../../core/url/render-steps.ts'
import type { Item, ItemBody, Place, Protocol, ProtocolTools, Session } from '../../crawl/fetch/protocol.ts'
import { headersOfSecret } from '../../crawl/fetch/web-secret.ts'
import { createBrowserPool } from './browser-pool.ts'
import { startChromium } from './chromium.ts'
import { findBrowser } from './find-browser.ts'
import { type Rendered, type VisitCounts, type VisitOrder, visitPage } from './page-visit.ts'
import { type RefusingProxy, startRefusingProxy } from './refusing-proxy.ts'

/** `fetch` makes all requests of the pages; `mayFetch` is called before each. A page makes many requests at once, to few hosts. */
export type BrowserProtocolOptions = Pick<ProtocolTools, 'fetch' | 'mayFetch' | 'browserPages' | 'log'> & {
  config: Config['browser']
  /** Called with the size on the wire of every response. */
  note?(bytes: number): void
  /** User agent that scripts see; '' for the browser's own. Requests have that of the client. */
  userAgent?: string
}

/** `started` counts browsers; some of them were `killed` because they hung or took too much memory. */
export type BrowserCounts = VisitCounts & { visits: number; started: number }

export type BrowserProtocol = Protocol & { readonly counts: Readonly<BrowserCounts> }

/** On a busy machine, a browser takes long to start. */
const launchTimeoutMs = 60_000
const limits = { maxRequests: 500, maxPageBytes: 50 << 20, maxBodyBytes: 10 << 20, maxMainDocuments: 20 }

/** Pages as a browser shows them after their scripts have run. Every visit reads the page again; there is no revalidation. */
export function createBrowserProtocol(options: BrowserProtocolOptions): BrowserProtocol {
  const { config } = options
  const { timeoutMs, memoryBytes: maxMemoryBytes, maxPages, keepForMs, executable, cdp } = config
  const counts: BrowserCounts = { visits: 0, started: 0, windows: 0, requests: 0, refused: 0, bytes: 0, killed: 0 }
  let proxy: Promise<RefusingProxy> | null = null
  const settings = {
    fetch: options.fetch,
    mayFetch: options.mayFetch,
    note: options.note ?? (() => {}),
    userAgent: options.userAgent ?? '',
    timeoutMs,
    maxMemoryBytes,
    limits,
    log: options.log,
  }
  const pool = createBrowserPool({
    async start() {
      proxy ??= startRefusingProxy()
      const { url: proxyUrl } = await proxy
      counts.started++
      return startChromium({ executable, cdp, proxyUrl, launchTimeoutMs })
    },
    takePage: () => options.browserPages.take(maxPages),
    returnPage: options.browserPages.giveBack,
    keepForMs,
    maxIdleBytes: maxMemoryBytes / 2,
  })

  return {
    schemes: ['http', 'https'],
    can: { revalidate: false, push: false, depth: false, credentials: 'optional' },
    counts,
    normalise,
    async open(place) {
      if (cdp === '') findBrowser(executable)
      const order = orderOf(place)
      const session = createSession(place.url, () =>
        pool.use(place.signal, (browser) => {
          counts.visits++
          return visitPage(browser, order, settings, counts)
        }),
      )
      // Signing in is part of opening; whether it worked is only known once the page was loaded.
      if (place.secret !== null) await session.look('')
      return session
    },
    async close() {
      await pool.close()
      await (await proxy)?.close()
      proxy = null
    },
  }
}

function createSession(url: string, visit: () => Promise<Rendered>): Session {
  let visited: Promise<Rendered> | null = null
  const rendered = () => {
    visited ??= visit()
    return visited
  }
  return {
    address: '',
    async look() {
      const { title } = await rendered()
      return { kind: 'item', item: { url, name: title === '' ? url : title, validator: '' } }
    },
    async read(item) {
      return bodyOf(item, await rendered())
    },
    async close() {},
  }
}

function bodyOf({ url }: Item, { html, isCut, title, screenshot }: Rendered): ItemBody {
  const picture = screenshot && {
    url: `${url}#screenshot`,
    name: 'screenshot.png',
    validator: '',
    body: { type: 'image/png', body: screenshot, isCut: false },
    role: 'silent' as const,
  }
  return { type: 'text/html; charset=utf-8', body: html, isCut, title, parts: picture === null ? [] : [picture] }
}

function orderOf({ url, secret, signal, clock, limits: { maxBodyBytes } }: Place): VisitOrder {
  const parsed = pageOf(url)
  const steps = stepsOf(parsed)
  parsed.hash = ''
  const signIn = parseRenderSteps(secret !== null && Object.hasOwn(secret, 'steps') ? secret.steps! : '')
  const isTyped = signIn.length > 0 || steps.some((step) => step.kind === 'fill' && namesSecret(step.value))
  const headers = secret === null || isTyped ? {} : headersOfSecret(secret)
  return { url: parsed.href, steps, signIn, secret, headers, signal, clock, maxBodyBytes }
}

/** Steps in their canonical form; any other fragment is dropped. */
function normalise(url: string): string {
  const parsed = pageOf(url)
  const steps = formatRenderSteps(stepsOf(parsed))
  parsed.hash = ''
  return steps === '' ? parsed.href : parsed.href + renderMark + steps
}

const stepsOf = ({ hash }: URL) => (hash.startsWith(renderMark) ? parseRenderSteps(hash) : [])

function pageOf(url: string): URL {
  const parsed = /\p{Cc}/u.test(url) ? null : URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new AppError('url-invalid', "That isn't a web address (http or https)")
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new AppError('url-invalid', 'Give user and password as credentials of the source, not in its URL')
  }
  return parsed
}

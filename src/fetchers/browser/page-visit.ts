import { randomUUID } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import type { Clock } from '../../core/clock.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import type { RenderStep } from '../../core/url/render-steps.ts'
import { createWhileAlive, withinLimit } from '../../core/work/race.ts'
import type { ProtocolTools, Secret } from '../../crawl/fetch/protocol.ts'
import { endOf } from '../files/visit-end.ts'
import type { RunningBrowser } from './chromium.ts'
import { createPageSteps } from './page-steps.ts'
import {
  createPageTraffic,
  type PageTraffic,
  type TrafficDeps,
  type TrafficLimits,
  visitHeader,
} from './page-traffic.ts'
import { readContent, takeScreenshot, viewport } from './read-page.ts'

export type VisitOrder = {
  url: string
  steps: readonly RenderStep[]
  /** Steps that run first. */
  signIn: readonly RenderStep[]
  secret: Secret | null
  /** Sent with each request to the origin of the URL. */
  headers: Readonly<Record<string, string>>
  signal: AbortSignal
  clock: Clock
  maxBodyBytes: number
}

export type VisitSettings = Pick<TrafficDeps, 'fetch' | 'mayFetch' | 'note'> & {
  log: ProtocolTools['log']
  userAgent: string
  timeoutMs: number
  maxMemoryBytes: number
  limits: TrafficLimits
}

export type Rendered = {
  html: Buffer
  isCut: boolean
  title: string
  screenshot: Buffer | null
}

/** Counts over all visits, successful or not. */
export type VisitCounts = { windows: number; requests: number; refused: number; bytes: number; killed: number }

const maxWindows = 100
const memoryLookMs = 250
const closeContextMs = 3_000
const maxReadMs = 15_000
const readAttempts = 3
const busy = 'The page kept the browser busy for too long'

/**
 * One visit in a context of its own, which leaves nothing behind. A page that doesn't finish, or takes too much memory, is killed
 * together with its browser.
 */
export async function visitPage(
  running: RunningBrowser,
  order: VisitOrder,
  settings: VisitSettings,
  counts: VisitCounts,
): Promise<Rendered> {
  const { timeoutMs, maxMemoryBytes } = settings
  const readMs = Math.min(maxReadMs, timeoutMs / 2)
  const { promise: ended, reject: end } = Promise.withResolvers<never>()
  const whileAlive = createWhileAlive(ended)
  const endBy = (code: 'browser-failed' | 'total-timeout', message: string) => end(new AppError(code, message))
  const timer = setTimeout(() => endBy('browser-failed', busy), timeoutMs + 2 * readMs)
  const memory = setInterval(() => {
    if (running.memoryBytes() > maxMemoryBytes) endBy('browser-failed', 'The page took too much memory')
  }, memoryLookMs)
  const onAbort = () => end(endOf(order.signal))
  const onGone = () => endBy('browser-failed', 'The browser ended in the middle of the page')
  order.signal.addEventListener('abort', onAbort, { once: true })
  running.browser.on('disconnected', onGone)

  let context: BrowserContext | null = null
  let broken = ''
  let windows = 0
  try {
    if (order.signal.aborted) throw endOf(order.signal)
    const mark = running.isOwn ? '' : randomUUID()
    context = await whileAlive(openContext(running, settings.userAgent, mark))
    const page = await whileAlive(context.newPage())
    context.on('page', (window) => {
      counts.windows++
      if (++windows > maxWindows) endBy('browser-failed', `The page opened more than ${maxWindows} windows`)
      window.close().catch(() => {}) // closed by itself, or together with the browser
    })
    page.on('dialog', (dialog) => dialog.dismiss().catch(() => {}))
    page.on('crash', () => endBy('browser-failed', 'The page crashed'))
    return await whileAlive(render(running, page, mark, order, settings, counts, readMs))
  } catch (error) {
    if (isAppError(error, 'browser-failed') && error.retry === 'later') broken = error.message
    throw isAppError(error) ? error : new AppError('browser-failed', 'The browser failed')
  } finally {
    clearTimeout(timer)
    clearInterval(memory)
    order.signal.removeEventListener('abort', onAbort)
    running.browser.off('disconnected', onGone)
    if (broken === '' && !(await leave(running, context))) broken = 'The page could not be closed'
    if (broken !== '') {
      counts.killed++
      settings.log('warn', 'browser ended', { url: order.url, reason: broken })
      await running.kill()
    }
  }
}

async function openContext(running: RunningBrowser, userAgent: string, mark: string): Promise<BrowserContext> {
  return running.browser.newContext({
    viewport,
    serviceWorkers: 'block',
    acceptDownloads: false,
    permissions: [],
    locale: 'en',
    ...(userAgent === '' ? {} : { userAgent }),
    // A remote browser can't reach our proxy: requests that bypass us go to a port where nothing listens.
    ...(mark === '' ? {} : { extraHTTPHeaders: { [visitHeader]: mark }, proxy: { server: 'http://127.0.0.1:9' } }),
  })
}

async function render(
  running: RunningBrowser,
  page: Page,
  mark: string,
  order: VisitOrder,
  settings: VisitSettings,
  counts: VisitCounts,
  readMs: number,
): Promise<Rendered> {
  const { clock, secret, url } = order
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const mainFrameId = frameTree.frame.id
  const traffic = createPageTraffic({
    ...{ ...settings, mark, mainFrameId, clock },
    session: running.session,
    signIn: { origin: new URL(url).origin, headers: order.headers },
  })
  await running.answerRequests(traffic.answer)
  try {
    const { timeoutMs } = settings
    const deadline = clock.monotonic() + timeoutMs
    const steps = createPageSteps({ page, traffic, clock, deadline, timeoutMs, sourceUrl: url, secret })
    if (order.signIn.length > 0) {
      if (order.signIn[0]!.kind !== 'go') await steps.go(url)
      await steps.run(order.signIn, 'Sign-in step')
    }
    await steps.go(url)
    await steps.run(order.steps, 'Step')
    if (!isWait(order.steps.at(-1))) await steps.quiet()

    for (let attempt = 1; ; attempt++) {
      try {
        const content = await withinLimit(readContent(session, order.maxBodyBytes), readMs, () => {
          throw new AppError('browser-failed', busy)
        })
        steps.judge()
        const screenshot = await takeScreenshot(page, session, readMs)
        return { ...content, ...bodyOf(content, order, traffic), screenshot }
      } catch (error) {
        // The page has navigated to another one meanwhile, which is read instead.
        if (isAppError(error) || attempt === readAttempts || !page.context().browser()?.isConnected()) throw error
        await steps.quiet()
      }
    }
  } finally {
    counts.requests += traffic.counts.requests
    counts.refused += traffic.counts.refused
    counts.bytes += traffic.counts.bytes
  }
}

/** Sets the base of relative links to the page that was finally reached, without its query, which may contain what was typed. */
function bodyOf(
  content: { html: string; isCut: boolean; base: string },
  { url, maxBodyBytes }: VisitOrder,
  traffic: PageTraffic,
): Pick<Rendered, 'html' | 'isCut'> {
  const base = URL.parse(content.base)
  const hasOther = base !== null && /^https?:$/.test(base.protocol) && base.origin + base.pathname !== pathOf(url)
  const html =
    hasOther && !/<base\s[^>]*href/i.test(content.html.slice(0, 100_000))
      ? content.html.replace(/<head[^>]*>/i, (head) => `${head}<base href="${base.origin}${base.pathname}">`)
      : content.html
  const whole = Buffer.from(html)
  const isCut = content.isCut || whole.length > maxBodyBytes || traffic.main?.isCut === true
  return { html: whole.subarray(0, maxBodyBytes), isCut }
}

function pathOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

const isWait = (step: RenderStep | undefined): boolean =>
  step !== undefined && (step.kind === 'wait' || step.kind === 'pause' || step.kind === 'quiet')

/** False if the context could not be closed in time. */
async function leave(running: RunningBrowser, context: BrowserContext | null): Promise<boolean> {
  const left = async (): Promise<boolean> => {
    await context?.close()
    await running.answerRequests(null)
    return true
  }
  return withinLimit(
    left().catch(() => false),
    closeContextMs,
    () => false,
  )
}

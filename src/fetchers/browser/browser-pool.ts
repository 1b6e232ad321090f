import { AppError } from '../../core/errors.ts'
import { endOf } from '../files/visit-end.ts'
import type { RunningBrowser } from './chromium.ts'

/**
 * Browsers, one per open page, so that killing a page affects no other. A browser is
 *
 *   started ──> in use ──visit over──> idle ──next visit──> in use
 *                  │                    └──not used for `keepForMs`──> closed
 *                  └──killed, exited, or grown too large──> closed
 *
 * A visit fails with `browser-busy` if no page is free, and should be retried.
 */
export type BrowserPool = {
  use<T>(signal: AbortSignal, visit: (browser: RunningBrowser) => Promise<T>): Promise<T>
  /** Aborts visits in progress. */
  close(): Promise<void>
}

export type BrowserPoolOptions = {
  start(): Promise<RunningBrowser>
  /** False if this process has its maximum number of pages open. */
  takePage(): boolean
  returnPage(): void
  keepForMs: number
  /** A browser that is larger than this after a visit is not used again. */
  maxIdleBytes: number
}

export function createBrowserPool(options: BrowserPoolOptions): BrowserPool {
  const { start, takePage, returnPage, keepForMs, maxIdleBytes } = options
  const idle: { browser: RunningBrowser; timer: NodeJS.Timeout }[] = []
  const open = new Set<RunningBrowser>()
  const closing = new Set<Promise<void>>()
  let isClosed = false

  const stopped = () => new AppError('browser-failed', 'The browser is being shut down')

  function giveUp(browser: RunningBrowser): Promise<void> {
    open.delete(browser)
    const closed = browser.close().finally(() => closing.delete(closed))
    closing.add(closed)
    return closed
  }

  async function take(): Promise<RunningBrowser> {
    for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) {
      clearTimeout(kept.timer)
      if (kept.browser.isAlive) return kept.browser
      await giveUp(kept.browser)
    }
    const browser = await start()
    open.add(browser)
    if (!isClosed) return browser
    await giveUp(browser)
    throw stopped()
  }

  async function putBack(browser: RunningBrowser): Promise<void> {
    if (isClosed || !browser.isAlive || browser.memoryBytes() > maxIdleBytes) return giveUp(browser)
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((kept) => kept.browser === browser),
        1,
      )
      void giveUp(browser)
    }, keepForMs).unref()
    idle.push({ browser, timer })
  }

  return {
    async use(signal, visit) {
      if (signal.aborted) throw endOf(signal)
      if (isClosed) throw stopped()
      if (!takePage()) throw new AppError('browser-busy', 'All browsers are busy. Try again in a moment')
      try {
        const browser = await take()
        try {
          return await visit(browser)
        } finally {
          await putBack(browser)
        }
      } finally {
        returnPage()
      }
    },
    async close() {
      isClosed = true
      for (const { timer } of idle.splice(0)) clearTimeout(timer)
      await Promise.all([...open].map(giveUp))
      await Promise.all(closing)
    },
  }
}

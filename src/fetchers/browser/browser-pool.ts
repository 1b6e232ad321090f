import { AppError } from '../../core/errors.ts'
import { endOf } from '../files/visit-end.ts'
import type { RunningBrowser } from './chromium.ts'

/**
 * Browsers, one for each page that is open at a time, so that a page that has to be ended takes no other with it. A browser is
 *
 *   started ──> in use ──visit over──> idle ──next visit──> in use
 *                  │                    └──not used for `keepForMs`──> closed
 *                  └──killed, ended by itself, or grown──> closed
 *
 * Visits beyond `maxPages` wait in order.
 */
export type BrowserPool = {
  use<T>(signal: AbortSignal, visit: (browser: RunningBrowser) => Promise<T>): Promise<T>
  /** Visits in progress are cut off. */
  close(): Promise<void>
}

export type BrowserPoolOptions = {
  start(): Promise<RunningBrowser>
  maxPages: number
  keepForMs: number
  /** A browser that is larger than this after a visit is not used again. */
  maxIdleBytes: number
}

export function createBrowserPool({ start, maxPages, keepForMs, maxIdleBytes }: BrowserPoolOptions): BrowserPool {
  const idle: { browser: RunningBrowser; timer: NodeJS.Timeout }[] = []
  const open = new Set<RunningBrowser>()
  const closing = new Set<Promise<void>>()
  const waiting = new Set<() => void>()
  let inUse = 0
  let isClosed = false

  const stopped = () => new AppError('browser-failed', 'The browser is being shut down')

  async function turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw endOf(signal)
    if (isClosed) throw stopped()
    if (inUse < maxPages) {
      inUse++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(enter)
        reject(endOf(signal))
      }
      const enter = () => {
        waiting.delete(enter)
        signal.removeEventListener('abort', leave)
        if (isClosed) return reject(stopped())
        inUse++
        resolve()
      }
      waiting.add(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

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
      await turn(signal)
      try {
        const browser = await take()
        try {
          return await visit(browser)
        } finally {
          await putBack(browser)
        }
      } finally {
        inUse--
        waiting.values().next().value?.()
      }
    },
    async close() {
      isClosed = true
      for (const enter of [...waiting]) enter()
      for (const { timer } of idle.splice(0)) clearTimeout(timer)
      await Promise.all([...open].map(giveUp))
      await Promise.all(closing)
    },
  }
}

import type { Frame, Page } from 'playwright-core'
import { until } from '../watch/up-run.ts'

/**
 * Functions that run in the browser, so they can't use anything from outside. Only the browser globals they use are
 * typed here, since DOM types and Node types conflict.
 */
type PageElement = {
  tagName: string
  className: string
  outerHTML: string
  textContent: string
  value: string
  attributes: Iterable<{ name: string; value: string }>
  style: Record<string, string>
  scrollWidth: number
  clientWidth: number
  getAttribute(name: string): string | null
  getBoundingClientRect(): { right: number }
  matches(selector: string): boolean
  closest(selector: string): PageElement | null
  append(child: unknown): void
  addEventListener(name: string, heard: (event: unknown) => void): void
}
type Asking<T> = { onsuccess: () => void; result: T }
type Kept = {
  transaction(name: string): { objectStore(name: string): { get(key: string): Asking<unknown[]> } }
  close(): void
}
type InPage = {
  origin: string
  document: {
    body: PageElement
    documentElement: PageElement
    activeElement: PageElement | null
    cookie: string
    dispatchEvent(event: Event): boolean
    querySelectorAll(selector: string): Iterable<PageElement>
    createElement(name: string): PageElement
  }
  navigator: { serviceWorker: { controller: { state: string } | null } }
  caches: { match(path: string): Promise<unknown> }
  performance: { getEntriesByType(type: string): { name: string }[] }
  indexedDB: { open(name: string): Asking<Kept> }
  history: { pushState(state: null, title: string, path: string): void }
  getComputedStyle(element: PageElement, part?: string): Record<string, string>
}

/** All text on a page, including fields and tooltips, with white space collapsed. */
export function readablesOf(frame: Page | Frame): Promise<string> {
  return frame.evaluate(() => {
    const { document } = globalThis as unknown as InPage
    const fields = [...document.querySelectorAll('input, textarea')].map(({ value }) => value)
    const hints = [...document.querySelectorAll('[title], [aria-label]')].map(
      (element) => `${element.getAttribute('title')} ${element.getAttribute('aria-label')}`,
    )
    return [document.body.textContent, ...fields, ...hints].join('\n').replace(/\s+/g, ' ')
  })
}

/** Elements and attributes that only injected markup can have created. */
export function foreignMarkupOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { document } = globalThis as unknown as InPage
    const never = 'script:not([src]), base, object, embed, meta[http-equiv], [srcdoc], form[action], marquee, template'
    const found = [...document.querySelectorAll(never)].map(({ outerHTML }) => outerHTML)
    for (const element of document.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        if (name.startsWith('on')) found.push(`${name}=${value}`)
        if (/^(?:href|src|action|formaction)$/.test(name) && /^\s*(?:javascript|data|vbscript):/i.test(value))
          found.push(`${name}=${value}`)
      }
    }
    return found
  })
}

export const originOf = (frame: Page | Frame): Promise<string> =>
  frame.evaluate(() => (globalThis as unknown as InPage).origin)

export const readCookie = (page: Page): Promise<string> =>
  page.evaluate(() => (globalThis as unknown as InPage).document.cookie)

/** Navigates to another view without a page load, as a link does. */
export const turnPage = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => (globalThis as unknown as InPage).history.pushState(null, '', to), path)

/** Simulates switching tabs, which a headless browser never does. */
export const setHidden = (page: Page, isHidden: boolean): Promise<void> =>
  page.evaluate((value) => {
    const { document } = globalThis as unknown as InPage
    Object.defineProperty(document, 'hidden', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)

/** Adds frames without the sandbox attribute; resolves when all are loaded. */
export async function addFrames(page: Page, addresses: readonly string[]): Promise<void> {
  await page.evaluate((all) => {
    const { document } = globalThis as unknown as InPage
    const loads = all.map((src) => {
      const frame = Object.assign(document.createElement('iframe'), { src })
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
      document.body.append(frame)
      return loaded
    })
    return Promise.all(loads).then(() => undefined)
  }, addresses)
}

/** Null when the page fits its window at this text size, else what overflows. */
export function overflowAt(page: Page, textPercent: number): Promise<string | null> {
  return page.evaluate((percent) => {
    const { document } = globalThis as unknown as InPage
    const root = document.documentElement
    root.style.fontSize = percent === 100 ? '' : `${percent}%`
    const { scrollWidth, clientWidth } = root
    if (scrollWidth <= clientWidth) return null
    const wide = [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .slice(0, 5)
      .map(({ tagName, className }) => `${tagName}.${className}`)
    return `${scrollWidth} > ${clientWidth}: ${wide.join(', ')}`
  }, textPercent)
}

export type Focus = {
  /** Focus is on the body, so the next Tab would start at the top. */
  isLost: boolean
  /** The element or its overlay has an outline or a shadow. */
  isMarked: boolean
  what: string
}

export function focusOf(page: Page): Promise<Focus> {
  return page.evaluate(() => {
    const { document, getComputedStyle } = globalThis as unknown as InPage
    const element = document.activeElement
    if (element === null || element.tagName === 'BODY') return { isLost: true, isMarked: false, what: 'nothing' }
    const isDrawn = ({ outlineStyle, outlineWidth, boxShadow }: Record<string, string>): boolean =>
      (outlineStyle !== 'none' && outlineWidth !== '0px') || (boxShadow ?? 'none') !== 'none'
    // A view's main element is focused for screen readers only; it isn't interactive.
    const isFrame = element.matches('main, h1, h2')
    const isMarked = isFrame || isDrawn(getComputedStyle(element)) || isDrawn(getComputedStyle(element, '::after'))
    return { isLost: false, isMarked, what: element.outerHTML.slice(0, 200) }
  })
}

/** Resolves when the focus is inside an element that matches the selector. */
export async function isFocusedIn(page: Page, selector: string): Promise<void> {
  // One evaluation per poll: Playwright's own polling uses eval, which the page's policy forbids.
  const isThere = (outer: string): boolean =>
    (globalThis as unknown as InPage).document.activeElement?.closest(outer) != null
  await until(`the focus in ${selector}`, () => page.evaluate(isThere, selector))
}

/** Whether the service worker has cached the pages and the newest items are saved. */
export function isKeptForOffline(page: Page): Promise<boolean> {
  return page.evaluate(async () => {
    const { navigator, caches, indexedDB, performance } = globalThis as unknown as InPage
    if (navigator.serviceWorker.controller?.state !== 'activated') return false
    const loaded = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/'))
    const kept = await Promise.all(loaded.map(({ name }) => caches.match(name)))
    if ((await caches.match('/')) === undefined || kept.some((file) => file === undefined)) return false
    const items = await new Promise<unknown[]>((resolve) => {
      const opening = indexedDB.open('erace')
      opening.onsuccess = () => {
        const asking = opening.result.transaction('kept').objectStore('kept').get('inbox')
        asking.onsuccess = () => {
          opening.result.close()
          resolve(asking.result ?? [])
        }
      }
    })
    return items.length > 0
  })
}

import type { Frame, Page } from 'playwright-core'
import { until } from '../watch/up-run.ts'

/**
 * Functions that run in the browser. They stand alone: nothing from outside them is there. Of the browser's globals
 * only what they use is described here, since the types of a browser and of Node do not go together.
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

/** All that can be read on a page, also in its fields and hints, with one space for any white space. */
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

/** What only markup can have made: our pages have none of it. */
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

/** To another view, as a link of the pages does. */
export const turnPage = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => (globalThis as unknown as InPage).history.pushState(null, '', to), path)

/** As when another tab is brought to the front, or this one again: a browser without a window never does it by itself. */
export const setHidden = (page: Page, isHidden: boolean): Promise<void> =>
  page.evaluate((value) => {
    const { document } = globalThis as unknown as InPage
    Object.defineProperty(document, 'hidden', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)

/** Frames as our pages would not make them: without the attribute that locks them. Returns when all are there. */
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

/** Null where the page is not wider than its window, with its text of that size; else what sticks out. */
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
  /** Nowhere, where a key of the next step would begin at the top of the page. */
  isLost: boolean
  /** There is an outline or a shadow around it, or around what it spreads over. */
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
    // The frame of a view takes the focus so that it is read aloud; it is no place to press something.
    const isFrame = element.matches('main, h1, h2')
    const isMarked = isFrame || isDrawn(getComputedStyle(element)) || isDrawn(getComputedStyle(element, '::after'))
    return { isLost: false, isMarked, what: element.outerHTML.slice(0, 200) }
  })
}

/** Resolves as soon as the focus is inside of what the selector names. */
export async function isFocusedIn(page: Page, selector: string): Promise<void> {
  // Each look is a question of its own: what Playwright asks again by itself is a text that the policy of the page forbids.
  const isThere = (outer: string): boolean =>
    (globalThis as unknown as InPage).document.activeElement?.closest(outer) != null
  await until(`the focus in ${selector}`, () => page.evaluate(isThere, selector))
}

/** Whether the worker has the pages, and the newest items are kept. */
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

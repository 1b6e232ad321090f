import type { Offer } from '../../core/request.ts'
import type { Focus } from './focus.ts'
import { createFocusedOrder, FOCUS_SCALE } from './focused.ts'
import { importanceOrder, SEED_CASH } from './importance.ts'

/**
 * In which order a host's URLs are fetched: smaller numbers first, equal ones as they came. Most orders look at a link alone
 * (`priority`). Those that look at its page set the priorities of all its links together (`weigh`).
 */
export type UrlOrder = {
  priority(url: string, hops: number): number
  /** What another link does to a URL that still waits. Where it does something, links to known URLs are offered, too. */
  readonly rises?: 'sum' | 'best'
  /** Links to known URLs are offered for another reason: each visit of a page is one of its own. */
  readonly revisits?: boolean
  /** Whether `weigh` needs the texts of links and of the page. */
  readonly readsText?: boolean
  weigh?(offers: Offer[], page: WeighedPage): void
}

/** A page whose links are weighed. */
export type WeighedPage = {
  url: string
  /** Of its request. */
  priority: number
  title: string
  /** Visible words; empty where the order reads none. */
  text: string
  /** Of each offer: the text of its link. */
  linkTexts: readonly string[]
}

export const orderNames = ['breadth', 'depth', 'shallow', 'random', 'fifo', 'importance', 'focused', 'walk'] as const
export type OrderName = (typeof orderNames)[number]

/** Orders that need no settings. */
export const urlOrders = {
  /** Level by level from the seeds. */
  breadth: { priority: (_url, hops) => hops },
  /** The newest trail first. */
  depth: { priority: (_url, hops) => -hops },
  /** Pages near the root of their site first. */
  shallow: { priority: (url) => countSlashes(url) },
  /** Anything that is queued. */
  random: { priority: () => Math.floor(Math.random() * 0x40000000) },
  /** As they come: Mercator's own. */
  fifo: { priority: () => 0 },
  importance: importanceOrder,
  /** The number of the walker; the walk chooses by itself (`walk.ts`). */
  walk: { priority: () => 0, revisits: true },
} as const satisfies Record<Exclude<OrderName, 'focused'>, UrlOrder>

export function createUrlOrder(name: OrderName, focus: Focus | null): UrlOrder {
  return name === 'focused' ? createFocusedOrder(focus) : urlOrders[name]
}

/** Of a URL that was not found on a page. */
export function seedPriority(name: OrderName, url: string): number {
  if (name === 'importance') return -SEED_CASH
  return name === 'focused' ? -FOCUS_SCALE : urlOrders[name].priority(url, 0)
}

function countSlashes(url: string): number {
  let count = 0
  for (let at = url.indexOf('/', 8); at >= 0; at = url.indexOf('/', at + 1)) count++
  return count
}

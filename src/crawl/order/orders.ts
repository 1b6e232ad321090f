import type { Config } from '../../config/config.ts'
import type { Focus } from '../../config/focus.ts'
import { createFocusedOrder, FOCUS_SCALE } from './focused.ts'
import { importanceOrder, SEED_CASH } from './importance.ts'
import type { UrlOrder } from './url-order.ts'

export type OrderName = Config['crawl']['order']

/** Orders that need no settings. */
export const urlOrders = {
  /** Level by level from the seeds. */
  breadth: { priority: (_url, hops) => hops },
  /** Pages furthest from the seeds first. */
  depth: { priority: (_url, hops) => -hops },
  /** Pages near the root of their site first. */
  shallow: { priority: (url) => countSlashes(url) },
  /** Any queued page. */
  random: { priority: () => Math.floor(Math.random() * 0x40000000) },
  /** First in, first out: Mercator's own order. */
  fifo: { priority: () => 0 },
  importance: importanceOrder,
  /** The walk chooses by itself (`walk.ts`). */
  walk: { priority: () => 0, revisits: true },
} as const satisfies Record<Exclude<OrderName, 'focused'>, UrlOrder>

export function createUrlOrder(name: OrderName, focus: Focus | null): UrlOrder {
  return name === 'focused' ? createFocusedOrder(focus) : urlOrders[name]
}

/** Priority of a URL that was not found on a page. */
export function seedPriority(name: OrderName, url: string): number {
  if (name === 'importance') return -SEED_CASH
  return name === 'focused' ? -FOCUS_SCALE : urlOrders[name].priority(url, 0)
}

function countSlashes(url: string): number {
  let count = 0
  for (let at = url.indexOf('/', 8); at >= 0; at = url.indexOf('/', at + 1)) count++
  return count
}

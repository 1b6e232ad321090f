/**
 * In which order a host's URLs are fetched: smaller numbers first, equal ones as they came. Plain functions, so that
 * another order is one more line here.
 */
export type UrlOrder = (url: string, hops: number) => number

export const urlOrders = {
  /** Level by level from the seeds. */
  breadth: (_url, hops) => hops,
  /** The newest trail first. */
  depth: (_url, hops) => -hops,
  /** Pages near the root of their site first. */
  shallow: (url) => countSlashes(url),
  /** A random walk over what is queued. */
  random: () => Math.floor(Math.random() * 0x40000000),
} as const satisfies Record<string, UrlOrder>

export type UrlOrderName = keyof typeof urlOrders

function countSlashes(url: string): number {
  let count = 0
  for (let at = url.indexOf('/', 8); at >= 0; at = url.indexOf('/', at + 1)) count++
  return count
}

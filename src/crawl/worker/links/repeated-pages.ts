import type { QueuedRequest } from '../../../core/request.ts'
import { createFingerprinter } from '../../../core/url/url-key.ts'

/**
 * Detects endless trees. Relative links of one body lead from every address to new ones, so an endless tree (`/x/`, `/x/y/`, `/x/y/z/` …)
 * may consist of a single page. Links of a duplicate are followed like any others, since copies of a page in several folders are
 * common. But if a page's body has already occurred on the way to it, its links are counted by host and body, and dropped once there
 * are too many.
 *
 * The way to a page is remembered for duplicates only: after one round an endless tree has nothing else. Memory is bounded; a
 * forgotten page starts a new way.
 */
export type RepeatedPages = {
  /** Whether to follow the links of a duplicate. */
  admits(request: QueuedRequest, digest: Uint8Array, links: number): boolean
}

export type RepeatedPagesOptions = {
  /** Maximum number of links followed from repeated pages of one host and body. */
  maxLinks: number
  /** Maximum number of pages remembered. */
  capacity?: number
}

/** Bodies remembered on the way to a page: a tree may alternate between several. */
const MAX_WAY = 8

export function createRepeatedPages({ maxLinks, capacity = 50_000 }: RepeatedPagesOptions): RepeatedPages {
  // A site that provokes collisions loses only its own pages, so the seed need not be secret.
  const fingerprinter = createFingerprinter([0x2545f491, 0x4f6cdd1d])
  const hash = new Uint32Array(2)
  /** The bodies on the way to a page, its own last. */
  const ways = new Map<number, readonly number[]>()
  /** Number of links followed from repeated pages, by host and body. */
  const followed = new Map<number, number>()

  function keyOf(text: string): number {
    fingerprinter.write(text, hash, 0)
    return (hash[0]! & 0x1fffff) * 0x1_0000_0000 + hash[1]!
  }

  function remember<T>(map: Map<number, T>, key: number, value: T): void {
    map.delete(key)
    map.set(key, value)
    if (map.size > capacity) map.delete(map.keys().next().value!)
  }

  return {
    admits({ url, parent, host, check: { watch, round } }, digest, links) {
      // Pages seen by one check of a watch are new to the next.
      const eye = watch === 0 ? '' : `${watch} ${round} `
      const body = Buffer.from(digest.buffer, digest.byteOffset, 6).readUIntBE(0, 6)
      const way = ways.get(keyOf(`${eye}${parent}`)) ?? []
      if (way.includes(body)) {
        const key = keyOf(`${eye}${host} ${body}`)
        const count = (followed.get(key) ?? 0) + links
        if (count > maxLinks) return false
        remember(followed, key, count)
      }
      remember(ways, keyOf(`${eye}${url}`), [...way, body].slice(-MAX_WAY))
      return true
    },
  }
}

import { createFingerprinter } from '../../core/url/url-key.ts'

/**
 * Endless calendars and session mazes have one path and ever new query strings. This counts the distinct query
 * strings of each host and path, and declines new ones once there are too many.
 *
 * A path is in one of three states. Unknown: nothing is kept. Counting: the hashes of its query strings are kept, in
 * 4 bytes each. Full: only that fact is kept; every further query string is declined, even if it was admitted before,
 * which is harmless because it was queued then.
 *
 * Memory is bounded by `capacity` hashes and as many paths. Beyond that, the least recently used paths become unknown
 * again; a trap that is still being crawled stays full.
 */
export type VariantCounterOptions = { maxVariantsPerPath?: number; capacity?: number }

export type VariantCounter = {
  /** Whether the URL may be queued, by the number of query strings seen on its path. URLs without one always may. */
  admits(url: string): boolean
}

type Variants = { hashes: Uint32Array; count: number }

const full: Variants = { hashes: new Uint32Array(0), count: -1 }

export function createVariantCounter(options: VariantCounterOptions = {}): VariantCounter {
  const maxVariants = options.maxVariantsPerPath ?? 500
  const capacity = options.capacity ?? 200_000
  // A site that provokes collisions loses only its own pages, so the seed need not be secret.
  const fingerprinter = createFingerprinter([0x5bd1e995, 0x1b873593])
  const hash = new Uint32Array(4)
  // In order of last use: a Map keeps insertion order.
  const paths = new Map<number, Variants>()
  let kept = 0

  function makeRoom(): void {
    for (const [path, variants] of paths) {
      if (kept <= capacity && paths.size <= capacity) return
      paths.delete(path)
      kept -= variants.hashes.length
    }
  }

  function add(path: number, variants: Variants, query: number): void {
    if (variants.count + 1 >= maxVariants) {
      kept -= variants.hashes.length
      paths.set(path, full)
      return
    }
    if (variants.count === variants.hashes.length) {
      const larger = new Uint32Array(Math.min(variants.count * 2, maxVariants))
      larger.set(variants.hashes)
      kept += larger.length - variants.count
      variants.hashes = larger
    }
    variants.hashes[variants.count++] = query
    paths.set(path, variants)
  }

  return {
    admits(url) {
      const question = url.indexOf('?')
      if (question === -1) return true
      fingerprinter.write(url.slice(0, question), hash, 0)
      fingerprinter.write(url.slice(question + 1), hash, 2)
      const path = (hash[0]! & 0x1fffff) * 0x1_0000_0000 + hash[1]!
      const query = hash[3]!
      let variants = paths.get(path)
      if (variants === undefined) {
        variants = { hashes: new Uint32Array(2), count: 0 }
        kept += 2
      } else paths.delete(path)
      if (variants === full) {
        paths.set(path, full)
        return false
      }
      if (isKnown(variants, query)) paths.set(path, variants)
      else add(path, variants, query)
      makeRoom()
      return true
    },
  }
}

function isKnown({ hashes, count }: Variants, query: number): boolean {
  const at = hashes.indexOf(query)
  return at !== -1 && at < count
}

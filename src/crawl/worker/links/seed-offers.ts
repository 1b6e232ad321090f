import type { Config } from '../../../config/config.ts'
import type { CheckOrder, CheckResult } from '../../../core/check-order.ts'
import { isAppError } from '../../../core/errors.ts'
import { type Check, noCheck, type Offer, UNLIMITED_DEPTH } from '../../../core/request.ts'
import { hostKey } from '../../../core/url/partition.ts'
import { createFingerprinter } from '../../../core/url/url-key.ts'
import { namingOf } from '../../normalize/naming.ts'
import { createSourceNaming } from '../../normalize/source-naming.ts'
import { seedPriority } from '../../order/orders.ts'

export type SeedOffersDeps = {
  crawl: Config['crawl']
  /** Text of the host rules file; null if there is none. */
  hostRules: string | null
  /** Secret seed of the fingerprints; must be the same for all offers to one frontier. */
  seed: readonly [number, number]
}

/** One step of urgency outweighs this many steps of depth. */
const URGENT = 1000

/** Makes the first requests of a crawl, named by the same rules as the links that shards find. */
export function createSeedOffers({ crawl, hostRules, seed }: SeedOffersDeps) {
  const nameOf = createSourceNaming(namingOf(crawl, hostRules))
  const fingerprinter = createFingerprinter(seed)

  function seedOf(url: string, depth: number, check: Check, urgency: number): Offer {
    const named = nameOf(url)
    const priority = seedPriority(crawl.order, named.url) - urgency * URGENT
    const fp = fingerprinter.toBigInt(named.key)
    return { url: named.url, host: hostKey(named.key), fp, parent: '', depth, hops: 0, redirects: 0, priority, check }
  }

  return {
    /** For URLs given by the user; `depth` is null for no limit. */
    ofSeeds: (urls: readonly string[], depth: number | null): Offer[] =>
      urls.map((url) => seedOf(url, depth ?? UNLIMITED_DEPTH, noCheck, 0)),
    /** For checks of watched sources. Those with an invalid URL end at once: `failed` has their results. */
    ofChecks(orders: readonly CheckOrder[]): { offers: Offer[]; failed: CheckResult[] } {
      const offers: Offer[] = []
      const failed: CheckResult[] = []
      for (const { url, depth, check, urgency } of orders) {
        try {
          offers.push(seedOf(url, depth, check, urgency))
        } catch (error) {
          if (!isAppError(error, 'url-invalid')) throw error
          const source = { status: 0, outcome: 'failed: url-invalid' }
          failed.push({ watch: check.watch, queued: 0, changed: 0, unchanged: 0, failed: 1, source, landed: null })
        }
      }
      return { offers, failed }
    },
  }
}

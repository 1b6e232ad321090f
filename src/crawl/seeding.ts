import type { CrawlSettings } from '../config/crawl-settings.ts'

/** Seeds offered per batch: the crawl starts after the first batch, and an interrupt waits for at most one. */
const BATCH = 1_000

export type Seeding = {
  /** Offers the remaining seeds. Resolves when all are accepted, or once `isOver` returns true. May be called again after a failure. */
  run(offer: (urls: readonly string[]) => Promise<unknown>, isOver: () => boolean): Promise<void>
  /** Whether all seeds were accepted. Until then, a crawl with nothing queued isn't finished. */
  isComplete(): boolean
}

/**
 * Offers the seeds of a crawl to the frontier in batches, while the shards crawl. Progress isn't recorded: a crawl that was killed offers
 * all of them again, and known ones are dropped.
 */
export function createSeeding(seeds: readonly string[]): Seeding {
  let offered = 0
  const isComplete = (): boolean => offered >= seeds.length
  return {
    isComplete,
    async run(offer, isOver) {
      while (!isComplete() && !isOver()) {
        const batch = seeds.slice(offered, offered + BATCH)
        await offer(batch)
        offered += batch.length
      }
    },
  }
}

/** The settings as shards need them: with one seed per host. The others only cost time. */
export function withSeedHosts<T extends Pick<CrawlSettings, 'seeds'>>(settings: T): T {
  const byHost = new Map<string, string>()
  for (const seed of settings.seeds) {
    const host = seed.slice(0, hostEnd(seed))
    if (!byHost.has(host)) byHost.set(host, seed)
  }
  return { ...settings, seeds: [...byHost.values()] }
}

/** Seeds to validate: one per host, and all that may be invalid. Normalising hundreds of thousands would take seconds. */
export function seedsToCheck(seeds: readonly string[]): string[] {
  const doubtful = seeds.filter(
    (seed) => seed.length > SURELY_SHORT || !/^https?:\/\//i.test(seed) || !URL.canParse(seed),
  )
  return [...withSeedHosts({ seeds }).seeds, ...doubtful]
}

/** Seeds up to this length stay within the limit for URLs, even with every character encoded. */
const SURELY_SHORT = 600

function hostEnd(url: string): number {
  const start = url.indexOf('//')
  const length = start < 0 ? -1 : url.slice(start + 2).search(/[/?#\\]/)
  return length < 0 ? url.length : start + 2 + length
}

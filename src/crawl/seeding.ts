import type { CrawlSettings } from '../config/crawl-settings.ts'

/** So many seeds are offered at a time: the crawl begins with the first of them, and an interrupt waits for no more. */
const BATCH = 1_000

export type Seeding = {
  /** Offers what is left. Resolves when all are accepted, or when `isOver` says so. May be called again after a failure. */
  run(offer: (urls: readonly string[]) => Promise<unknown>, isOver: () => boolean): Promise<void>
  /** All were accepted. While they aren't, a crawl with nothing queued isn't finished. */
  isComplete(): boolean
}

/**
 * The seeds of a crawl on their way to the frontier, in batches, while the shards crawl. Nothing is noted in between: a crawl that was
 * killed offers all of them again, and those that are known are dropped.
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

/** The settings as shards need them: of all seeds, one for each host. The others only cost time. */
export function withSeedHosts<T extends Pick<CrawlSettings, 'seeds'>>(settings: T): T {
  const byHost = new Map<string, string>()
  for (const seed of settings.seeds) {
    const host = seed.slice(0, hostEnd(seed))
    if (!byHost.has(host)) byHost.set(host, seed)
  }
  return { ...settings, seeds: [...byHost.values()] }
}

/** One for each host, and those that may be refused: normalising hundreds of thousands takes seconds. */
export function seedsToCheck(seeds: readonly string[]): string[] {
  const doubtful = seeds.filter(
    (seed) => seed.length > SURELY_SHORT || !/^https?:\/\//i.test(seed) || !URL.canParse(seed),
  )
  return [...withSeedHosts({ seeds }).seeds, ...doubtful]
}

/** Even with every character encoded, no longer than a URL may be. */
const SURELY_SHORT = 600

function hostEnd(url: string): number {
  const start = url.indexOf('//')
  const length = start < 0 ? -1 : url.slice(start + 2).search(/[/?#\\]/)
  return length < 0 ? url.length : start + 2 + length
}

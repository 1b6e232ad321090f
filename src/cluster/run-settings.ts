import type { CrawlSettings } from '../config/crawl-settings.ts'
import type { SharedSettings } from '../store/contracts/cluster-runs.ts'

/** Of a configuration: what decides which pages a crawl fetches and how it treats hosts. */
const sharedSections = ['crawl', 'robots', 'network'] as const
/** How much a machine takes upon itself is its own business. */
const ownCrawlFields = ['threads', 'fetchers'] as const

/** What all workers must know of a crawl. */
export function sharedOf({ folder: _, config, ...shared }: CrawlSettings): SharedSettings {
  return { ...shared, config: Object.fromEntries(sharedSections.map((name) => [name, config[name]])) }
}

/** The settings of a crawl that others began, on this machine. What an older program did not write is as it is here. */
export function withShared(own: CrawlSettings, shared: SharedSettings): CrawlSettings {
  const { config, ...rest } = shared
  const sections = config as Partial<CrawlSettings['config']> | undefined
  const mine = Object.fromEntries(ownCrawlFields.map((name) => [name, own.config.crawl[name]]))
  return {
    ...own,
    ...rest,
    config: {
      ...own.config,
      robots: { ...own.config.robots, ...sections?.robots },
      network: { ...own.config.network, ...sections?.network },
      crawl: { ...own.config.crawl, ...sections?.crawl, ...mine },
    },
  }
}

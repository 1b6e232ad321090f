import type { OmitRule } from '../core/text/omit-rules.ts'
import type { Config } from './config.ts'

/** Everything that a crawl needs to know, as plain data: it is handed to worker threads as it is. */
export type CrawlSettings = {
  folder: string
  /** Absolute http(s) URLs. */
  seeds: readonly string[]
  /** Links followed from a seed; null follows them as far as they lead. */
  depth: number | null
  /** Regular expression that decides alone which URLs belong to the crawl; null means the hosts of the seeds. */
  restrict: string | null
  maxPages: number | null
  /** Contents of the files named on the command line; null stands for the built-in lists. */
  files: { mimeTypes: string | null; ignoreTypes: string | null; blockList: string | null; hostRules: string | null }
  /** Parts of pages whose change is none. */
  omit: readonly OmitRule[]
  config: Config
}

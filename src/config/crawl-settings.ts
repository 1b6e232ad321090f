import type { OmitRule } from '../core/text/omit-rules.ts'
import type { Config } from './config.ts'
import type { Focus } from './focus.ts'

/** The settings of one crawl, as plain data that worker threads can receive. */
export type CrawlSettings = {
  folder: string
  /** Absolute http(s) URLs. */
  seeds: readonly string[]
  /** Links followed from a seed; null for no limit. */
  depth: number | null
  /** Regular expression for the URLs of the crawl; null means the hosts of the seeds. */
  restrict: string | null
  maxPages: number | null
  /** Contents of the files named on the command line or in the configuration; null for the built-in lists. */
  files: { mimeTypes: string | null; ignoreTypes: string | null; blockList: string | null; hostRules: string | null }
  /** Page parts to ignore when comparing. */
  omit: readonly OmitRule[]
  /** What a focused crawl looks for. */
  focus?: Focus | null
  config: Config
}

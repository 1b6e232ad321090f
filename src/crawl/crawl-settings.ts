import { availableParallelism } from 'node:os'
import type { Config } from '../config/config.ts'
import { type CrawlLists, readCrawlLists } from '../config/crawl-lists.ts'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import { omitRulesOf } from '../config/source-rules.ts'
import { InvalidInputError, type ValidationError } from '../config/validation-errors.ts'
import { AppError, isAppError } from '../core/errors.ts'
import type { SharedSettings } from '../store/contracts/cluster/runs.ts'
import { parseBlockList } from './filter/block-list.ts'
import { parseIgnoreTypes } from './filter/ignored-types.ts'
import { parseMimeTypes } from './filter/media-types.ts'
import { createScope } from './filter/scope.ts'
import { parseHostRules } from './normalize/host-rules.ts'
import { seedsToCheck } from './seeding.ts'

/**
 * Settings for watching without a crawl: only watched sources are fetched, with no seeds and no limits. Throws if a file
 * named in the configuration can't be read or is invalid.
 */
export async function settingsForWatching(folder: string, config: Config): Promise<CrawlSettings> {
  const { files, focus = null } = await readLists(config)
  const omit = omitRulesOf(config.sources)
  const settings = { folder, config, seeds: [], depth: null, restrict: null, maxPages: null, omit, files, focus }
  checkSettings(settings)
  // Requests of watches aren't steps of a walk.
  if (config.crawl.order === 'walk')
    throw new AppError(
      'config-invalid',
      'crawl.order: `walk` is for `erace crawl` alone; set another order for the service',
    )
  return settings
}

/** Reads the lists of the configuration, with the files they name. Throws if one can't be read. */
export async function readFileLists(config: Config): Promise<CrawlSettings['files']> {
  return (await readLists(config)).files
}

async function readLists(config: Pick<Config, 'crawl' | 'parts'>): Promise<CrawlLists> {
  const errors: ValidationError[] = []
  const lists = await readCrawlLists(config, errors)
  if (errors.length > 0) throw new InvalidInputError('config-invalid', errors)
  return lists
}

export function threadsOf({ crawl }: Config): number {
  return crawl.threads === 0 ? availableParallelism() : crawl.threads
}

/**
 * Number of shards of a new data folder. Of two threads, one crawls and the other one scans its pages: that is faster than two that crawl,
 * and takes less memory. How more threads are best divided is not known, so all of them crawl.
 */
export function shardsOf(config: Config): number {
  const threads = threadsOf(config)
  return threads === 2 ? 1 : threads
}

/** The sections of a configuration that decide which pages a crawl fetches and how it treats hosts. */
const sharedSections = ['crawl', 'robots', 'network'] as const
/** Crawl settings that each machine decides for itself. */
const ownCrawlFields = ['threads', 'fetchers'] as const

/** The settings shared by all workers of a cluster. */
export function sharedSettings({ folder: _, config, ...shared }: CrawlSettings): SharedSettings {
  return { ...shared, config: Object.fromEntries(sharedSections.map((name) => [name, config[name]])) }
}

/** Settings on this machine for a crawl started by another node. Fields that an older version didn't write come from `own`. */
export function withSharedSettings(own: CrawlSettings, shared: SharedSettings): CrawlSettings {
  const { config, ...rest } = shared
  const sections = config as Partial<CrawlSettings['config']> | undefined
  const mine = Object.fromEntries(ownCrawlFields.map((name) => [name, own.config.crawl[name]]))
  return {
    ...own,
    ...rest,
    config: {
      ...own.config,
      robots: { ...own.config.robots, ...sections?.robots },
      // Which name servers are reachable depends on the machine.
      network: { ...own.config.network, ...sections?.network, nameservers: own.config.network.nameservers },
      crawl: { ...own.config.crawl, ...sections?.crawl, ...mine },
    },
  }
}

/** Parses all settings given as text before anything starts, and reports all errors together. */
export function checkSettings({ seeds, restrict, files }: CrawlSettings): void {
  const errors: AppError[] = []
  const attempt = (read: () => unknown): void => {
    try {
      read()
    } catch (error) {
      if (!isAppError(error)) throw error
      errors.push(error)
    }
  }
  const { mimeTypes, ignoreTypes, blockList, hostRules } = files
  attempt(() => createScope({ seeds: seedsToCheck(seeds), ...(restrict === null ? {} : { restrict }) }))
  if (mimeTypes !== null) attempt(() => parseMimeTypes(mimeTypes))
  if (ignoreTypes !== null) attempt(() => parseIgnoreTypes(ignoreTypes))
  if (blockList !== null) attempt(() => parseBlockList(blockList))
  if (hostRules !== null) attempt(() => parseHostRules(hostRules))
  const [first] = errors
  if (first !== undefined) throw new AppError(first.code, errors.map(({ message }) => message).join('\n'))
}

import type { Config } from '../../config/config.ts'
import { type CrawlLists, readCrawlLists } from '../../config/crawl-lists.ts'
import { InvalidInputError, type ValidationError } from '../../config/validation-errors.ts'
import type { Clock } from '../../core/clock.ts'
import type { CrawlStore } from '../../store/contracts/crawls.ts'
import { CONFIGURATION } from '../../store/rules/crawls.ts'

export type ConfiguredSeeds = Pick<CrawlLists, 'seeds' | 'depth'>

/** Reads `crawl.seeds` and `crawl.depth`, with the files they name. Throws if one can't be read. */
export async function readConfiguredSeeds(config: Config): Promise<ConfiguredSeeds> {
  const errors: ValidationError[] = []
  const { seeds, depth } = await readCrawlLists(config, errors)
  if (errors.length > 0) throw new InvalidInputError('config-invalid', errors)
  return { seeds, depth }
}

export type ConfiguredCrawlDeps = {
  crawls: Pick<CrawlStore, 'add' | 'askStop' | 'newestOf'>
  clock: Pick<Clock, 'now'>
}

/**
 * Requests the crawl of `crawl.seeds`, once per configuration: at a later start an unfinished crawl continues by itself, and a finished
 * one stays finished. Changed seeds or depth make a new crawl, which replaces the old one. A refused crawl is requested again, because
 * the cause may have been fixed.
 */
export async function askForConfigured(
  { crawls, clock }: ConfiguredCrawlDeps,
  { seeds, depth }: ConfiguredSeeds,
): Promise<void> {
  const last = await crawls.newestOf(CONFIGURATION)
  if (last !== null && isSame(last, { seeds, depth }) && last.state !== 'refused') return
  if (last !== null && last.endedAt === 0) await crawls.askStop(last.id)
  if (seeds.length === 0) return
  const draft = { askedBy: CONFIGURATION, askedAt: clock.now(), seeds, depth, restrict: null, maxPages: null }
  // Exempt from the limit on crawls: there is only one.
  await crawls.add(draft, Number.MAX_SAFE_INTEGER)
}

function isSame(row: ConfiguredSeeds, { seeds, depth }: ConfiguredSeeds): boolean {
  return row.depth === depth && row.seeds.length === seeds.length && row.seeds.every((seed, at) => seed === seeds[at])
}

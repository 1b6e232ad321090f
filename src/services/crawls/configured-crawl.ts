import type { Config } from '../../config/config.ts'
import { type CrawlLists, readCrawlLists } from '../../config/crawl-lists.ts'
import { InvalidInputError, type ValidationError } from '../../config/validation-errors.ts'
import type { Clock } from '../../core/clock.ts'
import type { CrawlStore } from '../../store/contracts/crawls.ts'
import { CONFIGURATION } from '../../store/rules/crawls.ts'

export type ConfiguredSeeds = Pick<CrawlLists, 'seeds' | 'depth'>

/** `crawl.seeds` and `crawl.depth`, with the files they name. Throws when one can't be read. */
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
 * Asks for the crawl of `crawl.seeds`, once for each configuration: at a later start one that isn't over goes on by itself, and one that
 * is over stays so. Other seeds or another depth are a new crawl, which replaces the old one. One that was refused is asked for again,
 * because what refused it may have been mended.
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
  // It doesn't count against what administrators may ask for: there is only one.
  await crawls.add(draft, Number.MAX_SAFE_INTEGER)
}

function isSame(row: ConfiguredSeeds, { seeds, depth }: ConfiguredSeeds): boolean {
  return row.depth === depth && row.seeds.length === seeds.length && row.seeds.every((seed, at) => seed === seeds[at])
}

import type { CrawlSettings } from '../../../config/crawl-settings.ts'
import type { SkipReason } from '../../../core/reports/crawl-report.ts'
import { hostKey } from '../../../core/url/partition.ts'
import { parseBlockList } from '../../filter/block-list.ts'
import { readCollectedTypes } from '../../filter/collected-types.ts'
import { createFilterTree } from '../../filter/filter-tree.ts'
import { parseIgnoreTypes } from '../../filter/ignored-types.ts'
import { createScope } from '../../filter/scope.ts'
import { createTrapFilter } from '../../filter/trap.ts'
import { knownPathsFilter, type UrlFilter } from '../../filter/url-filter.ts'
import { createVariantCounter } from '../../filter/variant-counter.ts'
import type { Watches } from '../results/check-results.ts'
import type { LinkDraft, LinkStep } from './link-pipe.ts'

/** Whether a link is in the scope for which its page was fetched. */
export type InScope = (link: Pick<LinkDraft, 'url' | 'pageHost' | 'work'>) => boolean

export function createInScope({ seeds, restrict }: CrawlSettings, watches: Watches): InScope {
  const scope = createScope({ seeds, ...(restrict === null ? {} : { restrict }) })
  return ({ url, pageHost, work }) => {
    if (work.watch > 0) return watches.covers(work, url, pageHost)
    // A seed that redirects extends the scope: the host of a fetched page is in scope too.
    return scope.accepts(url) || (restrict === null && hostKey(url) === pageHost)
  }
}

/** Filters for URLs worth a request, in the order in which they run. */
export function createFilterSteps(
  settings: CrawlSettings,
  inScope: InScope,
  /** Filters loaded from files that the configuration names. */
  added: readonly Pick<UrlFilter, 'accepts'>[] = [],
): LinkStep[] {
  const { crawl } = settings.config
  const { files } = settings
  const traps = createTrapFilter({
    maxUrlLength: crawl.maxUrlLength,
    maxPathSegments: crawl.maxPathSegments,
    maxRepeatedSegments: crawl.maxRepeatedSegments,
  })
  const knownPaths = knownPathsFilter()
  const blocked = files.blockList === null ? null : parseBlockList(files.blockList)
  const variants = createVariantCounter({ maxVariantsPerPath: crawl.maxQueryVariants })
  const { hasIgnoredSuffix } = readCollectedTypes(files)
  const filter = createFilterTree(crawl.filter)
  return [
    { name: 'drop ignored types', run: ({ url }) => (hasIgnoredSuffix(url) ? 'type' : null) },
    {
      name: 'drop traps',
      rule: 'path',
      run({ url }) {
        const verdict = traps.check(url)
        if (verdict.kind === 'skip') return verdict.reason
        return knownPaths.accepts(url) ? null : 'trap'
      },
    },
    { name: 'drop blocked', run: ({ url }) => (blocked === null || blocked.accepts(url) ? null : 'blocked') },
    { name: 'drop filtered', run: ({ url }) => (filter.accepts(url) ? null : 'scope') },
    {
      name: 'drop what added filters refuse',
      run: ({ url }) => (added.every((each) => each.accepts(url)) ? null : 'scope'),
    },
    { name: 'drop out of scope', run: (draft) => (inScope(draft) ? null : 'scope') },
    // Counts only URLs that would be fetched: links out of scope must not use up the variants of a path.
    { name: 'drop query variants', rule: 'variants', run: ({ url }) => (variants.admits(url) ? null : 'trap') },
  ]
}

/**
 * Returns why a seed or source is not fetched although it was requested: it is on one of the configured lists. The
 * built-in list of suffixes applies only to links.
 */
export function createListRefusal({
  ignoreTypes,
  blockList,
}: CrawlSettings['files']): (url: string) => SkipReason | null {
  const ignored = ignoreTypes === null ? null : parseIgnoreTypes(ignoreTypes)
  const blocked = blockList === null ? null : parseBlockList(blockList)
  return (url) => {
    if (blocked?.accepts(url) === false) return 'blocked'
    return ignored?.hasIgnoredSuffix(url) ? 'type' : null
  }
}

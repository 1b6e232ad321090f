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

/** Whether a URL that a page leads to belongs to what the page was fetched for. */
export type InScope = (link: Pick<LinkDraft, 'url' | 'pageHost' | 'work'>) => boolean

export function createInScope({ seeds, restrict }: CrawlSettings, watches: Watches): InScope {
  const scope = createScope({ seeds, ...(restrict === null ? {} : { restrict }) })
  return ({ url, pageHost, work }) => {
    if (work.watch > 0) return watches.covers(work, url, pageHost)
    // A seed that redirects takes the crawl along: the host of a page that was fetched is in scope with it.
    return scope.accepts(url) || (restrict === null && hostKey(url) === pageHost)
  }
}

/** Which URLs are worth a request, in this order. */
export function createFilterSteps(
  settings: CrawlSettings,
  inScope: InScope,
  /** Of the configuration's files. */
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
    // Counts only what would be fetched: links out of scope must not use up the variants of a path.
    { name: 'drop query variants', rule: 'variants', run: ({ url }) => (variants.admits(url) ? null : 'trap') },
  ]
}

/**
 * Why a seed or a source is not fetched although someone asked for it: it is in one of the lists that were given. The
 * built-in list of suffixes is only about links.
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

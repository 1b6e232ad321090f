import type { Source } from '../../core/profile.ts'
import { withoutAccess } from '../../core/url/access.ts'
import { hostKey, registrableDomain } from '../../core/url/partition.ts'
import { createWorkBudget, type WorkBudget } from '../../core/work/work-budget.ts'
import { coversPage, nearness, nearnessOf } from '../scheduler/urds/coverage.ts'

/** Work budget for one page. */
const WORK = 20_000_000

export type SourceCover = {
  /** The sources that a page may have come from, without those whose expressions exceed the budget. */
  covering(url: string, budget?: WorkBudget): Source[]
}

/**
 * Which sources of a profile have a page in their scope. How it was reached is not known, so every page but the source itself
 * counts as one link away, and so as covered by every source that follows links at all. `landed` says where sources redirect to.
 */
export function createSourceCover(sources: readonly Source[], landed: ReadonlyMap<string, string>): SourceCover {
  type Place = { source: Source; uri: string }
  /** By registrable domain: only expressions reach beyond it. */
  const places = new Map<string, Place[]>()
  const patterns: Place[] = []

  for (const source of sources)
    for (const uri of new Set([source.uri, landed.get(source.uri) ?? source.uri])) {
      if (source.scope.kind === 'pattern') patterns.push({ source, uri })
      else {
        const domain = domainOf(uri)
        const near = places.get(domain)
        if (near === undefined) places.set(domain, [{ source, uri }])
        else near.push({ source, uri })
      }
    }

  function covers({ source, uri }: Place, url: string, budget: WorkBudget): boolean {
    const hops = nearness(uri, url) === nearnessOf.page ? 0 : 1
    return coversPage({ uri, scope: source.scope, depth: source.depth }, { url, hops }, budget)
  }

  return {
    covering(url, budget = createWorkBudget(WORK)) {
      const near = places.get(domainOf(url)) ?? []
      const found = new Set<Source>()
      for (const place of [...near, ...patterns])
        if (!found.has(place.source) && covers(place, url, budget)) found.add(place.source)
      return [...found]
    },
  }
}

const domainOf = (url: string): string => registrableDomain(hostKey(withoutAccess(url)))

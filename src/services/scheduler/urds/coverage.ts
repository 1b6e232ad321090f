import { createPattern, type Pattern } from '../../../core/pattern/pattern.ts'
import type { Scope } from '../../../core/profile.ts'
import { mayLeadTo, withoutAccess } from '../../../core/url/access.ts'
import { hostKey, registrableDomain } from '../../../core/url/partition.ts'
import { isSpent, type WorkBudget } from '../../../core/work/work-budget.ts'

/** How far from a source one of its owners wants links followed. */
export type Reach = { scope: Scope; depth: number }

export type Page = {
  url: string
  /** Links followed from the source; 0 is the source itself, even after redirects. */
  hops: number
}

/**
 * Whether a URD covers a page. URLs are serialised; the port matters and the scheme does not, as for politeness.
 * An expression may match anywhere in the URL; if the budget runs out, the page is not covered. Throws `usage-wrong` for
 * an invalid expression.
 */
export function coversPage(
  { uri, scope, depth }: Reach & { uri: string },
  { url, hops }: Page,
  budget?: WorkBudget,
): boolean {
  if (hops === 0) return true
  if (hops > depth) return false
  if (scope.kind !== 'pattern') return nearness(uri, url) >= nearnessOf[scope.kind]
  if (!mayLeadTo(uri, url) || (budget !== undefined && isSpent(budget))) return false
  return patternOf(scope.source).matches(withoutAccess(url), budget)
}

/** Each scope contains the ones after it, so that one number says which of them a page is in. */
export const nearnessOf = { domain: 1, host: 2, path: 3, page: 4 } as const

/**
 * The narrowest scope that contains both: 4 the page, 3 its folder, 2 the host, 1 the registrable domain, 0 none. Also 0 if pages of
 * the one may not lead to the other.
 */
export function nearness(uri: string, url: string): number {
  if (!mayLeadTo(uri, url)) return 0
  const source = locationOf(withoutAccess(uri))
  const page = locationOf(withoutAccess(url))
  if (source.host !== page.host) {
    return registrableDomain(source.host) === registrableDomain(page.host) ? nearnessOf.domain : 0
  }
  if (source.path === page.path) return nearnessOf.page
  return page.path.startsWith(folderOf(source.path)) ? nearnessOf.path : nearnessOf.host
}

/** Host with port, and the rest of the URL. */
function locationOf(url: string): { host: string; path: string } {
  const slash = url.indexOf('/', url.indexOf(':') + 3)
  return { host: hostKey(url), path: slash === -1 ? '/' : url.slice(slash) }
}

function folderOf(path: string): string {
  const query = path.indexOf('?')
  const page = query === -1 ? path : path.slice(0, query)
  return page.slice(0, page.lastIndexOf('/') + 1)
}

// A two-generation cache: the older one is dropped when the younger is full. Bounded, and expressions in use stay compiled.
const maxPatterns = 1_000
let patterns = new Map<string, Pattern>()
let older = new Map<string, Pattern>()

export function patternOf(source: string): Pattern {
  const known = patterns.get(source)
  if (known !== undefined) return known
  const pattern = older.get(source) ?? createPattern(source)
  if (patterns.size >= maxPatterns) {
    older = patterns
    patterns = new Map()
  }
  patterns.set(source, pattern)
  return pattern
}

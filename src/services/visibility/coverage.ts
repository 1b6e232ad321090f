import type { Source } from '../../core/profile.ts'
import { accessOf, isOpen, withoutAccess } from '../../core/url/access.ts'
import { hostKey, hostNameOf, registrableDomain } from '../../core/url/partition.ts'
import { createWorkBudget } from '../../core/work/work-budget.ts'
import { coversPage } from '../scheduler/urds/coverage.ts'

/** A source, and its redirect target ('' for none). */
export type Reaching = { source: Pick<Source, 'uri' | 'scope' | 'depth'>; landed: string }

/** Whether a page is in the scope of one of many sources. */
export type Coverage = {
  has(url: string): boolean
  /** Hosts and domains that contain everything covered. */
  sites: ReadonlySet<string>
}

/** Maximum number of expressions per domain: each is tried for each page. */
const MAX_PATTERNS = 100

/** Work budget for all expressions and pages together; what exceeds it isn't covered. */
const WORK = 20_000_000

/**
 * The same answer as `createSourceCover`, in time independent of the number of sources: an owner may have
 * thousands of them on one host. How a page was reached is not known, so every page but the source itself counts as one link away.
 *
 * An expression alone would give access to everything fetched for other owners. So here it covers only the domain of its
 * own source; pages elsewhere become visible through annotations.
 */
export function createCoverage(sources: Iterable<Reaching>): Coverage {
  const budget = createWorkBudget(WORK)
  const sites = new Set<string>()
  const pages = new Set<string>()
  /** Hosts of protocols other than the web's. */
  const lists = new Set<string>()
  const folders = new Set<string>()
  const hosts = new Set<string>()
  const domains = new Set<string>()
  /** By domain, each expression once. */
  const patterns = new Map<string, Map<string, Reaching['source']>>()

  /** Kinds of access other than the open one. */
  const accesses = new Set<string>()

  function add(given: string, source: Reaching['source']): void {
    if (!isOpen(given)) accesses.add(JSON.stringify(accessOf(given)))
    const { host, path } = placeOf(withoutAccess(given))
    const { scope } = source
    const isWide = source.depth > 0 && (scope.kind === 'domain' || scope.kind === 'pattern')
    sites.add((isWide ? registrableDomain(host) : hostNameOf(host)).replace(/^\[|\]$/g, ''))
    pages.add(host + path)
    if (!given.startsWith('http')) lists.add(host)
    if (source.depth < 1) return
    if (scope.kind === 'path') folders.add(host + folderOf(path))
    if (scope.kind === 'host') hosts.add(host)
    if (scope.kind === 'domain') domains.add(registrableDomain(host))
    if (scope.kind !== 'pattern') return
    const domain = registrableDomain(host)
    const known = patterns.get(domain) ?? new Map<string, Reaching['source']>()
    if (known.size < MAX_PATTERNS) patterns.set(domain, known.set(scope.source, source))
  }

  function inFolder(host: string, path: string): boolean {
    if (folders.size === 0) return false
    const end = pathEnd(path)
    for (let slash = path.indexOf('/'); slash !== -1 && slash < end; slash = path.indexOf('/', slash + 1))
      if (folders.has(host + path.slice(0, slash + 1))) return true
    return false
  }

  /** The URL of a list item extends that of its list: `/INBOX/;MID=…`, `#row=…`. So does the URL of a part of a page. */
  function isItem(host: string, path: string): boolean {
    const isList = lists.has(host)
    if (!isList && !path.includes('#')) return false
    for (const { index } of path.matchAll(isList ? /[/#]/g : /#/g)) {
      if (pages.has(host + path.slice(0, index))) return true
      if (isList && pages.has(host + path.slice(0, index + 1))) return true
    }
    return false
  }

  for (const { source, landed } of sources) {
    add(source.uri, source)
    if (landed !== '') add(landed, source)
  }
  return {
    sites,
    has(given) {
      if (!isOpen(given) && !accesses.has(JSON.stringify(accessOf(given)))) return false
      const url = withoutAccess(given)
      const { host, path } = placeOf(url)
      if (pages.has(host + path) || hosts.has(host) || isItem(host, path)) return true
      const domain = registrableDomain(host)
      if (domains.has(domain) || inFolder(host, path)) return true
      const near = patterns.get(domain)
      for (const source of near?.values() ?? []) if (coversPage(source, { url, hops: 1 }, budget)) return true
      return false
    },
  }
}

function placeOf(url: string): { host: string; path: string } {
  const slash = url.indexOf('/', url.indexOf(':') + 3)
  return { host: hostKey(url), path: slash === -1 ? '/' : url.slice(slash) }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/', pathEnd(path) - 1) + 1)
}

/** Slashes in the query don't count as path. */
function pathEnd(path: string): number {
  const query = path.indexOf('?')
  return query === -1 ? path.length : query
}

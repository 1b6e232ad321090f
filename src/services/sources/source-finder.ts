import { hostKey, registrableDomain } from '../../core/partition.ts'
import { coversPage } from '../scheduler/urds/coverage.ts'
import type { OwnedSource } from './owner-sources.ts'

/** Beyond this many sources of one domain, a page is not compared with each. */
const MAX_TRIED = 50

/**
 * The source of a profile that a page belongs to: the one whose own page it is, else one that follows links and has it in
 * scope. How many links were followed is not known here. `landedOf` returns where a source redirects to; '' for nowhere.
 */
export function createSourceFinder(
  sources: readonly OwnedSource[],
  landedOf: (watch: number) => string,
): (url: string) => OwnedSource | undefined {
  const byPage = new Map<string, OwnedSource>()
  const byDomain = new Map<string, OwnedSource[]>()
  for (const source of sources) {
    const landed = landedOf(source.watch)
    byPage.set(source.uri, source)
    if (landed !== '') byPage.set(landed, source)
    if (source.depth === 0) continue
    // An expression may cover pages of any domain.
    const domain = source.scope.kind === 'pattern' ? '' : domainOf(source.uri)
    const those = byDomain.get(domain)
    if (those === undefined) byDomain.set(domain, [source])
    else if (those.length < MAX_TRIED) those.push(source)
  }
  const covering = (url: string, domain: string) =>
    byDomain.get(domain)?.find(({ uri, scope, depth }) => coversPage({ uri, scope, depth }, { url, hops: 1 }))
  return (url) => byPage.get(url) ?? covering(url, domainOf(url)) ?? covering(url, '')
}

function domainOf(url: string): string {
  return /^https?:/.test(url) ? registrableDomain(hostKey(url)) : ''
}

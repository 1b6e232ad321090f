/**
 * What to expect of a source that was never checked, from others like it. A source is in several groups, from the widest to the
 * narrowest: its kind, its site, its part of the site. Of each group the mean of the logarithms of rates is known; the mean of a narrow
 * group is pulled towards that of the wider one by as much as it has few members.
 */
export type Priors = {
  /** Changes per millisecond. */
  expect(groups: readonly string[]): number
  /** A member's estimate moved; 0 for none before or after. */
  move(groups: readonly string[], before: number, after: number): void
}

/** Once in four days: what pages that people watch do, before anything is known. */
const FIRST_GUESS = Math.log(0.25 / 86_400_000)
/** So many members weigh as much as what the wider group says. */
const PULL = 3

export function createPriors(): Priors {
  const known = new Map<string, { count: number; logs: number }>()
  return {
    expect(groups) {
      let log = FIRST_GUESS
      for (const name of groups) {
        const group = known.get(name)
        if (group !== undefined) log = (group.logs + PULL * log) / (group.count + PULL)
      }
      return Math.exp(log)
    },
    move(groups, before, after) {
      for (const name of groups) {
        const group = known.get(name) ?? { count: 0, logs: 0 }
        group.count += (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0)
        group.logs += (after > 0 ? Math.log(after) : 0) - (before > 0 ? Math.log(before) : 0)
        if (group.count > 0) known.set(name, group)
        else known.delete(name)
      }
    },
  }
}

/** Kind, site, and part of the site: the first folder and the ending of the file. */
export function groupsOf(uri: string): string[] {
  const url = URL.parse(uri)
  if (url === null) return []
  const [, folder = '', ...rest] = url.pathname.split('/')
  const ending = /\.([a-z0-9]{1,5})$/i.exec(url.pathname)?.[1] ?? ''
  const kind = `${url.protocol}${/^(?:xml|rss|atom|rdf)$/i.test(ending) || /\b(?:feed|rss|atom)\b/i.test(url.pathname) ? 'feed' : ''}`
  return [kind, `${kind}//${url.host}`, `${kind}//${url.host}/${rest.length > 0 ? folder : ''}.${ending}`]
}

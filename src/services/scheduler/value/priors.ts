/**
 * Expected change rate of a source that was never checked, from similar sources. A source is in several groups, from the widest to the
 * narrowest: its kind, its site, its part of the site. Each group has the mean of its members' log rates; the fewer members a group
 * has, the more its mean is pulled towards that of the next wider one.
 */
export type Priors = {
  /** Changes per millisecond. */
  expect(groups: readonly string[]): number
  /** Replaces a member's estimate; 0 for none. */
  move(groups: readonly string[], before: number, after: number): void
}

/** Once in four days: typical of watched pages. */
const FIRST_GUESS = Math.log(0.25 / 86_400_000)
/** Weight of the wider group's mean, in members. */
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

/** Kind, site, and part of the site: the first folder and the file extension. */
export function groupsOf(uri: string): string[] {
  const url = URL.parse(uri)
  if (url === null) return []
  const [, folder = '', ...rest] = url.pathname.split('/')
  const ending = /\.([a-z0-9]{1,5})$/i.exec(url.pathname)?.[1] ?? ''
  const kind = `${url.protocol}${/^(?:xml|rss|atom|rdf)$/i.test(ending) || /\b(?:feed|rss|atom)\b/i.test(url.pathname) ? 'feed' : ''}`
  return [kind, `${kind}//${url.host}`, `${kind}//${url.host}/${rest.length > 0 ? folder : ''}.${ending}`]
}

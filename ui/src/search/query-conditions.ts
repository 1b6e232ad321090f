/** Conditions in a query, `site:…`, `after:…`, `before:…`, which the facets add and remove. Quoted text is left alone. */
type Period = 'day' | 'week' | 'month' | 'year' | 'older'
export type Condition = { name: 'site' | 'after' | 'before'; value: string; text: string }

const DAY_MS = 86_400_000
const days: Record<Exclude<Period, 'older'>, number> = { day: 1, week: 7, month: 30, year: 365 }
const pieces = /"[^"]*"?|\S+/g
const condition = /^(site|after|before):([^\s"]+)$/i

function piecesOf(query: string): string[] {
  return query.match(pieces) ?? []
}

export function conditionsOf(query: string): Condition[] {
  return piecesOf(query).flatMap((text) => {
    const found = condition.exec(text)
    if (found === null) return []
    return [{ name: found[1]!.toLowerCase() as Condition['name'], value: found[2]!, text }]
  })
}

export function withoutCondition(query: string, text: string): string {
  return piecesOf(query)
    .filter((piece) => piece !== text)
    .join(' ')
}

function withoutNames(query: string, names: readonly Condition['name'][]): string {
  const gone = new Set(conditionsOf(query).flatMap(({ name, text }) => (names.includes(name) ? [text] : [])))
  return piecesOf(query)
    .filter((piece) => !gone.has(piece))
    .join(' ')
}

export function withSite(query: string, host: string): string {
  return `${withoutNames(query, ['site'])} site:${host}`.trim()
}

/** Whole days, except for the last 24 hours. */
export function withPeriod(query: string, period: Period, now: number): string {
  const rest = withoutNames(query, ['after', 'before'])
  const since = new Date(now - (period === 'older' ? days.year : days[period]) * DAY_MS).toISOString()
  const moment = period === 'day' ? since.slice(0, 16) : since.slice(0, 10)
  return `${rest} ${period === 'older' ? 'before' : 'after'}:${moment}`.trim()
}

/** Each period includes the shorter ones, except `older`. */
export function summedPeriods(
  times: readonly { period: Period; count: number }[],
): { period: Period; count: number }[] {
  let sum = 0
  return times.map(({ period, count }) => {
    sum += count
    return { period, count: period === 'older' ? count : sum }
  })
}

/** Whether the query has a /pattern/: profiles understand those, the search index has only words. */
export function hasPattern(query: string): boolean {
  return /(?:^|\s)-?\/\S(?:.*\S)?\/[a-z]*(?:\s|$)/i.test(query.replace(/"[^"]*"?/g, ''))
}

/** A search as a profile: its site becomes a source, its dates are dropped. */
export function asProfile(query: string): { expression: string; name: string; url: string } {
  const site = conditionsOf(query).find(({ name }) => name === 'site')
  const expression = withoutNames(query, ['site', 'after', 'before'])
  return { expression, name: expression || query, url: site === undefined ? '' : `https://${site.value}/` }
}

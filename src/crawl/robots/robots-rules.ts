import { addresses, productToken } from './agent-token.ts'
import { pathOfUrl } from './path-octets.ts'
import { comparedPath, compilePattern, matchesPath, type PathPattern } from './path-pattern.ts'

/** The rules of a file, for any crawler. Immutable once the file is parsed. */
export type RobotsRules = {
  /** `url` may be absolute or start at its path. */
  isAllowed(userAgent: string, url: string): boolean
  crawlDelaySeconds(userAgent: string): number | null
  requestRate(userAgent: string): RequestRate | null
  visitTime(userAgent: string): DayWindow | null
  readonly sitemaps: readonly string[]
  readonly preferredHost: string | null
  /** Approximate memory use of these rules. */
  readonly sizeBytes: number
}

export type RawRule = { readonly allow: boolean; readonly octets: string }

export type Pace = {
  crawlDelaySeconds: number | null
  requestRate: RequestRate | null
  visitTime: DayWindow | null
}

/** Everything that a file addresses to one name. Rules and paces may be shared by several names. */
export type AgentSection = { readonly groups: Set<readonly RawRule[]>; readonly paces: Set<Readonly<Pace>> }

type Rule = { readonly allow: boolean; readonly pattern: PathPattern }
type Selection = { readonly rules: readonly Rule[]; readonly pace: Readonly<Pace> }

/**
 * Far above any honest file: ten thousand rules with a wildcard, tried on a URL of 200 characters, stay below it.
 * If a file costs more, the answer is "not allowed", to be safe.
 */
const maxStepsPerUrl = 20_000_000
const maxSelections = 16

export type RobotsContent = {
  readonly sections: ReadonlyMap<string, AgentSection>
  readonly sitemaps: readonly string[]
  readonly preferredHost: string | null
  readonly sizeBytes: number
}

export function createRobotsRules(content: RobotsContent): RobotsRules {
  const selections = new Map<string, Selection>()

  // Patterns are compiled only for the names that ask, which are few: a file's other groups cost nothing.
  function selectionFor(userAgent: string): Selection {
    let selection = selections.get(userAgent)
    if (selection === undefined) {
      selection = select(content.sections, userAgent)
      if (selections.size >= maxSelections) selections.clear()
      selections.set(userAgent, selection)
    }
    return selection
  }

  return {
    isAllowed(userAgent, url) {
      const { rules } = selectionFor(userAgent)
      return rules.length === 0 || decide(rules, pathOfUrl(url))
    },
    crawlDelaySeconds: (userAgent) => selectionFor(userAgent).pace.crawlDelaySeconds,
    requestRate: (userAgent) => selectionFor(userAgent).pace.requestRate,
    visitTime: (userAgent) => selectionFor(userAgent).pace.visitTime,
    sitemaps: content.sitemaps,
    preferredHost: content.preferredHost,
    sizeBytes: content.sizeBytes,
  }
}

/** Rules are sorted by rank, so the first that matches decides. */
function decide(rules: readonly Rule[], path: string): boolean {
  if (path === '/robots.txt') return true
  const compared = comparedPath(path)
  const budget = { left: maxStepsPerUrl }
  for (const rule of rules) {
    if (matchesPath(rule.pattern, compared, budget)) return rule.allow
    if (budget.left <= 0) return false
  }
  return true
}

function select(sections: ReadonlyMap<string, AgentSection>, userAgent: string): Selection {
  const product = productToken(userAgent)
  let best = ''
  for (const name of sections.keys()) {
    if (name.length > best.length && name !== '*' && addresses(name, product)) best = name
  }
  const section = sections.get(best === '' ? '*' : best)
  return { rules: ranked(section?.groups ?? []), pace: mergedPace(section?.paces ?? []) }
}

/** The longest of several delays for one name counts; for the other values, the first. */
function mergedPace(paces: Iterable<Readonly<Pace>>): Pace {
  const merged: Pace = { crawlDelaySeconds: null, requestRate: null, visitTime: null }
  for (const pace of paces) {
    merged.crawlDelaySeconds = longerDelay(merged.crawlDelaySeconds, pace.crawlDelaySeconds)
    merged.requestRate ??= pace.requestRate
    merged.visitTime ??= pace.visitTime
  }
  return merged
}

export function longerDelay(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

function ranked(groups: Iterable<readonly RawRule[]>): Rule[] {
  const rules: Rule[] = []
  for (const group of groups) {
    for (const { allow, octets } of group) {
      rules.push({ allow, pattern: compilePattern(octets) })
      const directory = allow ? directoryOfIndex(octets) : null
      if (directory !== null) rules.push({ allow, pattern: compilePattern(directory) })
    }
  }
  return rules.sort((a, b) => b.pattern.octets - a.pattern.octets || Number(b.allow) - Number(a.allow))
}

/** A rule that allows `/a/index.html` also allows `/a/`: both name the same page. */
function directoryOfIndex(octets: string): string | null {
  const slash = octets.lastIndexOf('/')
  return slash >= 0 && octets.startsWith('/index.htm', slash) ? `${octets.slice(0, slash + 1)}$` : null
}

/** Directives about pace and hours that are not in RFC 9309. Unreadable ones are ignored. */

/** Minutes since midnight, UTC. */
export type DayWindow = { startMinute: number; endMinute: number }
export type RequestRate = { requests: number; seconds: number; hours: DayWindow | null }

const unitSeconds: ReadonlyMap<string, number> = new Map(Object.entries({ '': 1, s: 1, m: 60, h: 3600, d: 86_400 }))

export function readCrawlDelay(value: string): number | null {
  const text = /^(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(?![\d.,])/.exec(value)?.[0]
  return text === undefined ? null : Number(text)
}

/** `1/10s`, `100/15m 0600-0845`. */
export function readRequestRate(value: string): RequestRate | null {
  const parts = /^(\d{1,9})\s*\/\s*(\d{1,9})\s*([smhd]?)(?:\s+(.*))?$/i.exec(value.slice(0, 100))
  if (parts === null) return null
  const requests = Number(parts[1])
  const seconds = Number(parts[2]) * unitSeconds.get(parts[3]!.toLowerCase())!
  return requests > 0 && seconds > 0 ? { requests, seconds, hours: readDayWindow(parts[4] ?? '') } : null
}

/** `0600-0845`, also with a space instead of the hyphen. */
export function readDayWindow(value: string): DayWindow | null {
  const parts = /^(\d\d):?(\d\d)(?:\s*-\s*|\s+)(\d\d):?(\d\d)(?!\d)/.exec(value)
  if (parts === null) return null
  const [startHour, startMinute, endHour, endMinute] = parts.slice(1).map(Number) as [number, number, number, number]
  if (startHour > 24 || endHour > 24 || startMinute > 59 || endMinute > 59) return null
  return { startMinute: startHour * 60 + startMinute, endMinute: endHour * 60 + endMinute }
}

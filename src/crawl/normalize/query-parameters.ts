import { normalisePercentEncoding, unsettledPercent } from './percent-encoding.ts'

/**
 * Parameters that say where a visitor came from, not what is requested. A trailing star matches any suffix; case is
 * ignored. Only names without another use are listed: a wrong entry merges different pages.
 */
export const defaultTrackingParameters: readonly string[] = [
  ...['utm_*', 'mtm_*', 'pk_campaign', 'pk_kwd', 'pk_keyword', 'pk_source', 'pk_medium', 'pk_content', 'pk_cid'],
  ...['gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'gad_source', 'gad_campaignid', 'srsltid', '_ga', '_gl', '_gac'],
  ...['fbclid', 'fb_action_ids', 'fb_action_types', 'fb_source', 'igshid', 'igsh', 'msclkid', 'twclid', 'ttclid'],
  ...[
    'li_fat_id',
    'yclid',
    'ysclid',
    '_openstat',
    'mc_cid',
    'mc_eid',
    'mkt_tok',
    '_hsenc',
    '_hsmi',
    '__hssc',
    '__hstc',
  ],
  ...[
    '__hsfp',
    'hsctatracking',
    'oly_anon_id',
    'oly_enc_id',
    'vero_id',
    'vero_conv',
    'wickedid',
    'rb_clickid',
    's_kwcid',
  ],
  ...['_branch_match_id', '_branch_referrer', 'wt_zmc', 'epik', 'icid'],
]

/** These always identify a session, with any value. */
const sessionNames = ['jsessionid', 'phpsessid', 'aspsessionid*', 'cfid', 'cftoken']
/** These have other uses; they identify a session only if the value is a long token. */
const doubtfulSessionNames = ['sid', 'sessid', 'sessionid', 'session_id']
const token = /^[0-9a-f]{16,}$|^(?=[^.]*[0-9])(?=[^.]*[A-Za-z])[0-9A-Za-z_-]{26,}$/i

export type QueryRules = {
  /** Matches the first place in a URL, from its question mark on, that makes its key differ from it. */
  readonly doubtful: RegExp
  /** The query of the key, with its question mark; empty if no parameters are left. */
  normalise(query: string): string
}

export type QueryOptions = { tracking: readonly string[]; dropSessionIds: boolean; sortParameters: boolean }

/** The query options of a normaliser, with its defaults. */
export function queryOptions(options: {
  trackingParameters?: readonly string[]
  dropSessionIds?: boolean
  sortParameters?: boolean
}): QueryOptions {
  return {
    tracking: options.trackingParameters ?? defaultTrackingParameters,
    dropSessionIds: options.dropSessionIds ?? true,
    sortParameters: options.sortParameters ?? false,
  }
}

export function createQueryRules({ tracking, dropSessionIds, sortParameters }: QueryOptions): QueryRules {
  const dropped = nameMatcher(dropSessionIds ? [...tracking, ...sessionNames] : tracking)
  const doubted = nameMatcher(dropSessionIds ? doubtfulSessionNames : [])
  const keeps = (parameter: string): boolean => {
    if (parameter === '') return false
    const equals = parameter.indexOf('=')
    const name = (equals === -1 ? parameter : parameter.slice(0, equals)).toLowerCase()
    if (dropped.matches(name)) return false
    return !(doubted.matches(name) && token.test(parameter.slice(name.length + 1)))
  }
  return {
    doubtful: doubtfulQuery([dropped.source, doubted.source], sortParameters),
    normalise(query) {
      const kept = normalisePercentEncoding(query.slice(1)).split('&').filter(keeps)
      if (sortParameters) kept.sort(byName)
      return kept.length === 0 ? '' : `?${kept.join('&')}`
    },
  }
}

/** Compares names only: the order of a repeated parameter may have a meaning, and sorting is stable. */
function byName(left: string, right: string): number {
  const a = left.split('=', 1)[0]!
  const b = right.split('=', 1)[0]!
  return a < b ? -1 : a > b ? 1 : 0
}

function nameMatcher(patterns: readonly string[]): { matches(name: string): boolean; source: string } {
  const lower = patterns.map((pattern) => pattern.toLowerCase())
  const names = new Set(lower.filter((pattern) => !pattern.endsWith('*')))
  const prefixes = lower.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1))
  const sources = [...prefixes.map(quoted), ...[...names].map((name) => `${quoted(name)}(?=[=&#]|$)`)]
  return {
    matches: (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix)),
    source: sources.join('|'),
  }
}

function doubtfulQuery(names: string[], sortParameters: boolean): RegExp {
  const named = names.filter((source) => source !== '').join('|')
  const parts = ['[^A-Za-z0-9\\-._~!$&()*+,;=:@/?%]', unsettledPercent, '[?&](?=[&#]|$)']
  if (named !== '') parts.push(`[?&](?:${named})`)
  if (sortParameters) parts.push('&')
  return new RegExp(parts.join('|'), 'g')
}

/** The source of a case-insensitive regular expression for a name. */
function quoted(text: string): string {
  return text.replace(/[a-z]|[^a-z0-9_]/g, (c) => (/[a-z]/.test(c) ? `[${c}${c.toUpperCase()}]` : `\\${c}`))
}

/** Anything in a path that makes its key differ from it, or ends the path. */
const doubtfulPath = new RegExp(`[^A-Za-z0-9\\-._~!$&'()*+,=:@/%]|${unsettledPercent}|\\/[/.]`, 'g')

const hash = 0x23
const question = 0x3f

/**
 * The end of the path and query that start at `from`, if they are spelt as the parser spells them and unchanged in the
 * key: the length of the text, or the index of its fragment. -1 if the slow path is needed.
 */
export function endOfPlainTail(text: string, from: number, query: QueryRules): number {
  doubtfulPath.lastIndex = from
  if (!doubtfulPath.test(text)) return text.length
  const at = doubtfulPath.lastIndex - 1
  const c = text.charCodeAt(at)
  if (c === hash) return at
  if (c !== question) return -1
  query.doubtful.lastIndex = at
  if (!query.doubtful.test(text)) return text.length
  const end = query.doubtful.lastIndex - 1
  return text.charCodeAt(end) === hash ? end : -1
}

import { type ErrorCode, errorCodes } from '../../core/errors.ts'
import type { WatchRow } from '../../store/contracts/watches.ts'
import type { Basis, WatchSnapshot, Why } from '../scheduler/scheduler-report.ts'
import type { OwnedSource } from './owner-sources.ts'
import type { SourceState } from './source-state.ts'

/** The state in words: what it means, and what to do about it. Leaves out times, because only the client knows the time zone. */
export function messageOf(
  state: SourceState,
  { source, row }: { source: OwnedSource; row: WatchRow | undefined },
): string {
  const isFirst = row !== undefined && row.checkedAt <= source.visitedAt
  return words[state]({ source, status: row?.status ?? 0, outcome: row?.outcome ?? '', isFirst })
}

/** `isFirst`: the last check was the owner's first, which has nothing to compare with. */
type Facts = { source: OwnedSource; status: number; outcome: string; isFirst: boolean }

const words: Record<SourceState, (facts: Facts) => string> = {
  paused: ({ source }) =>
    source.paused
      ? 'Paused: no checks until you resume it.'
      : `The profile “${source.profile.name}” is paused, so its sources aren't checked. Resume the profile to continue.`,
  checking: () => 'Being checked now.',
  queued: () => 'Due for a check and waiting in the queue.',
  'not-yet': () => 'Not checked for you yet. The first check is coming up.',
  'blocked-by-robots': ({ source, status }) =>
    status === 0
      ? `The robots.txt of ${source.host} doesn't allow fetching this page. Ask the site's owner, or watch another page.`
      : "The page asks programs not to keep a copy (noindex). Ask the site's owner, or watch another page.",
  'blocked-by-site': ({ source, status }) =>
    status === 429
      ? `${source.host} says it gets too many requests (status 429). Choose a longer interval.`
      : `${source.host} denies access to the page (status ${status}). Open it in a browser; if it works there, the site blocks automated programs.`,
  'sign-in-failed': ({ status }) => `The page requires signing in (status ${status}). Watch a public page instead.`,
  'not-found': ({ status }) =>
    `The page ${status === 410 ? 'no longer exists' : "doesn't exist"} (status ${status}). Find its new address, or remove the watch.`,
  failing: failingWords,
  refused: ({ source, outcome }) =>
    `${refusals.get(outcome) ?? `It isn't fetched here (${outcome})`}. ${hint(source, outcome)}`,
  unsupported: ({ source, outcome }) => {
    if (outcome === 'skipped: type') return "This type of content isn't supported. Watch a page of text instead."
    return `${source.unsupported ?? "It can't be watched"}. Remove the watch, or use an http or https address.`
  },
  'nothing-selected': ({ source }) =>
    `Nothing on the page matches ${selectorsText(source)}, so nothing is compared. Choose the part again, or watch the whole page.`,
  blind: ({ source }) => blindWords.get(source.selected) ?? blindWords.get('empty')!,
  'too-expensive': ({ source }) => expensiveWords(source),
  'nothing-matched': ({ source }) =>
    `Checked, but nothing has matched the profile “${source.profile.name}” so far. Review its interests, or track every change instead.`,
  empty: () =>
    'The page has no text of its own to compare; a script may build it in the browser. Watch its feed or another page instead.',
  changed: () => 'The last check found a change.',
  unchanged: ({ isFirst }) =>
    isFirst ? 'The first check saved the baseline. Later checks look for changes.' : 'The last check found no change.',
}

const blindWords: ReadonlyMap<string, string> = new Map([
  [
    'script',
    'The page needs JavaScript to show its content, so there is little to compare. Watch its feed or another page instead.',
  ],
  [
    'consent',
    'The site shows a cookie notice instead of the page, so its content is not seen. Watch its feed or another page instead.',
  ],
  [
    'captcha',
    'The site shows a captcha instead of the page, so its content is not seen. Choose a longer interval, or watch another page.',
  ],
  ['sign-in', 'The page asks visitors to sign in, so its content is not seen. Watch a public page instead.'],
  [
    'empty',
    'The page has no text to compare; a script may build it in the browser. Watch its feed or another page instead.',
  ],
])

function expensiveWords({ aside, asideUrl, profile: { name } }: OwnedSource): string {
  switch (aside) {
    case 'interests':
      return `The interests of the profile “${name}” take too much work on ${asideUrl}, so that page wasn't matched. Simplify their regular expressions.`
    case 'select':
      return `The selectors of the source take too much work on ${asideUrl}, so the whole page was compared. Use simpler ones.`
    case 'ignore':
      return `The expressions to ignore of the profile “${name}” take too much work on ${asideUrl}, so its whole change was shown. Use fewer or simpler ones.`
    default:
      return `Skipped: the expression of its scope takes too much work on ${asideUrl}, so links aren't followed. Simplify the expression.`
  }
}

const MAX_NAMED = 2

/** The selectors as their owner wrote them, shortened. */
export function selectorsText({ select }: Pick<OwnedSource, 'select'>): string {
  const named = select.slice(0, MAX_NAMED).map((each) => `“${each.length > 60 ? `${each.slice(0, 59)}…` : each}”`)
  const more = select.length - named.length
  const all = more > 0 ? [...named, `${more} more`] : named
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(all)
}

const refusals = new Map([
  ['skipped: address', 'Its address is blocked here, e.g. because it belongs to a private network'],
  ['skipped: blocked', "It's on this service's block list"],
  ['skipped: scope', 'It redirects to a page outside its scope'],
  ['skipped: trap', 'Its address looks like part of an endless series'],
  ['skipped: length', 'Its address is too long'],
  ['skipped: limit', 'Too many requests are queued for its host'],
])

function hint({ host }: OwnedSource, outcome: string): string {
  return outcome === 'skipped: address'
    ? `An administrator can allow ${host} with the setting network.allow. Otherwise remove the watch.`
    : `Ask an administrator whether ${host} should be fetched anyway, or remove the watch.`
}

const RETRYING = "We'll keep trying, less and less often."

function failingWords({ source, status, outcome }: Facts): string {
  const { host } = source
  if (outcome === 'redirect')
    return 'The page redirects to itself, as sites that require cookies do. Watch the page it leads to instead.'
  const code = outcome.slice('failed: '.length)
  if (status >= 400) return `${host} responds with an error (status ${status}). ${RETRYING}`
  if (code === 'redirect-refused' && status > 0)
    return `${host} redirects to an address that isn't followed. Open it in a browser to see where it leads.`
  if (
    code === 'http-client-error' ||
    code === 'http-server-error' ||
    code === 'redirect-refused' ||
    isUnread(code, status)
  )
    return `The robots.txt of ${host} can't be read, so nothing is fetched from it. ${RETRYING}`
  if (code === 'host-not-found')
    return `${host} doesn't exist or isn't public. Check the spelling of the address, or ask an administrator.`
  if (code === 'dns-not-found') return `There is no host named ${host}. Check the spelling of the address.`
  const known = Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode] : null
  return `${known === null ? "Couldn't fetch it" : `Couldn't fetch it: ${known.means}`}. ${RETRYING}`
}

/** Whether robots.txt couldn't be read: for a page, these codes come with its status. */
function isUnread(code: string, status: number): boolean {
  return status === 0 && (code === 'decode-failed' || code === 'http-incomplete')
}

const reasons: Record<Why, string> = {
  'first-check': 'first check',
  interval: 'regular interval',
  'back-off': 'failed; checking less often',
  'window-closed': 'waiting for its time window',
  'window-never-open': 'its time window never opens',
  queue: 'due, waiting in the queue',
  'user-budget': 'your other checks go first',
  'host-budget': 'other checks of its host go first',
  asked: 'check requested',
  'in-flight': 'being checked now',
  // The source is not paused any more, but the scheduler doesn't know yet.
  paused: 'just resumed',
}

const lateness: ReadonlyMap<Basis, string> = new Map([
  ['budget', 'the budget of this service has no room for more'],
  ['host', "more requests would be too many for the page's host"],
  ['user', 'your sources have used up your budget'],
])

/** Why the next check is at that time. */
export function whyText(source: OwnedSource, snapshot: WatchSnapshot | undefined): string {
  if (snapshot === undefined) return ''
  const { why, intervalMs, failures, basis } = snapshot
  if (why === 'back-off') return `failed ${failures === 1 ? 'once' : `${failures} times in a row`}; checking less often`
  if (why !== 'interval') return reasons[why]
  const late = lateness.get(basis)
  if (late !== undefined)
    return `checked ${intervalText(intervalMs)} instead of ${intervalText(source.everyMs)}: ${late}`
  if (intervalMs > 1.01 * source.everyMs && basis === 'value')
    return `checked ${intervalText(intervalMs)}, by how often it changes and how many wait for it`
  if (intervalMs > 1.01 * source.everyMs)
    return `rarely changes, so checked ${intervalText(intervalMs)} instead of ${intervalText(source.everyMs)}`
  return intervalMs < source.everyMs
    ? `checked ${intervalText(intervalMs)}, because someone else needs it more often`
    : `checked ${intervalText(source.everyMs)}`
}

const units = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1000],
] as const
const named = new Map([
  [60_000, 'every minute'],
  [3_600_000, 'hourly'],
  [86_400_000, 'daily'],
  [7 * 86_400_000, 'weekly'],
])

/** Exact for the intervals people choose, rounded for those the scheduler has learned. */
function intervalText(ms: number): string {
  const [unit, size] = units.find(([, each]) => ms % each === 0) ??
    units.find(([, each]) => ms >= 2 * each) ?? ['ms', 1]
  return named.get(ms) ?? `every ${Math.round(ms / size)} ${unit}`
}

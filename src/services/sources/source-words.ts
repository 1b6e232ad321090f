import { formatDuration } from '../../config/quantities.ts'
import { type ErrorCode, errorCodes } from '../../core/errors.ts'
import type { WatchRow } from '../../store/contracts/watches.ts'
import { supported } from '../profiles/protocols.ts'
import type { WatchSnapshot, Why } from '../scheduler/scheduler-report.ts'
import type { OwnedSource } from './owner-sources.ts'
import type { SourceState } from './source-state.ts'

/** The state in words: what it means, and what can be done. Since when is no part of it: whoever shows it knows the zone. */
export function messageOf(
  state: SourceState,
  { source, row }: { source: OwnedSource; row: WatchRow | undefined },
): string {
  return words[state]({ source, status: row?.status ?? 0, outcome: row?.outcome ?? '' })
}

type Facts = { source: OwnedSource; status: number; outcome: string }

const words: Record<SourceState, (facts: Facts) => string> = {
  paused: ({ source }) =>
    source.paused
      ? 'It is paused and not checked. Resume it to go on.'
      : `The profile ${source.profile.name} is paused, so none of its sources is checked. Resume it to go on.`,
  checking: () => 'It is being checked now.',
  queued: () => 'It is due and waits for its turn.',
  'not-yet': () => 'It was not checked for you yet. Its first check comes up.',
  'blocked-by-robots': ({ source, status }) =>
    status === 0
      ? `robots.txt of ${source.host} does not allow this page to be fetched. Ask the owner of the site, or watch another page.`
      : 'The page itself asks programs not to keep it (noindex). Ask the owner of the site, or watch another page.',
  'blocked-by-site': ({ source, status }) =>
    status === 429
      ? `${source.host} says that it is asked too often (status 429). Check it less often.`
      : `${source.host} refuses to show the page (status ${status}). Open it in a browser; if it works there, the site keeps programs out.`,
  'sign-in-failed': ({ status }) =>
    `The page wants a sign-in (status ${status}). Watch a page that is open to everybody.`,
  'not-found': ({ status }) =>
    `The page is not there${status === 410 ? ' any more' : ''} (status ${status}). Look for its new address, or remove it.`,
  failing: failingWords,
  refused: ({ source, outcome }) => `${refusals[outcome] ?? `It is not fetched here (${outcome})`}. ${hint(source)}`,
  unsupported: ({ source, outcome }) => {
    if (outcome === 'skipped: type') return 'What is there is of a type that is not read here. Watch a page of text.'
    const support = supported(source.uri)
    return `${support.kind === 'supported' ? 'It can not be watched' : support.message}. Remove it, or watch it at an http or https address.`
  },
  'nothing-matched': ({ source }) =>
    `It is checked, but nothing that was read concerned the profile ${source.profile.name} so far. Look at its interests, or follow every change instead.`,
  empty: () =>
    'The page has no text of its own to compare. It may be made by a program in the browser: watch its feed, or another page.',
  changed: () => 'The last check found something new.',
  unchanged: () => 'Nothing has changed.',
}

const refusals: Record<string, string> = {
  'skipped: address': 'It leads to an address that may not be connected to from here, as one of a private network',
  'skipped: blocked': 'It is on the list of what is not fetched here',
  'skipped: scope': 'It redirects to what is not part of it',
  'skipped: trap': 'Its address looks like one of an endless series',
  'skipped: length': 'Its address is too long',
  'skipped: limit': 'Too much was queued of its host',
}

function hint({ host }: OwnedSource): string {
  return `Ask whoever runs this service if ${host} should be fetched all the same, or remove it.`
}

function failingWords({ source, status, outcome }: Facts): string {
  const { host } = source
  if (outcome === 'redirect')
    return `The page redirects to itself, as sites do that want a cookie. Watch where it leads.`
  const code = outcome.slice('failed: '.length)
  if (status >= 400) return `${host} answers with an error (status ${status}). It is tried again, less and less often.`
  if (code === 'redirect-refused' && status > 0)
    return `${host} redirects to an address that is not followed. Look where it leads in a browser.`
  if (code === 'http-client-error' || code === 'http-server-error' || code === 'redirect-refused')
    return `robots.txt of ${host} can not be had, so nothing of it is fetched. It is tried again, less and less often.`
  const known = Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode] : null
  if (code === 'dns-not-found') return `There is no host of the name ${host}. Look at the spelling of the address.`
  const reason = known === null ? 'It could not be fetched' : `It could not be fetched: ${known.means}`
  return `${reason}. It is tried again, less and less often.`
}

const reasons: Record<Why, string> = {
  'first-check': 'its first check',
  interval: 'its usual interval',
  'back-off': 'it failed and is tried less often',
  'window-closed': 'its hours begin then',
  'window-never-open': 'its hours never come',
  queue: 'it is due and waits for its turn',
  'user-budget': 'others of your checks go first',
  'host-budget': 'other checks of its host go first',
  asked: 'somebody asked for it',
  'in-flight': 'it is being checked now',
  // Of a source that is not: the scheduler has not heard of it yet.
  paused: 'it was resumed just now',
}

/** Why it is checked then. */
export function whyText(source: OwnedSource, snapshot: WatchSnapshot | undefined): string {
  if (snapshot === undefined) return ''
  const { why, intervalMs, failures } = snapshot
  if (why === 'back-off')
    return `it failed ${failures === 1 ? 'once' : `${failures} times in a row`} and is tried less often`
  if (why !== 'interval') return reasons[why]
  if (intervalMs > source.everyMs)
    return `it changes seldom, so it is checked every ${roughly(intervalMs)} instead of every ${formatDuration(source.everyMs)}`
  return intervalMs < source.everyMs
    ? `it is checked every ${roughly(intervalMs)}, since somebody else wants it more often`
    : `it is checked every ${formatDuration(source.everyMs)}`
}

function roughly(ms: number): string {
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
  ] as const)
    if (ms >= size * 2) return `${Math.round(ms / size)}${unit}`
  return `${Math.round(ms / 1000)}s`
}

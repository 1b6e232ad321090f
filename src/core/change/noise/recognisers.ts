import {
  addressLabels,
  addressParameters,
  auxiliaries,
  checksums,
  countAdjectives,
  countdownEndings,
  countdownLabels,
  countTimes,
  feedLabels,
  generatorLabels,
  idLabels,
  limitWords,
  looking,
  machineLabels,
  madeIn,
  maybeIdLabels,
  memoryLabels,
  memoryUnits,
  peopleNouns,
  queryNouns,
  upLabels,
  userNouns,
  visitNouns,
  youAre,
} from './labels.ts'
import {
  isBefore,
  isNumber,
  isSign,
  isYear,
  labelledMoment,
  type Reading,
  type Recogniser,
  relativeTime,
  skipDuration,
  stamp,
} from './moments.ts'
import { popularity } from './popularity.ts'
import type { Token } from './tokens.ts'
import { approximately, connectors, secondUnits } from './vocabulary.ts'

export const noiseKinds = [
  'relative-time',
  'stamp',
  'counter',
  'measured',
  'id',
  'copyright',
  'feed-date',
  'generator',
  'address',
  'countdown',
  'clock',
] as const
export type NoiseKind = (typeof noiseKinds)[number]

/** "1,234", "1.2k", "3 Mio." */
function skipAmount(tokens: readonly Token[], i: number): number {
  if (!isNumber(tokens[i])) return i
  const end = i + 1
  if (/^(?:k|m|mio|tsd|tys|тыс|mil|万|萬|만|천)$/.test(tokens[end]?.text ?? ''))
    return isSign(tokens[end + 1], '.') ? end + 2 : end + 1
  return isSign(tokens[end], '+') ? end + 1 : end
}

function skipAdjectives(tokens: readonly Token[], i: number): number {
  let at = i
  for (let k = 0; k < 3; k++) at += countAdjectives.at(tokens, at)
  return at
}

function counter(reading: Reading, i: number): number {
  const { tokens } = reading
  return isNumber(tokens[i]) ? countedFirst(tokens, i) : namedFirst(tokens, i)
}

/** "1,234 views", "3 users online", "12 people are viewing this". */
function countedFirst(tokens: readonly Token[], i: number): number {
  const ordinal = tokens[i + 1]
  const isOrdinal = /^(?:st|nd|rd|th)$/.test(ordinal?.text ?? '') && !ordinal!.spaced
  // "You are the 12,345th visitor"
  if (isOrdinal) {
    const noun = isBefore(youAre, tokens, i, 3) ? userNouns.at(tokens, i + 2) : 0
    return noun > 0 ? i + 2 + noun : i
  }
  const amount = skipAmount(tokens, i)
  if (isSign(tokens[i - 1], '€$£¥') || isSign(tokens[amount], '€$£¥%')) return i
  if (tokens[amount]?.text === 'online' && tokens[amount + 1]?.kind !== 'word') return amount + 1
  const noun = skipAdjectives(tokens, amount)
  const visits = visitNouns.at(tokens, noun)
  if (visits > 0) return endsThere(tokens, noun + visits) ? noun + visits : i
  const users = userNouns.at(tokens, noun)
  const people = users || peopleNouns.at(tokens, noun)
  if (people === 0 || isBefore(limitWords, tokens, i, 1)) return i
  const end = noun + people
  for (let k = end, part = 0; part < 8; part++) {
    const seen = looking.at(tokens, k)
    if (seen > 0) return skipObject(tokens, k + seen)
    const between = auxiliaries.at(tokens, k) || userNouns.at(tokens, k) || peopleNouns.at(tokens, k)
    if (between === 0 && !isNumber(tokens[k]) && !isSign(tokens[k], ',')) break
    k += between || 1
  }
  // "Users browsing this forum: 3 guests"
  if (isSign(tokens[i - 1], ':') && isBefore(looking, tokens, i, 5)) return end
  if (users === 0) return i
  const isAlone = i === 0 && end >= tokens.length - 1
  const isTimed = countTimes.at(tokens, end) > 0 || isBefore(countTimes, tokens, i, 4)
  return isAlone || isTimed ? end : i
}

/** "3 views of Mount Fuji" are none of a page. */
function endsThere(tokens: readonly Token[], i: number): boolean {
  const next = tokens[i]
  return (
    next?.kind !== 'word' ||
    /[^\x20-\u024f]/.test(next.text) ||
    countTimes.at(tokens, i) > 0 ||
    auxiliaries.at(tokens, i) > 0
  )
}

/** "… this page right now". */
function skipObject(tokens: readonly Token[], i: number): number {
  let at = i
  for (let k = 0; k < 4; k++)
    if (
      /^(?:this|page|item|product|article|topic|forum|site|now|right|the|at|moment|it|website)$/.test(
        tokens[at]?.text ?? '',
      )
    )
      at++
  return at
}

/** "Views: 12", "Visitors today (12)", "You are visitor number 12,345". */
function namedFirst(tokens: readonly Token[], i: number): number {
  const visits = visitNouns.at(tokens, i)
  const name = visits || userNouns.at(tokens, i) || (tokens[i]?.text === 'online' ? 1 : 0)
  if (name === 0 || isNumber(tokens[i - 1])) return i
  let at = skipAdjectives(tokens, i + name)
  if (/^(?:since|seit|depuis|desde|dal)$/.test(tokens[at]?.text ?? '') && isYear(tokens[at + 1])) at += 2
  let signs = 0
  while (
    signs < 3 &&
    (isSign(tokens[at], ':=(#|[№-–') || /^(?:no|nr|number|nummer|numero|número|count)$/.test(tokens[at]?.text ?? ''))
  ) {
    at++
    signs++
  }
  if (isSign(tokens[at], '.')) at++
  const end = skipAmount(tokens, at)
  if (signs === 0 && visits === 0 && (i > 0 || end < tokens.length)) return i
  // A noun that belongs to the number: "views 3 rooms" is no count of views.
  if (end === at || (signs === 0 && tokens[end]?.kind === 'word') || isSign(tokens[end], '€$£%')) return i
  return isSign(tokens[end], ')]') ? end + 1 : end
}

function measured({ tokens }: Reading, i: number): number {
  const made = madeIn.at(tokens, i)
  if (made > 0) {
    let at = i + made
    for (let k = 0; k < 3 && !isNumber(tokens[at]); k++)
      at += isSign(tokens[at], ':=(~') ? 1 : connectors.at(tokens, at) + approximately.at(tokens, at)
    const end = skipDuration(tokens, at, secondUnits)
    if (end > at) return end
    return /\d[.,]\d/.test(tokens[at]?.text ?? '') || tokens[at - 2]?.text === 'ms' ? at + 1 : i
  }
  // "About 1,230 results (0.45 seconds)"
  if (isSign(tokens[i], '(') && /[.,]\d/.test(tokens[i + 1]?.text ?? '')) {
    const end = skipDuration(tokens, i + 1, secondUnits)
    if (end > i + 1 && isSign(tokens[end], ')')) return end + 1
  }
  // "14 queries in 0.034 s", "Served by web-3 in 0.034 s"
  if (/^(?:in|en|za|за)$/.test(tokens[i]?.text ?? '') && /^0[.,]\d\d/.test(tokens[i + 1]?.text ?? '')) {
    const end = skipDuration(tokens, i + 1, secondUnits)
    return end > i + 1 && tokens[end]?.kind !== 'word' ? end : i
  }
  if (isNumber(tokens[i])) {
    const queries = queryNouns.at(tokens, i + 1)
    if (queries > 0) return i + 1 + queries
    const memory = isBefore(queryNouns, tokens, i, 4) ? memoryUnits.at(tokens, i + 1) : 0
    return memory > 0 ? i + 1 + memory : i
  }
  const memory = memoryLabels.at(tokens, i)
  if (memory > 0) {
    const at = i + memory + (isSign(tokens[i + memory], ':=') ? 1 : 0)
    return isNumber(tokens[at]) ? at + 1 + memoryUnits.at(tokens, at + 1) : i
  }
  const up = upLabels.at(tokens, i)
  return up > 0 ? skipMeasures(tokens, i + up, i) : i
}

/** "3 days, 4:05", "0.12, 0.08, 0.05". */
function skipMeasures(tokens: readonly Token[], from: number, none: number): number {
  let at = from
  let end = none
  for (let k = 0; k < 10; k++) {
    const duration = skipDuration(tokens, at)
    if (duration > at) at = duration
    else if (isNumber(tokens[at]) || tokens[at]?.kind === 'clock') at++
    else if (isSign(tokens[at], ':,=%/')) {
      at++
      continue
    } else break
    end = at
  }
  return isSign(tokens[end], '%') ? end + 1 : end
}

/** Where the run of letters, digits and signs ends that has no space in it. */
function skipRun(tokens: readonly Token[], i: number): number {
  let end = i
  while (end < i + 64 && end < tokens.length && (end === i || !tokens[end]!.spaced)) {
    if (tokens[end]!.kind === 'sign' && !'-_+/=~.'.includes(tokens[end]!.text)) break
    end++
  }
  while (end > i && isSign(tokens[end - 1], '.-/')) end--
  return end
}

function runText({ text, tokens }: Reading, i: number, end: number): string {
  return end > i ? text.slice(tokens[i]!.start, tokens[end - 1]!.end) : ''
}

const isMixed = (run: string): boolean => /\d/.test(run) && /[a-z]/i.test(run)

function id(reading: Reading, i: number): number {
  const { tokens } = reading
  if (tokens[i]?.kind === 'hex') return isBefore(checksums, tokens, i, 4) ? i : i + 1
  const own = visitorAddress(reading, i)
  if (own > i) return own
  const certain = idLabels.at(tokens, i)
  const label = certain || maybeIdLabels.at(tokens, i)
  if (label === 0) return i
  let at = i + label
  let signs = 0
  for (let k = 0; k < 4; k++) {
    const isSigned = isSign(tokens[at], ':=#(№"\'')
    const skipped = isSigned ? 1 : certain > 0 ? connectors.at(tokens, at) : 0
    if (isSigned) signs++
    at += skipped
  }
  const end = skipRun(tokens, at)
  const run = runText(reading, at, end)
  if (run.length < 4 || !/\d/.test(run) || /\d\.\d/.test(run)) return i
  const isId =
    certain > 0 ||
    (isMixed(run) && run.length >= (/^(?:build|commit|rev|git)$/.test(tokens[i]!.text) ? 6 : 7)) ||
    (signs > 0 && /^(?:build|commit|rev|request|session)$/.test(tokens[i]!.text))
  const isBuild = tokens[i]!.text === 'build' && isSign(tokens[i - 1], '(') && isSign(tokens[end], ')')
  return isId || isBuild ? end : i
}

/** "Your IP address is 192.0.2.1", and "Server: web-03" where there is nothing else. */
function visitorAddress(reading: Reading, i: number): number {
  const { tokens } = reading
  const label = addressLabels.at(tokens, i)
  const machine = label === 0 && i === 0 ? machineLabels.at(tokens, i) : 0
  if (label + machine === 0) return i
  let at = i + label + machine
  const isNamed = isSign(tokens[at], ':=')
  for (let k = 0; k < 3; k++) at += isSign(tokens[at], ':=(') ? 1 : connectors.at(tokens, at)
  let end = at
  while (end < at + 40 && end < tokens.length && (end === at || !tokens[end]!.spaced)) end++
  const run = runText(reading, at, end).replace(/[.,;)]+$/, '')
  if (label > 0) return /^[\da-f]{1,4}(?:[.:]{1,2}[\da-f]{1,4}){2,8}$/i.test(run) ? end : i
  const isMachine = /^[a-z][a-z\d]*(?:-[a-z\d]+)+(?:\.[a-z\d.-]+)?$/i.test(run) && /\d/.test(run)
  return isNamed && isMachine && end === tokens.length ? end : i
}

/** "© 2025–2026 Acme", "Copyright Acme Ltd. 2003-2026": only the years. */
function copyright({ tokens }: Reading, i: number): number {
  if (!isYear(tokens[i])) return i
  let isMarked = false
  for (let k = Math.max(0, i - 8); k < i; k++)
    isMarked ||=
      isSign(tokens[k], '©℗') ||
      /^copyrights?$/.test(tokens[k]!.text) ||
      (tokens[k]!.text === 'c' && isSign(tokens[k - 1], '(') && isSign(tokens[k + 1], ')'))
  isMarked ||= isSign(tokens[i + 1], '©')
  if (!isMarked) return i
  let end = i + 1
  while (
    end < i + 8 &&
    (isSign(tokens[end], '-–—,/') || /^(?:to|bis|à)$/.test(tokens[end]?.text ?? '')) &&
    /^(?:\d\d|(?:19|20)\d\d|present|today|heute)$/.test(tokens[end + 1]?.text ?? '')
  )
    end += 2
  return end
}

/** "Powered by phpBB 3.3.11", "Generator: WordPress 6.4": only the version. */
function generator({ tokens }: Reading, i: number): number {
  const isVersion = (token: Token | undefined): boolean => isNumber(token) || token?.kind === 'date'
  if (!isVersion(tokens[i]) || !isBefore(generatorLabels, tokens, i, 7)) return i
  let end = i + 1
  while (end < i + 8 && !tokens[end]?.spaced && (isSign(tokens[end], '.-') || isVersion(tokens[end]))) end++
  return isSign(tokens[end - 1], '.-') ? end - 1 : end
}

const fileEnding = /^(?:js|mjs|css|png|jpg|jpeg|gif|svg|webp|avif|woff|map|ico)/

/** "style.css?v=20261116", "app.3f2a1b9c.js". */
function address(reading: Reading, i: number): number {
  const { tokens } = reading
  if (isSign(tokens[i], '?&;') && isSign(tokens[i + 2], '=') && addressParameters.at(tokens, i + 1) === 1) {
    const end = skipRun(tokens, i + 3)
    return end > i + 3 ? end : i
  }
  if (!isSign(tokens[i], '.-') || tokens[i]!.spaced || tokens[i + 1] === undefined) return i
  let end = i + 1
  while (end < i + 34 && tokens[end] !== undefined && tokens[end]!.kind !== 'sign' && !tokens[end]!.spaced) end++
  const run = runText(reading, i + 1, end)
  const isHash = /^[0-9a-z]{8,40}$/i.test(run) && isMixed(run)
  return isHash && isSign(tokens[end], '.') && fileEnding.test(tokens[end + 1]?.text ?? '') ? end : i
}

function countdown({ tokens }: Reading, i: number): number {
  const label = countdownLabels.at(tokens, i)
  if (label > 0) {
    let at = i + label
    for (let k = 0; k < 2; k++) at += isSign(tokens[at], ':(-–') ? 1 : connectors.at(tokens, at)
    const end = tokens[at]?.kind === 'clock' ? at + 1 : skipDuration(tokens, at)
    if (end > at) return end + countdownEndings.at(tokens, end)
  }
  const end = tokens[i]?.kind === 'clock' ? i + 1 : isNumber(tokens[i]) ? skipDuration(tokens, i) : i
  const ending = end > i ? countdownEndings.at(tokens, end) : 0
  return ending > 0 ? end + ending : i
}

/** In this order: what says more goes first. */
export const recognisers: readonly (readonly [NoiseKind, Recogniser])[] = [
  ['feed-date', labelledMoment(feedLabels)],
  ['measured', measured],
  ['stamp', stamp],
  ['countdown', countdown],
  ['relative-time', relativeTime],
  ['counter', counter],
  ['counter', popularity],
  ['copyright', copyright],
  ['generator', generator],
  ['address', address],
  ['id', id],
]

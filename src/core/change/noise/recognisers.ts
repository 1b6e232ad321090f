import { counter } from './counters.ts'
import {
  addressLabels,
  addressParameters,
  cacheLabels,
  cacheStates,
  checksums,
  countdownEndings,
  countdownLabels,
  feedLabels,
  generatorLabels,
  idLabels,
  machineLabels,
  madeIn,
  making,
  maybeIdLabels,
  memoryLabels,
  memoryUnits,
  queryNouns,
  rightsReserved,
  upLabels,
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
  'consent',
] as const
export type NoiseKind = (typeof noiseKinds)[number]

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
  if (/^(?:in|en|za|за)$/.test(tokens[i]?.text ?? '')) {
    const isMade = /^0[.,]\d\d/.test(tokens[i + 1]?.text ?? '') || isBefore(making, tokens, i, 12)
    const end = isMade ? skipDuration(tokens, i + 1, secondUnits) : i
    return end > i + 1 && tokens[end]?.kind !== 'word' ? end : i
  }
  const cache = cacheLabels.at(tokens, i)
  if (cache > 0) {
    const at = i + cache + (isSign(tokens[i + cache], ':=') ? 1 : 0)
    const end = at + cacheStates.at(tokens, at)
    return end > at ? skipAge(tokens, end) : i
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

/** "(age 142s)", "age: 12 seconds". */
function skipAge(tokens: readonly Token[], i: number): number {
  let at = isSign(tokens[i], '(,;') ? i + 1 : i
  if (tokens[at]?.text !== 'age') return i
  at += isSign(tokens[at + 1], ':=') ? 2 : 1
  const end = skipDuration(tokens, at)
  const after = end > at ? end : isNumber(tokens[at]) ? at + 1 : i
  return isSign(tokens[after], ')') && after > i ? after + 1 : after
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

/** The end of a run of letters, digits and signs without spaces. */
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
  const isDated = /^20\d\d[.-]?[01]\d[.-]?[0-3]\d/.test(run)
  if (run.length < 4 || !/\d/.test(run)) return i
  if (/\d\.\d/.test(run) && !isDated && !/(?<![\da-f])(?=[\d]*[a-f])[\da-f]{7,}(?![\da-f])/i.test(run)) return i
  const isId =
    certain > 0 ||
    isDated ||
    (isMixed(run) && run.length >= (/^(?:build|commit|rev|git)$/.test(tokens[i]!.text) ? 6 : 7)) ||
    (signs > 0 && /^(?:build|commit|rev|request|session)$/.test(tokens[i]!.text))
  // A hash without a letter.
  const isHash = /^\d{7,40}$/.test(run) && tokens[end]?.kind !== 'word'
  const isBuild = tokens[i]!.text === 'build' && isSign(tokens[i - 1], '(') && isSign(tokens[end], ')')
  return isId || isHash || isBuild ? end : i
}

/** "Your IP address is 192.0.2.1", or "Server: web-03" if that is the whole text. */
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

/** "© 2025–2026 Acme", "Copyright Acme Ltd. 2003-2026": covers only the years. */
function copyright({ tokens }: Reading, i: number): number {
  if (!isYear(tokens[i])) return i
  let isMarked = false
  for (let k = Math.max(0, i - 8); k < i; k++)
    isMarked ||=
      isSign(tokens[k], '©℗') ||
      /^copyrights?$/.test(tokens[k]!.text) ||
      (tokens[k]!.text === 'c' && isSign(tokens[k - 1], '(') && isSign(tokens[k + 1], ')'))
  isMarked ||=
    isSign(tokens[i + 1], '©') || rightsReserved.at(tokens, i + 1 + (isSign(tokens[i + 1], '.,') ? 1 : 0)) > 0
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

/** "Powered by phpBB 3.3.11", "Generator: WordPress 6.4": covers only the version. */
function generator({ tokens }: Reading, i: number): number {
  const isVersion = (token: Token | undefined): boolean => isNumber(token) || token?.kind === 'date'
  // "Built on 16 November 2026 with Hugo 0.120.0"
  const isUsed = /^(?:with|using|mit|avec|con)$/.test(tokens[i - 2]?.text ?? '') && isBefore(making, tokens, i - 2, 14)
  if (!isVersion(tokens[i]) || !(isUsed || isBefore(generatorLabels, tokens, i, 7))) return i
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
  const isHash = /^[0-9a-z]{8,40}$/i.test(run) && (isMixed(run) || /^\d+$/.test(run))
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

/** In order of precedence: the most specific first. */
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

import { stampEndings, stampLabels, takesEffect } from './labels.ts'
import type { Token } from './tokens.ts'
import {
  agoAfter,
  agoBefore,
  agoUnits,
  approximately,
  clockLabels,
  connectors,
  months,
  nowWords,
  type Phrases,
  someNumber,
  units,
  weekdays,
  zones,
} from './vocabulary.ts'

/** The text of a block, as tokens. */
export type Reading = { readonly text: string; readonly tokens: readonly Token[] }
/** Returns where the noise that begins at a token ends (exclusive); `i` if there is none. Looks at a bounded number of tokens. */
export type Recogniser = (reading: Reading, i: number) => number

export const isSign = (token: Token | undefined, signs: string): boolean =>
  token !== undefined && token.kind === 'sign' && signs.includes(token.text)
export const isNumber = (token: Token | undefined): boolean => token?.kind === 'number'
export const isYear = (token: Token | undefined): boolean => isNumber(token) && /^(?:19|20)\d\d$/.test(token!.text)

/** Whether one of the phrases is among the preceding tokens. */
export function isBefore(words: Phrases, tokens: readonly Token[], i: number, within: number): boolean {
  for (let k = Math.max(0, i - within); k < i; k++) {
    const taken = words.at(tokens, k)
    if (taken > 0 && k + taken <= i) return true
  }
  return false
}

/** "5", "about 5", "a few". */
function skipCount(tokens: readonly Token[], i: number): number {
  const at = i + approximately.at(tokens, i)
  if (isNumber(tokens[at])) return at + 1
  const words = someNumber.at(tokens, at)
  return words > 0 ? at + words : i
}

/** "5 minutes", "2 days, 3 hours and 1 minute", "2h 5m". */
export function skipDuration(tokens: readonly Token[], i: number, of: Phrases = units): number {
  let end = i
  for (let part = 0; part < 5; part++) {
    const joined =
      part > 0 && (isSign(tokens[end], ',') || /^(?:and|und|et|y|e|en|и|i|og|och)$/.test(tokens[end]?.text ?? ''))
    const from = joined ? end + 1 : end
    const counted = skipCount(tokens, from)
    if (counted === from) break
    const unit = of.at(tokens, counted)
    if (unit === 0) break
    end = counted + unit
    if (isSign(tokens[end], '.') && tokens[end - 1]!.text.length <= 4) end++
  }
  return end
}

export function relativeTime({ tokens }: Reading, i: number): number {
  const word = nowWords.at(tokens, i)
  if (word > 0) return skipClockAfter(tokens, i + word)
  const before = agoBefore.at(tokens, i)
  if (before > 0) {
    const end = skipDuration(tokens, i + before)
    if (end > i + before) return end
  }
  if (isNumber(tokens[i])) {
    const ended = agoUnits.at(tokens, i + 1)
    if (ended > 0) return i + 1 + ended
  }
  const end = skipDuration(tokens, i)
  const after = end > i ? agoAfter.at(tokens, end) : 0
  return after > 0 ? end + after : i
}

/** "yesterday at 14:05". */
function skipClockAfter(tokens: readonly Token[], i: number): number {
  for (let k = i; k < i + 3; k++) {
    if (tokens[k]?.kind === 'clock') return k + 1 + zones.at(tokens, k + 1)
    if (!isSign(tokens[k], ',') && connectors.at(tokens, k) === 0) break
  }
  return i
}

const dayEnding = /^(?:st|nd|rd|th|er|º|ª)$/

/** "16 November 2026", "16. Nov.", "November 16th, 2026", "16 de noviembre de 2026", "2026年11月16日", "2026-11-16T12:00Z". */
function skipDate(tokens: readonly Token[], i: number): number {
  if (tokens[i]?.kind === 'date') return i + 1
  const cjk = skipCjk(tokens, i)
  if (cjk > i) return cjk
  if (isNumber(tokens[i]) && tokens[i]!.text.length <= 2) {
    let at = i + 1
    if (isSign(tokens[at], '.º') || dayEnding.test(tokens[at]?.text ?? '')) at++
    if (/^(?:of|de|del|d)$/.test(tokens[at]?.text ?? '') || isSign(tokens[at], '-/')) at++
    const month = months.at(tokens, at)
    return month > 0 ? skipYear(tokens, at + month) : i
  }
  const month = months.at(tokens, i)
  if (month === 0) return i
  let at = i + month
  if (isYear(tokens[at])) return at + 1
  if (!isNumber(tokens[at]) || tokens[at]!.text.length > 2) return i
  at++
  if (isSign(tokens[at], '.') || dayEnding.test(tokens[at]?.text ?? '')) at++
  return skipYear(tokens, at)
}

function skipYear(tokens: readonly Token[], i: number): number {
  for (let k = i; k <= i + 2; k++) {
    if (isYear(tokens[k])) return k + 1
    if (!isSign(tokens[k], ",.-/'") && !/^(?:of|de|del|του)$/.test(tokens[k]?.text ?? '')) break
  }
  return i
}

/** Numbers followed by 年月日時分秒 or 년월일시분초. */
function skipCjk(tokens: readonly Token[], i: number): number {
  let end = i
  while (end < i + 14 && isNumber(tokens[end]) && /^[年月日時时分秒点년월일시분초]$/.test(tokens[end + 1]?.text ?? ''))
    end += 2
  return end >= i + 4 ? end : i
}

/** A date, a time of day, or both, in any order, with weekday and zone; `i` if none of it states a time. */
function skipMoment(reading: Reading, i: number): number {
  const { tokens } = reading
  const said = new Set<Said>()
  let end = i
  for (let at = i, part = 0; part < 16 && at < tokens.length; part++) {
    const found = skipSaid(reading, at)
    if (found !== null) {
      // A second date refers to something else.
      if (said.has(found.kind)) break
      said.add(found.kind)
      at = found.end + zones.at(tokens, found.end)
      end = at
      continue
    }
    const weekday = weekdays.at(tokens, at)
    const skipped = weekday || (isSign(tokens[at], ':-–—(,|·=•#/[') ? 1 : connectors.at(tokens, at))
    if (skipped === 0) break
    at += skipped
    if (weekday > 0 && end > i) end = at
  }
  return end > i && isSign(tokens[end], ')]') ? end + 1 : end
}

type Said = 'date' | 'clock' | 'relative'

function skipSaid(reading: Reading, i: number): { kind: Said; end: number } | null {
  const { tokens } = reading
  const token = tokens[i]
  const date = skipDate(tokens, i)
  if (date > i) return { kind: 'date', end: date }
  if (token?.kind === 'clock') return { kind: 'clock', end: i + 1 }
  const relative = relativeTime(reading, i)
  if (relative > i) return { kind: 'relative', end: relative }
  if (isNumber(token)) {
    const zone = zones.at(tokens, i + 1)
    if (zone > 0 && token!.text.length <= 5) return { kind: 'clock', end: skipMinutes(tokens, i + 1 + zone) }
    if (/^1\d{9}(?:\d{3})?$/.test(token!.text)) return { kind: 'date', end: i + 1 }
  }
  return null
}

/** "14h30". */
function skipMinutes(tokens: readonly Token[], i: number): number {
  return isNumber(tokens[i]) && !tokens[i]!.spaced && tokens[i]!.text.length === 2 ? i + 1 : i
}

export function labelledMoment(labels: Phrases): Recogniser {
  return (reading, i) => {
    const { tokens } = reading
    const label = labels.at(tokens, i)
    if (label === 0) return i
    const value = i + label
    if (tokens[i]!.text === 'as' && isBefore(takesEffect, tokens, i, 4)) return i
    const end = skipMoment(reading, value)
    if (end > value) return end
    // "Last edited by Ann Smith on 16 November 2026"
    if (!/^(?:by|von|par|por|da|door|av|przez)$/.test(tokens[value]?.text ?? '')) return i
    for (let k = value + 2; k <= value + 5; k++) {
      const named = skipMoment(reading, k)
      if (named > k) return named
    }
    return i
  }
}

const labelledStamp = labelledMoment(stampLabels)

export function stamp(reading: Reading, i: number): number {
  const labelled = labelledStamp(reading, i)
  if (labelled > i) return labelled
  // "2026/11/16 更新"
  const { tokens } = reading
  const date = skipDate(tokens, i)
  if (date === i) return i
  const end = skipClockAfter(tokens, date)
  const ending = stampEndings.at(tokens, end)
  return ending > 0 ? end + ending : i
}

/** Whether the whole text is a moment to the second, as on a running clock. Full minutes belong to events. */
export function isClock(reading: Reading): boolean {
  const { text, tokens } = reading
  if (text.length > 80 || !/\d:\d\d:(?!00)\d\d/.test(text)) return false
  // The result of a race.
  if (/^(?:time|zeit|temps|tempo|tiempo)\P{L}{0,3}\d{1,2}:\d\d:\d\d$/iu.test(text)) return false
  const label = clockLabels.at(tokens, 0)
  const from = label + (isSign(tokens[label], ':=') ? 1 : 0)
  const end = skipMoment(reading, from)
  return end > from && end >= tokens.length
}

/** Whether the whole text is a date, with weekday or time, as pages show today's. */
export function isDateAlone(reading: Reading): boolean {
  const { text, tokens } = reading
  if (text.length > 80 || !/\d/.test(text)) return false
  return skipMoment(reading, 0) >= tokens.length && tokens.some((_, i) => skipDate(tokens, i) > i)
}

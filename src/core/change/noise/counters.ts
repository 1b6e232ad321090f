import {
  auxiliaries,
  countAdjectives,
  countTimes,
  forumNouns,
  limitWords,
  looking,
  newestMember,
  peopleNouns,
  userNouns,
  visitNouns,
  youAre,
} from './labels.ts'
import { isBefore, isNumber, isSign, isYear, type Reading } from './moments.ts'
import type { Token } from './tokens.ts'
import { someNumber } from './vocabulary.ts'

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

/** Counts of views, visits, users and members. */
export function counter(reading: Reading, i: number): number {
  const { tokens } = reading
  if (isNumber(tokens[i])) return countedFirst(tokens, i)
  const named = Math.max(namedFirst(tokens, i), ofForum(tokens, i))
  const words = named > i ? 0 : someNumber.at(tokens, i)
  return words > 0 ? skipLookers(tokens, i + words, i) : named
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
  const lookers = skipLookers(tokens, noun, i)
  if (lookers > i) return lookers
  // "Users browsing this forum: 3 guests"
  if (isSign(tokens[i - 1], ':') && isBefore(looking, tokens, i, 5)) return end
  if (users === 0) return i
  const isAlone = i === 0 && end >= tokens.length - 1
  const isTimed = countTimes.at(tokens, end) > 0 || isBefore(countTimes, tokens, i, 4)
  return isAlone || isTimed ? end : i
}

/** "Total posts 40013", "Our newest member Ann Smith". */
function ofForum(tokens: readonly Token[], i: number): number {
  const noun = forumNouns.at(tokens, i)
  const member = noun > 0 ? 0 : newestMember.at(tokens, i)
  if (noun + member === 0) return i
  let at = i + noun + member
  if (isSign(tokens[at], ':,')) at++
  if (noun > 0) return isNumber(tokens[at]) ? skipAmount(tokens, at) : i
  let end = at
  while (end < at + 4 && (tokens[end]?.kind === 'word' || isNumber(tokens[end]) || isSign(tokens[end], '-_'))) end++
  return end > at ? end : i
}

/** "people are viewing this", "users and 12 guests online"; `none` if no such verb follows. */
function skipLookers(tokens: readonly Token[], noun: number, none: number): number {
  const isPerson = (k: number): number => userNouns.at(tokens, k) || peopleNouns.at(tokens, k)
  let k = noun + isPerson(noun)
  if (k === noun) return none
  for (let part = 0; part < 8; part++) {
    const seen = looking.at(tokens, k)
    if (seen > 0) return skipOthers(tokens, skipObject(tokens, k + seen))
    const between = auxiliaries.at(tokens, k) || isPerson(k)
    if (between === 0 && !isNumber(tokens[k]) && !isSign(tokens[k], ',')) break
    k += between || 1
  }
  return none
}

/** "… online :: 3 registered, 0 hidden and 37 guests". */
function skipOthers(tokens: readonly Token[], i: number): number {
  let end = i
  for (let k = 0; k < 6; k++) {
    let at = end
    while (isSign(tokens[at], ':,;(-–|·•') || /^(?:and|und|et|y|e|with)$/.test(tokens[at]?.text ?? '')) at++
    if (!isNumber(tokens[at])) break
    const noun = skipAdjectives(tokens, at + 1)
    const named = noun + (peopleNouns.at(tokens, noun) || userNouns.at(tokens, noun))
    if (named === at + 1) break
    end = isSign(tokens[named], ')') ? named + 1 : named
  }
  return end
}

/** "3 views of Mount Fuji" are not page views. */
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
  const amount = skipAmount(tokens, at)
  const end = amount > at && visits > 0 && /^[次回회번]$/.test(tokens[amount]?.text ?? '') ? amount + 1 : amount
  if (signs === 0 && visits === 0 && (i > 0 || end < tokens.length)) return i
  // If a noun belongs to the number, as in "views 3 rooms", it isn't a count of views.
  if (end === at || (signs === 0 && tokens[end]?.kind === 'word') || isSign(tokens[end], '€$£%')) return i
  return isSign(tokens[end], ')]') ? end + 1 : end
}

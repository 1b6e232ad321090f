import type { Change } from '../change.ts'
import { isConsentBanner } from './hints.ts'
import { fillers } from './labels.ts'
import { isClock, type Reading } from './moments.ts'
import { type NoiseKind, recognisers } from './recognisers.ts'
import { readTokens, type Token } from './tokens.ts'

export type Noise = { readonly change: Change; readonly why: NoiseKind }
export type ToldApart = { readonly told: readonly Change[]; readonly noise: readonly Noise[] }

/** In words, as used in "this part is …". */
export const noiseWords: Readonly<Record<NoiseKind, string>> = {
  'relative-time': 'a relative time',
  stamp: 'a “last updated” time',
  counter: 'a counter of views or users',
  measured: 'a generation time',
  id: 'a request, session or build id',
  copyright: 'a copyright year',
  'feed-date': 'a build date',
  generator: 'a generator version',
  address: 'a cache parameter in an address',
  countdown: 'a countdown',
  clock: 'a clock',
  consent: 'a consent banner',
}

/** Longer blocks are reported unchecked, as are changes beyond a number that no one reads. */
const MAX_TEXT = 20_000
const MAX_CHANGES = 5_000

/** `start` and `end` are offsets in the text that was masked. */
type Span = { readonly kind: NoiseKind; readonly text: string; readonly start: number; readonly end: number }
/** A text with its noise masked. */
export type Masked = {
  /** Equal for texts that differ only in noise. */
  readonly rest: string
  readonly spans: readonly Span[]
  /** There is noise, and nothing else. */
  readonly isOnlyNoise: boolean
}

/** Separates changes of things that change by themselves: times, counters, ids. */
export function tellApart(changes: readonly Change[]): ToldApart {
  const told: Change[] = []
  const noise: Noise[] = []
  changes.forEach((change, n) => {
    const why = n < MAX_CHANGES ? noiseOf(change) : null
    if (why === null) told.push(change)
    else noise.push({ change, why })
  })
  return withReplaced(told, noise)
}

/** Why a change is noise; null if it isn't. */
export function noiseOf(change: Change): NoiseKind | null {
  const { kind, before, after, place } = change
  if (isConsentBanner(place)) return 'consent'
  if ((before?.length ?? 0) > MAX_TEXT || (after?.length ?? 0) > MAX_TEXT) return null
  if (kind !== 'changed') {
    const { isOnlyNoise, spans } = mask(after ?? before ?? '', change)
    return isOnlyNoise ? spans[0]!.kind : null
  }
  const old = mask(before!, change)
  const next = mask(after!, change)
  if (old.rest !== next.rest && !(old.isOnlyNoise && next.isOnlyNoise)) return null
  const differing = next.spans.find(({ text }, k) => text !== old.spans[k]?.text) ?? next.spans[0]
  return differing?.kind ?? null
}

/** Pairs removed and added blocks of one place that differ only in noise, but were too different to be paired as they are. */
function withReplaced(told: readonly Change[], noise: readonly Noise[]): ToldApart {
  const removed = new Map<string, { change: Change; why: NoiseKind }[]>()
  const nameOf = (change: Change): Masked & { name: string } => {
    const masked = mask(change.before ?? change.after ?? '', change)
    return { ...masked, name: `${change.block}\n${change.place}\n${change.path}\n${masked.rest}` }
  }
  for (const change of told) {
    if (change.kind !== 'removed' || change.before!.length > MAX_TEXT) continue
    const { spans, name } = nameOf(change)
    if (spans.length > 0) removed.set(name, [...(removed.get(name) ?? []), { change, why: spans[0]!.kind }])
  }
  if (removed.size === 0) return { told, noise }
  const taken = new Map<Change, NoiseKind>()
  for (const change of told) {
    if (change.kind !== 'added' || change.after!.length > MAX_TEXT) continue
    const match = removed.get(nameOf(change).name)?.shift()
    if (match === undefined) continue
    taken.set(match.change, match.why)
    taken.set(change, match.why)
  }
  const found = [...taken].map(([change, why]): Noise => ({ change, why }))
  return { told: told.filter((change) => !taken.has(change)), noise: [...noise, ...found] }
}

type Where = Pick<Change, 'key' | 'place' | 'block'>

/** Also masks with the value's name, which is elsewhere: in its path, or in the element around it. */
export function mask(text: string, where: Where): Masked {
  const plain = maskText(text)
  if (plain.isOnlyNoise || text.length > 60) return plain
  const name = nameOf(where)
  if (name === '') return plain
  const named = maskText(`${name}: ${text}`)
  return named.isOnlyNoise ? named : plain
}

/** The name as words: for a JSON value the last name of its path, for other short blocks the last element with its id and class. */
function nameOf({ key, place, block }: Where): string {
  const path = block === 'value' ? key : block === 'entry' ? '' : place
  const last = path.split(/[/>]|\s/).findLast((part) => part !== '') ?? ''
  const name =
    block === 'value' ? (/([\p{L}_][\p{L}\d_-]*)[^\p{L}]*$/u.exec(last.slice(-80))?.[1] ?? '') : last.slice(-80)
  return name
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replace(/^(?:p|div|span|li|td|time|small|em|strong|section)(?=[.#])/, '')
    .replace(/[._#-]+/g, ' ')
    .trim()
}

function maskText(text: string): Masked {
  const reading: Reading = { text, tokens: readTokens(text) }
  const { tokens } = reading
  if (isClock(reading))
    return { rest: '\0clock', spans: [{ kind: 'clock', text, start: 0, end: text.length }], isOnlyNoise: true }
  const rest: string[] = []
  const spans: Span[] = []
  let isOnlyNoise = true
  for (let i = 0; i < tokens.length; ) {
    const found = recognise(reading, i)
    if (found !== null) {
      const [start, end] = [tokens[i]!.start, tokens[found.end - 1]!.end]
      spans.push({ kind: found.kind, text: text.slice(start, end), start, end })
      rest.push(`\0${found.kind}`)
      i = found.end
      continue
    }
    isOnlyNoise &&= isNothing(tokens, i)
    rest.push(text.slice(tokens[i]!.start, tokens[i]!.end))
    i++
  }
  return { rest: rest.join('\n'), spans, isOnlyNoise: isOnlyNoise && spans.length > 0 }
}

function recognise(reading: Reading, i: number): { kind: NoiseKind; end: number } | null {
  for (const [kind, end] of recognisers) {
    const at = end(reading, i)
    if (at > i) return { kind, end: at }
  }
  return null
}

function isNothing(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i]!
  return token.kind === 'sign' ? !/[\p{Sc}%©]/u.test(token.text) : fillers.at(tokens, i) > 0
}

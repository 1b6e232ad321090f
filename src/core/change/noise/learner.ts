import { hash } from 'node:crypto'
import type { Change } from '../change.ts'
import { hintOf } from './hints.ts'
import { type LearnedBlock, type LearnedReason, learningLimits, type MuteReason } from './learned-block.ts'
import type { NoiseKind } from './recognisers.ts'
import { frameOf, shapeOf } from './shape.ts'
import { holdsPrice, isTracked, saysAlarm } from './tracked.ts'

/** Number of previous checks that must have changed a block; see `learned-block`. */
const IN_A_ROW = 2
/** Minimum number of words. */
const SENTENCE = 10
/** Maximum characters of a list of names in one line. */
const MAX_NAMES = 2_000
const OF_LAST = { checks: 5, changed: 4 } as const
const HINTED_IN_A_ROW = 1
const HINTED_OF_LAST = { checks: 4, changed: 2 } as const

type Round = { check: number; at: number; undone: ReadonlySet<string> }
type Way = 'n' | 'w' | 'o'
/** A block whose text was replaced: one that changed, or a removed one with an added one in its place. */
type Replacement = Change & { readonly before: string; readonly after: string; readonly of: readonly Change[] }

export function shortHash(...parts: readonly string[]): string {
  return hash('sha256', parts.join('\0'), 'base64url').slice(0, 10)
}

export function changeHash({ kind, block, before, after }: Change): string {
  return shortHash(kind, block, before ?? '', after ?? '')
}

/** Blocks of one list share a place. Without places, so do all lines of a text. */
function whereOf({ block, place, path, key }: Change): string {
  return shortHash(block, key === '' ? (place === '' ? path : place) : key)
}

/** All noise of one kind in one place is one entry, regardless of the number of blocks. */
export function recognisedId(change: Change, why: NoiseKind): string {
  const text = change.place === '' && change.key === '' ? shapeOf(change.after ?? change.before ?? '') : ''
  return shortHash(why, whereOf(change), text)
}

/** Observes the changes of one check. Adds blocks to `known` and updates them. */
export function createLearner(known: Map<string, LearnedBlock>, { check, at, undone }: Round) {
  const byText = new Map([...known.values()].map((block) => [`${block.where} ${block.text}`, block.id]))
  const decided: [change: string, block: string][] = []

  function blockOf(id: string, change: Change): LearnedBlock {
    const path = change.path.slice(0, learningLimits.sample).toWellFormed()
    const fresh = { text: '', marks: [], seen: [], frame: null, why: '' as const, since: 0, muted: 0, sample: '' }
    const block: LearnedBlock = known.get(id) ?? { id, where: whereOf(change), path, ...fresh }
    block.sample = (change.after ?? change.before ?? '').slice(0, learningLimits.sample).toWellFormed()
    known.set(id, block)
    return block
  }

  function mute(block: LearnedBlock, why: MuteReason, changes: readonly Change[]): void {
    if (undone.has(block.id)) return
    if (block.why === '') block.since = at
    block.why = why
    block.muted += 1
    for (const change of changes) decided.push([changeHash(change), block.id])
  }

  function mark(block: LearnedBlock, how: Way, went: readonly (string | undefined)[]): void {
    if (block.marks.at(-1)?.[0] !== check)
      block.marks = [...block.marks, [check, how] as const].slice(-learningLimits.marks)
    const names = went.flatMap((text) => (text === undefined ? [] : [shortHash(text)]))
    block.seen = [...block.seen.filter((name) => !names.includes(name)), ...names].slice(-learningLimits.seen)
  }

  /** Number of consecutive checks, up to the previous one, in which it changed in one of these ways. */
  function inRow({ marks }: LearnedBlock, ways: string): number {
    let row = 0
    for (const [when, way] of marks.filter(([each]) => each < check).toReversed()) {
      if (when !== check - row - 1 || !ways.includes(way)) break
      row++
    }
    return row
  }
  const ofLast = ({ marks }: LearnedBlock, checks: number): number =>
    marks.filter(([when]) => when < check && when >= check - checks).length

  /** The former texts of a place, regardless of which of its blocks had them. */
  const regionOf = (change: Change): LearnedBlock => blockOf(shortHash('region', whereOf(change)), change)

  /** Texts that flip in a place may also be added, removed and moved there. */
  const hasFlipped = (where: string): boolean =>
    [...known.values()].some((block) => block.where === where && block.why === 'flips')

  function replaced(change: Replacement): void {
    const { before, after, of } = change
    const where = whereOf(change)
    const isNumeric = shapeOf(before) === shapeOf(after)
    const block = blockOf(byText.get(`${where} ${shortHash(before)}`) ?? shortHash(where, shapeOf(before)), change)
    const region = isNumeric ? null : regionOf(change)
    const why = isTracked(change) ? '' : region === null ? ofNumbers(block, change) : ofWords(block, region, change)
    if (why !== '') mute(block, why, of)
    else if (block.why !== '' && block.why !== 'flips') forget(block)
    block.text = shortHash(after)
    byText.set(`${where} ${block.text}`, block.id)
    mark(block, isNumeric ? 'n' : 'w', [before])
    if (region === null) return
    block.frame = block.frame === null ? frameOf(before, after) : narrowed(block.frame, after)
    mark(region, 'w', [before])
  }

  /** In a whole sentence or a table, a number is part of the content; counters are on their own. */
  function ofNumbers(block: LearnedBlock, { block: kind, after }: Replacement): LearnedReason | '' {
    const isSaid = kind === 'row' || (after.match(/\p{L}{2,}/gu)?.length ?? 0) >= SENTENCE
    const isLearned = isSaid ? ofLast(block, OF_LAST.checks) >= OF_LAST.changed : inRow(block, 'n') >= IN_A_ROW
    return block.why === 'numbers' || isLearned ? 'numbers' : ''
  }

  function ofWords(block: LearnedBlock, region: LearnedBlock, change: Replacement): LearnedReason | '' {
    const { before, after } = change
    const name = shortHash(after)
    const isKnown = block.seen.includes(name) || region.seen.includes(name)
    if (isKnown && (block.why === 'flips' || ofLast(block, 1) > 0 || ofLast(region, 1) > 0)) return 'flips'
    if (isShuffled(before, after)) return block.why === 'order' || inRow(block, 'w') >= IN_A_ROW ? 'order' : ''
    // Texts that grow, and texts meant to be read, are news no matter how often they change.
    if (after.includes(before) || /^(?:heading|title|entry)$/.test(change.block)) return ''
    const keepsFrame = block.frame === null || (after.startsWith(block.frame.head) && after.endsWith(block.frame.tail))
    const isOften = block.why === 'often' || ofLast(block, OF_LAST.checks) >= OF_LAST.changed
    return keepsFrame && isOften ? 'often' : ''
  }

  /** For a block that changed in a way that wasn't learned. */
  function forget(block: LearnedBlock): void {
    block.why = ''
    block.since = 0
    block.marks = []
    block.frame = null
  }

  /** Blocks added to or removed from a list are news, except former ones that come back. */
  function cameOrWent(change: Change): void {
    const region = regionOf(change)
    const isKnown = region.seen.includes(shortHash(change.after ?? change.before ?? ''))
    const isReturn = hasFlipped(region.where) || (change.kind === 'added' && ofLast(region, 1) > 0)
    if (isKnown && isReturn && !isTracked(change)) mute(region, 'flips', [change])
    mark(region, 'w', [change.before])
  }

  function moved(where: string, changes: readonly Change[]): void {
    const list = blockOf(shortHash('order', where), changes[0]!)
    if (list.why === 'order' || inRow(list, 'o') >= IN_A_ROW || hasFlipped(where)) mute(list, 'order', changes)
    mark(list, 'o', [])
  }

  /** A part whose name says that it rotates counts as one block. */
  function hinted(part: string, changes: readonly Change[]): void {
    // If words change beside it, a price is that of another item.
    const isOther = changes.some(
      ({ kind, before, after }) => kind !== 'changed' || shapeOf(before!) !== shapeOf(after!),
    )
    const told = changes.filter(
      (change) => !(isRepriced(change) && (!isOther || /\p{L}/u.test(shapeOf(change.after!)))) && !saysAlarm(change),
    )
    if (told.length === 0) return
    const block = blockOf(shortHash('part', part), told[0]!)
    const isNumeric = told.every(
      ({ kind, before, after }) => kind === 'changed' && shapeOf(before!) === shapeOf(after!),
    )
    const isOrder = told.every(({ kind }) => kind === 'moved')
    const isKnown = told.some(
      ({ kind, after }) => kind !== 'moved' && after !== undefined && block.seen.includes(shortHash(after)),
    )
    const isOften = ofLast(block, HINTED_OF_LAST.checks) >= HINTED_OF_LAST.changed
    const isRow = inRow(block, 'nwo') >= HINTED_IN_A_ROW
    if (block.why !== '') mute(block, block.why, told)
    else if (isNumeric && isRow) mute(block, 'numbers', told)
    else if (isOrder && isRow) mute(block, 'order', told)
    else if (isKnown) mute(block, 'flips', told)
    else if (isOften) mute(block, 'often', told)
    mark(
      block,
      isNumeric ? 'n' : isOrder ? 'o' : 'w',
      told.map(({ before }) => before),
    )
  }

  return {
    decided,

    recognised(change: Change, why: NoiseKind): void {
      const block = blockOf(recognisedId(change, why), change)
      mute(block, why, [change])
      mark(block, 'n', [])
    },

    observe(changes: readonly Change[]): void {
      const parts = new Map<string, Change[]>()
      const orders = new Map<string, Change[]>()
      const others: Change[] = []
      const add = (to: Map<string, Change[]>, name: string, change: Change): void =>
        void to.set(name, [...(to.get(name) ?? []), change])
      for (const change of changes) {
        // In feeds, entries are added, removed and moved all the time.
        if (change.block === 'entry' && change.kind !== 'changed') continue
        const part = change.block === 'entry' ? null : hintOf(change)
        if (part !== null) add(parts, part, change)
        else if (change.kind === 'moved') add(orders, whereOf(change), change)
        else others.push(change)
      }
      for (const [part, each] of parts) hinted(part, each)
      for (const [where, each] of orders) moved(where, each)
      for (const change of joined(others)) {
        if (isReplacement(change)) replaced(change)
        else cameOrWent(change)
      }
    },
  }
}

function narrowed({ head, tail }: { head: string; tail: string }, text: string): { head: string; tail: string } {
  return {
    head: text.startsWith(head) ? head : frameOf(head, text).head,
    tail: text.endsWith(tail) ? tail : frameOf(tail, text).tail,
  }
}

/** "A | B | C" and "B | C | A". */
function isShuffled(before: string, after: string): boolean {
  if (before.length !== after.length || before.length > MAX_NAMES) return false
  const [old, next] = [before, after].map((text) => text.split(/\s?[|·•,;:/]\s?/).sort())
  return old!.length > 2 && old!.length <= 100 && old!.join('\n') === next!.join('\n')
}

/** The same product at another price is news, even among advertisements. */
function isRepriced({ kind, before, after }: Change): boolean {
  return kind === 'changed' && holdsPrice(after!) && shapeOf(before!) === shapeOf(after!)
}

function isReplacement(change: Change | Replacement): change is Replacement {
  return change.before !== undefined && change.after !== undefined
}

/** Joins a removed block and one added in its place into one whose text changed. */
function joined(changes: readonly Change[]): (Change | Replacement)[] {
  const removed = new Map<string, Change[]>()
  let gone = 0
  let come = 0
  const gapOf = (change: Change): string =>
    `${whereOf(change)} ${change.kind === 'removed' ? change.from - gone++ : change.to - come++}`
  const gaps = new Map<Change, string>()
  for (const change of changes.filter(({ kind }) => kind === 'removed').sort((a, b) => a.from - b.from))
    gaps.set(change, gapOf(change))
  for (const change of changes.filter(({ kind }) => kind === 'added').sort((a, b) => a.to - b.to))
    gaps.set(change, gapOf(change))
  for (const change of changes)
    if (change.kind === 'removed') removed.set(gaps.get(change)!, [...(removed.get(gaps.get(change)!) ?? []), change])
  const taken = new Set<Change>()
  const found: (Change | Replacement)[] = []
  for (const change of changes) {
    if (change.kind === 'changed') found.push({ ...change, before: change.before!, after: change.after!, of: [change] })
    if (change.kind !== 'added') continue
    const went = removed.get(gaps.get(change)!)?.shift()
    if (went === undefined) found.push(change)
    else {
      taken.add(went)
      found.push({ ...change, kind: 'changed', before: went.before!, after: change.after!, of: [went, change] })
    }
  }
  return [...found, ...changes.filter((change) => change.kind === 'removed' && !taken.has(change))]
}

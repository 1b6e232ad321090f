import { type Alphabet, type CharacterSet, createAlphabet, rangeOf, union } from '../../core/pattern/character-set.ts'
import { createPattern } from '../../core/pattern/pattern.ts'
import type { Span } from '../../core/pattern/pattern-search.ts'
import { type PatternNode, readPattern } from '../../core/pattern/pattern-syntax.ts'
import type { WorkBudget } from '../../core/work/work-budget.ts'

/**
 * Regular expressions matched against texts. All alternatives are followed in parallel, so the time is at most the length of the
 * text times the size of the expression, both limited. Each step is charged to a budget, so that the worst expression on the worst
 * page ends at the same point on every machine.
 */
export type TextPattern = {
  readonly source: string
  /** The first match at or after `from`: the leftmost and, of these, the one the expression prefers. */
  find(text: string, from: number, budget: WorkBudget): Span | null
}

export type ReadTextPattern = { kind: 'pattern'; pattern: TextPattern } | { kind: 'wrong'; why: string }

const MAX_STEPS = 300
const SET = 0
const FORK = 1
const JUMP = 2
const ASSERT = 3
const MATCH = 4

type Assertion = 'start' | 'end' | 'boundary' | 'inside'
type Step = { op: number; x: number; y: number; set: CharacterSet | null; what: Assertion | null }

/** Errors are returned, not thrown, as users write these expressions. */
export function readTextPattern(source: string, options: { ignoreCase: boolean }): ReadTextPattern {
  try {
    createPattern(source)
  } catch (error) {
    return { kind: 'wrong', why: error instanceof Error ? error.message : String(error) }
  }
  const syntax = readPattern(source)
  if (syntax.kind === 'unsupported') return { kind: 'wrong', why: `regular expressions cannot have ${syntax.what}` }
  const steps: Step[] = []
  if (!emit(syntax.root, steps, options.ignoreCase))
    return { kind: 'wrong', why: `the regular expression has more than ${MAX_STEPS} steps when written out` }
  push(steps, MATCH)
  const first = firstCharacters(steps)
  if (first === null) return { kind: 'wrong', why: 'the regular expression matches every text' }
  const alphabet = createAlphabet(steps.flatMap(({ set }) => (set === null ? [] : [set])))
  return { kind: 'pattern', pattern: { source, find: createFinder(steps, alphabet, alphabet.members(first)) } }
}

function push(steps: Step[], op: number, x = 0, y = 0): Step {
  const step: Step = { op, x, y, set: null, what: null }
  steps.push(step)
  return step
}

/** Returns false as soon as there are too many steps. */
function emit(node: PatternNode, steps: Step[], ignoreCase: boolean): boolean {
  if (steps.length > MAX_STEPS) return false
  switch (node.kind) {
    case 'set':
      push(steps, SET).set = ignoreCase ? bothCases(node.set) : node.set
      return true
    case 'assert':
      push(steps, ASSERT).what = node.what
      return true
    case 'sequence':
      return node.parts.every((part) => emit(part, steps, ignoreCase))
    case 'choice':
      return emitChoice(node.options, steps, ignoreCase)
    case 'repeat':
      return emitRepeat(node, steps, ignoreCase)
  }
}

function emitChoice(options: readonly PatternNode[], steps: Step[], ignoreCase: boolean): boolean {
  const jumps: Step[] = []
  for (const option of options.slice(0, -1)) {
    const fork = push(steps, FORK, steps.length + 1)
    if (!emit(option, steps, ignoreCase)) return false
    jumps.push(push(steps, JUMP))
    fork.y = steps.length
  }
  if (!emit(options.at(-1)!, steps, ignoreCase)) return false
  for (const jump of jumps) jump.x = steps.length
  return true
}

function emitRepeat(node: Extract<PatternNode, { kind: 'repeat' }>, steps: Step[], ignoreCase: boolean): boolean {
  const { part, min, max, isLazy } = node
  for (let i = 0; i < min; i++) {
    const before = steps.length
    if (!emit(part, steps, ignoreCase)) return false
    // An empty match may be repeated any number of times.
    if (steps.length === before) return true
  }
  if (max === Number.POSITIVE_INFINITY) {
    const at = steps.length
    const fork = push(steps, FORK, at + 1)
    if (!emit(part, steps, ignoreCase)) return false
    push(steps, JUMP, at)
    fork.y = steps.length
    if (isLazy) swap(fork)
    return true
  }
  const forks: Step[] = []
  for (let i = min; i < max; i++) {
    forks.push(push(steps, FORK, steps.length + 1))
    if (!emit(part, steps, ignoreCase)) return false
  }
  for (const fork of forks) {
    fork.y = steps.length
    if (isLazy) swap(fork)
  }
  return true
}

/** Makes the other branch the preferred one, which is the first. */
function swap(fork: Step): void {
  const { x } = fork
  fork.x = fork.y
  fork.y = x
}

/** Each letter in order with the same letter in the other case; computed once. */
let casePairs: readonly (readonly [letter: number, other: number])[] | null = null

function findCasePairs(): [number, number][] {
  const pairs: [number, number][] = []
  for (let unit = 0; unit <= 0xffff; unit++) {
    const letter = String.fromCharCode(unit)
    for (const other of [letter.toLowerCase(), letter.toUpperCase()])
      if (other.length === 1 && other !== letter) pairs.push([unit, other.charCodeAt(0)])
  }
  return pairs
}

function bothCases(set: CharacterSet): CharacterSet {
  casePairs ??= findCasePairs()
  const others: CharacterSet[] = [set]
  let range = 0
  for (const [letter, other] of casePairs) {
    while (range < set.length && set[range + 1]! < letter) range += 2
    if (range === set.length) break
    if (letter >= set[range]!) others.push(rangeOf(other, other))
  }
  return union(others)
}

/** Characters that a match can begin with; null if it can be empty. */
function firstCharacters(steps: readonly Step[]): CharacterSet | null {
  const first: CharacterSet[] = []
  const seen = new Set<number>()
  const pending = [0]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const step = steps[at]!
    if (step.op === MATCH) return null
    if (step.op === SET) first.push(step.set!)
    else if (step.op === FORK) pending.push(step.x, step.y)
    else pending.push(step.op === JUMP ? step.x : at + 1)
  }
  return union(first)
}

/** States of the expression followed at one point of the text, in order of preference. */
type Threads = { places: Uint16Array; starts: Uint32Array; count: number }

function createFinder(steps: readonly Step[], alphabet: Alphabet, first: Uint8Array): TextPattern['find'] {
  const sets = steps.map(({ set }) => (set === null ? null : alphabet.members(set)))
  const seen = new Uint32Array(steps.length)
  let round = 0
  const threads = (): Threads => ({
    places: new Uint16Array(steps.length),
    starts: new Uint32Array(steps.length),
    count: 0,
  })
  let now = threads()
  let next = threads()
  const pending: number[] = []

  /** Adds the states reachable from `place` without consuming a character; true if one is a match, and the rest is skipped. */
  function follow(list: Threads, place: number, start: number, text: string, at: number): boolean {
    pending.push(place)
    while (pending.length > 0) {
      const here = pending.pop()!
      if (seen[here] === round) continue
      seen[here] = round
      const step = steps[here]!
      if (step.op === MATCH) {
        pending.length = 0
        return true
      }
      if (step.op === SET) {
        list.places[list.count] = here
        list.starts[list.count++] = start
      } else if (step.op === JUMP) pending.push(step.x)
      else if (step.op === FORK) pending.push(step.y, step.x)
      else if (holds(step.what!, text, at)) pending.push(here + 1)
    }
    return false
  }

  function nextRound(): void {
    round++
    if (round < 0xffffffff) return
    seen.fill(0)
    round = 1
  }

  return (text, from, budget) => {
    let found: Span | null = null
    now.count = 0
    let at = from
    const length = text.length
    budget.left -= (length - from) >> 3
    for (; budget.left > 0; at++) {
      if (now.count === 0) {
        if (found !== null) return found
        while (at < length && first[alphabet.classOf(text.charCodeAt(at))] === 0) at++
        if (at >= length) return null
        nextRound()
        follow(now, 0, at, text, at)
      }
      if (at >= length) return found
      const c = alphabet.classOf(text.charCodeAt(at))
      nextRound()
      next.count = 0
      let isDecided = false
      for (let i = 0; i < now.count && !isDecided; i++) {
        if (sets[now.places[i]!]![c] === 0) continue
        const start = now.starts[i]!
        if (!follow(next, now.places[i]! + 1, start, text, at + 1)) continue
        found = { start, end: at + 1 }
        isDecided = true
      }
      // A later start only matters while there is no match.
      if (found === null && at + 1 < length) follow(next, 0, at + 1, text, at + 1)
      budget.left -= now.count + next.count
      const before = now
      now = next
      next = before
    }
    return found
  }
}

function holds(what: Assertion, text: string, at: number): boolean {
  if (what === 'start') return at === 0
  if (what === 'end') return at === text.length
  const isBoundary = isWord(text, at - 1) !== isWord(text, at)
  return what === 'boundary' ? isBoundary : !isBoundary
}

function isWord(text: string, at: number): boolean {
  if (at < 0 || at >= text.length) return false
  const c = text.charCodeAt(at)
  return (c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || c === 0x5f
}

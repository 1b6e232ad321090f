import { type Alphabet, type CharacterSet, createAlphabet } from './character-set.ts'
import type { PatternNode } from './pattern-syntax.ts'

/**
 * An expression as a list of steps (a Thompson NFA). A place is the index of a step. `set` steps consume a character and continue with the
 * next step; all others consume nothing. Of the two branches of a `fork`, JavaScript tries `first` first. Repetitions are unrolled, which
 * is why the size is limited.
 */
export type Step =
  | { kind: 'set'; set: CharacterSet; members: Uint8Array }
  | { kind: 'fork'; first: number; second: number }
  | { kind: 'jump'; to: number }
  | { kind: 'assert'; what: Assertion }
  | { kind: 'match' }

export type Assertion = 'start' | 'end' | 'boundary' | 'inside'

export type Surroundings = { atStart: boolean; atEnd: boolean; boundary: boolean }

/** `work`: number of steps visited. */
export type Reached = { places: number[]; matched: boolean; work: number }

export type Program = {
  readonly steps: readonly Step[]
  /** The character classes of this expression. */
  readonly alphabet: Alphabet
  readonly first: readonly number[]
  /** The consuming places reachable from `places` without consuming, in order; `matched` if the end is reachable. */
  reach(places: readonly number[], around: Surroundings): Reached
  /** The places after one character of class `c`, including the start, in order. */
  step(reached: readonly number[], c: number): number[]
}

export const maxSteps = 1000

/** Null if the expression is too large. */
export function compilePattern(root: PatternNode): Program | null {
  const steps: Step[] = []
  if (!emit(root, steps)) return null
  steps.push({ kind: 'match' })
  // An unrolled repetition contains the same set many times.
  const sets = new Set(steps.flatMap((step) => (step.kind === 'set' ? [step.set] : [])))
  const alphabet = createAlphabet([...sets])
  const members = new Map([...sets].map((set) => [set, alphabet.members(set)]))
  for (const step of steps) if (step.kind === 'set') step.members = members.get(step.set)!
  return createProgram(steps, alphabet)
}

// Filled in once all sets are known.
const noMembers = new Uint8Array(0)

/** Returns false as soon as there are too many steps. */
function emit(node: PatternNode, steps: Step[]): boolean {
  if (steps.length > maxSteps) return false
  switch (node.kind) {
    case 'set':
      steps.push({ kind: 'set', set: node.set, members: noMembers })
      return true
    case 'assert':
      steps.push({ kind: 'assert', what: node.what })
      return true
    case 'sequence':
      return node.parts.every((part) => emit(part, steps))
    case 'choice':
      return emitChoice(node.options, steps)
    case 'repeat':
      return emitRepeat(node, steps)
  }
}

function emitChoice(options: PatternNode[], steps: Step[]): boolean {
  const jumps: { kind: 'jump'; to: number }[] = []
  for (const [index, option] of options.entries()) {
    if (index === options.length - 1) {
      if (!emit(option, steps)) return false
      break
    }
    const fork = { kind: 'fork' as const, first: steps.length + 1, second: 0 }
    steps.push(fork)
    if (!emit(option, steps)) return false
    const jump = { kind: 'jump' as const, to: 0 }
    steps.push(jump)
    jumps.push(jump)
    fork.second = steps.length
  }
  for (const jump of jumps) jump.to = steps.length
  return true
}

function emitRepeat({ part, min, max, isLazy }: PatternNode & { kind: 'repeat' }, steps: Step[]): boolean {
  for (let i = 0; i < min; i++) {
    const before = steps.length
    if (!emit(part, steps)) return false
    if (steps.length === before) return true
  }
  const forks: { fork: Step & { kind: 'fork' }; inner: number }[] = []
  if (max === Number.POSITIVE_INFINITY) {
    const start = steps.length
    forks.push(openFork(steps))
    if (!emit(part, steps)) return false
    steps.push({ kind: 'jump', to: start })
  } else {
    for (let i = min; i < max; i++) {
      forks.push(openFork(steps))
      if (!emit(part, steps)) return false
    }
  }
  for (const { fork, inner } of forks) {
    fork.first = isLazy ? steps.length : inner
    fork.second = isLazy ? inner : steps.length
  }
  return steps.length <= maxSteps
}

/** One branch is the next step; the other is set once that has been emitted. */
function openFork(steps: Step[]): { fork: Step & { kind: 'fork' }; inner: number } {
  const fork = { kind: 'fork' as const, first: 0, second: 0 }
  steps.push(fork)
  return { fork, inner: steps.length }
}

function createProgram(steps: readonly Step[], alphabet: Alphabet): Program {
  // The round in which a place was last seen, so that nothing needs clearing between rounds.
  const seen = new Uint32Array(steps.length + 1)
  let round = 0
  const pending: number[] = []
  return {
    steps,
    alphabet,
    first: [0],
    reach(from, around) {
      round++
      const places: number[] = []
      let matched = false
      let work = 0
      pending.length = 0
      for (let i = from.length - 1; i >= 0; i--) pending.push(from[i]!)
      for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
        if (seen[place] === round) continue
        seen[place] = round
        work++
        const step = steps[place]!
        if (step.kind === 'match') matched = true
        else if (step.kind === 'set') places.push(place)
        else if (step.kind === 'jump') pending.push(step.to)
        else if (step.kind === 'fork') pending.push(step.second, step.first)
        else if (holds(step.what, around)) pending.push(place + 1)
      }
      return { places, matched, work }
    },
    step(reached, c) {
      const next = [0]
      for (const place of reached) {
        const step = steps[place]!
        if (step.kind === 'set' && step.members[c] === 1) next.push(place + 1)
      }
      return next.sort((left, right) => left - right)
    },
  }
}

export function holds(what: Assertion, around: Surroundings): boolean {
  switch (what) {
    case 'start':
      return around.atStart
    case 'end':
      return around.atEnd
    case 'boundary':
      return around.boundary
    case 'inside':
      return !around.boundary
  }
}

/** Whether `\b` treats a character class as part of a word. */
export function isWord(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || c === 0x5f
}

import { createWorkBudget, type WorkBudget } from '../work/work-budget.ts'
import { createBackwards, type State } from './pattern-backwards.ts'
import { isWord, type Program } from './pattern-program.ts'
import { createWays, EDGE, MATCHED, OTHER, type Side, WORD } from './pattern-ways.ts'

/** A range of a text: `start` inclusive, `end` exclusive. */
export type Span = { start: number; end: number }

/**
 * Finds all matches of an expression, as JavaScript's matcher with the flag `g` does, in time linear in the text.
 *
 * The text is first read backwards. At each position, the live steps of the expression are determined: those that take the character there
 * and from which the rest of the text can lead to a match. Then the text is read forwards, always taking the first live step in
 * JavaScript's order. It leads to the match, so there is no backtracking, and no character is read twice.
 *
 * The live steps at a position depend only on those at the next position and on the character. They form the states of an automaton, built
 * lazily, cached with their transitions, and dropped when there are too many. Keeping a state for each position of a long text would take
 * much memory, so only one in `stretchLength` is kept, and those between are recomputed when the forward pass gets there.
 *
 * Loops around something that can be empty, such as `(a*)*`, may end elsewhere than in JavaScript, which has special rules for them.
 */
export type Search = {
  /** Empty if the budget runs out. A character that leads to a known state costs one step. */
  findAll(text: string, budget?: WorkBudget): Span[]
  /** Total number of characters read so far, in both directions. */
  readonly taken: number
}

/** Half a second for an expression that meets an unknown state at every character. */
const defaultWork = 40_000_000
/** Cost of a new state, in addition to one per step of the expression. */
const stateCost = 50
const stretchLength = 4096
const sides = [EDGE, WORD, OTHER] as const

export function createSearch(program: Program): Search {
  const { steps, alphabet } = program
  const backwards = createBackwards(program)
  const wayFrom = createWays(program, (steps) => {
    left -= steps
  })
  const stretch: State[] = []
  let taken = 0
  /** Budget left for the current text. */
  let left = 0

  /** The states of all positions, to be read in order; null if no match begins anywhere, or the budget is spent. */
  function statesOf(text: string): ((at: number) => State) | null {
    const kept: State[] = []
    let state = backwards.end
    let mayMatch = false
    for (let at = text.length; ; at--) {
      if (at % stretchLength === 0) kept.push(state)
      if (at === 0) break
      const c = classAt(text, at - 1)
      state = state.before[c] ?? newState(state, c, at)
      if (left <= 0) return null
      mayMatch ||= state.canBegin ?? canBegin(state)
    }
    taken += text.length
    if (!mayMatch) return null
    kept.reverse()
    let loaded = -1
    return (at) => {
      const index = Math.floor(at / stretchLength)
      if (index !== loaded) {
        loaded = index
        load(text, index, kept[index + 1])
      }
      return stretch[at % stretchLength]!
    }
  }

  function load(text: string, index: number, next: State | undefined): void {
    const first = index * stretchLength
    const end = Math.min(first + stretchLength, text.length)
    let state = next ?? backwards.end
    if (next === undefined) stretch[end - first] = state
    for (let at = end - 1; at >= first; at--) {
      const c = classAt(text, at)
      state = state.before[c] ?? newState(state, c, at)
      stretch[at - first] = state
    }
    taken += end - first
  }

  function newState(after: State, c: number, at: number): State {
    left -= steps.length + stateCost
    return backwards.before(after, c, at)
  }

  function classAt(text: string, at: number): number {
    const unit = text.charCodeAt(at)
    return unit < 128 ? unit : alphabet.classOf(unit)
  }

  /** False if no match begins here, regardless of what precedes. */
  function canBegin(state: State): boolean {
    state.canBegin ??= sides.some((before) => choose(0, before, state) !== MATCHED)
    return state.canBegin
  }

  /** The first live step on the way; `MATCHED` if the match ends before it, or if there is none. */
  function choose(from: number, before: Side, state: State): number {
    const way = wayFrom(from, before, state.after)
    for (let i = 0; i < way.length; i++) {
      const place = way[i]!
      if (place === MATCHED) break
      if (state.alive[place] === 1) {
        left -= i
        return place
      }
    }
    left -= way.length
    return MATCHED
  }

  function take(text: string, at: number): Side {
    taken++
    return isWord(text.charCodeAt(at)) ? WORD : OTHER
  }

  function search(text: string): Span[] {
    const found: Span[] = []
    const stateAt = statesOf(text)
    if (stateAt === null) return found
    let before: Side = EDGE
    for (let at = 0; at < text.length && left > 0; ) {
      const start = at
      const state = stateAt(at)
      const first = state.first[before] ?? choose(0, before, state)
      state.first[before] = first
      before = take(text, at++)
      // No match begins here, or only an empty one.
      if (first === MATCHED) continue
      for (let place = first; ; before = take(text, at++)) {
        place = choose(place + 1, before, stateAt(at))
        if (place === MATCHED || left <= 0) break
      }
      found.push({ start, end: at })
    }
    return found
  }

  return {
    get taken() {
      return taken
    },
    findAll(text, budget = createWorkBudget(defaultWork)) {
      left = budget.left - text.length
      const found = left > 0 ? search(text) : []
      stretch.length = 0
      budget.left = left
      return left > 0 ? found : []
    },
  }
}

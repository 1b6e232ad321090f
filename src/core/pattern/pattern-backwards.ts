import { holds, isWord, type Program } from './pattern-program.ts'
import { EDGE, OTHER, type Side, surroundings, WORD } from './pattern-ways.ts'

/** State of an expression at a position, computed from the end of the text. */
export type State = {
  /** Per step: 1 if it takes the character at this position and the rest of the text can lead from it to a match. */
  readonly alive: Uint8Array
  /** The character at this position, as seen from the previous one. */
  readonly after: Side
  /** By the side before: the first step of a match that begins here; undefined until computed. */
  readonly first: [number | undefined, number | undefined, number | undefined]
  /** Whether a match can begin here at all; undefined until computed. */
  canBegin: boolean | undefined
  /** The preceding state, by the class of the character there. */
  before: Transitions
}

type Transitions = (State | undefined)[]
/** For states that are not cached. */
const noTransitions: Transitions = []

export type Backwards = {
  /** The state at the end of any text. */
  readonly end: State
  /** The state before `state` for a character of class `c` between them; `at` is its position in the text. */
  before(state: State, c: number, at: number): State
}

const maxStates = 500
/** Minimum characters per state for caching to pay off, and the number of characters without caching otherwise. */
const minPaying = 8
const unrememberedRun = 50_000

/**
 * States are built lazily and cached with their transitions. Beyond `maxStates`, all transitions are dropped. If that happens so soon that
 * caching didn't pay off, as with `a.{12}b` on a text of nothing but a and b, states are not cached for a while.
 */
export function createBackwards(program: Program): Backwards {
  const { steps, alphabet } = program
  const hopefulSteps = createHope(program)
  const takers = takersOf(program)
  const end = createState(new Uint8Array(steps.length), EDGE, newTransitions())
  let states = new Map<string, State>()
  let forgotAt = Number.POSITIVE_INFINITY
  let unremembered = 0

  function newTransitions(): Transitions {
    return new Array<State | undefined>(alphabet.size).fill(undefined)
  }

  function aliveBefore(next: State, c: number, after: Side): Uint8Array {
    const hopeful = hopefulSteps(next, after)
    const alive = new Uint8Array(steps.length)
    for (const place of takers[c]!) alive[place] = hopeful[place + 1]!
    return alive
  }

  function remember(alive: Uint8Array, after: Side, at: number): State {
    const name = String.fromCharCode(after) + Buffer.from(alive.buffer).toString('latin1')
    const known = states.get(name)
    if (known !== undefined) return known
    if (states.size >= maxStates) forget(at)
    const state = createState(alive, after, newTransitions())
    states.set(name, state)
    return state
  }

  /** Unlinks the states, so that one still referenced for a position of a text doesn't keep all the others alive. */
  function forget(at: number): void {
    for (const state of states.values()) state.before = []
    end.before = []
    states = new Map()
    if (Math.abs(forgotAt - at) < minPaying * maxStates) unremembered = unrememberedRun
    forgotAt = at
  }

  return {
    end,
    before(state, c, at) {
      const known = state.before[c]
      if (known !== undefined) return known
      const after = isWord(c) ? WORD : OTHER
      const alive = aliveBefore(state, c, after)
      if (unremembered > 0) {
        unremembered--
        return createState(alive, after, noTransitions)
      }
      const made = remember(alive, after, at)
      if (state.before !== noTransitions) state.before[c] = made
      return made
    },
  }
}

function createState(alive: Uint8Array, after: Side, before: Transitions): State {
  return { alive, after, first: [undefined, undefined, undefined], canBegin: undefined, before }
}

/** Per character class, the steps that take it. */
function takersOf({ steps, alphabet }: Program): number[][] {
  const takers: number[][] = Array.from({ length: alphabet.size }, () => [])
  for (const [place, step] of steps.entries()) {
    if (step.kind !== 'set') continue
    for (let c = 0; c < alphabet.size; c++) if (step.members[c] === 1) takers[c]!.push(place)
  }
  return takers
}

/**
 * Computes for each step whether a match can be reached from it, at a position between a character of kind `before` and the state `next`: 1
 * or 0. The result is valid until the next call.
 */
function createHope({ steps }: Program): (next: State, before: Side) => Uint8Array {
  const origins = originsOf(steps)
  const hopeful = new Uint8Array(steps.length)
  const pending = new Int32Array(steps.length)
  const lastStep = steps.length - 1
  return (next, before) => {
    const around = surroundings(before, next.after)
    hopeful.set(next.alive)
    hopeful[lastStep] = 1
    let count = 0
    for (let place = 0; place < steps.length; place++) if (hopeful[place] === 1) pending[count++] = place
    while (count > 0) {
      for (const origin of origins[pending[--count]!]!) {
        if (hopeful[origin] === 1) continue
        const step = steps[origin]!
        if (step.kind === 'assert' && !holds(step.what, around)) continue
        hopeful[origin] = 1
        pending[count++] = origin
      }
    }
    return hopeful
  }
}

/** Per step, the steps that lead to it without consuming a character. */
function originsOf(steps: Program['steps']): number[][] {
  const origins: number[][] = steps.map(() => [])
  for (const [place, step] of steps.entries()) {
    if (step.kind === 'jump') origins[step.to]!.push(place)
    else if (step.kind === 'fork') {
      origins[step.first]!.push(place)
      origins[step.second]!.push(place)
    } else if (step.kind === 'assert') origins[place + 1]!.push(place)
  }
  return origins
}

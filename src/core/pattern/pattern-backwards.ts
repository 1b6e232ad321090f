import { holds, isWord, type Program } from './pattern-program.ts'
import { EDGE, OTHER, type Side, surroundings, WORD } from './pattern-ways.ts'

/** What a place of a text is to an expression, seen from the end of the text. */
export type State = {
  /** For each step: 1 where it takes the character at this place and the rest of the text can lead from it to a match. */
  readonly alive: Uint8Array
  /** The character at this place, as the place before sees it. */
  readonly after: Side
  /** By what stands before: the step that a match takes first that begins here; undefined while not known. */
  readonly first: [number | undefined, number | undefined, number | undefined]
  /** Whether a match can begin here at all; undefined while not known. */
  canBegin: boolean | undefined
  /** The state before this one, by the class of the character there. */
  before: Transitions
}

type Transitions = (State | undefined)[]
/** Of states that are not remembered. */
const noTransitions: Transitions = []

export type Backwards = {
  /** The state at the end of any text. */
  readonly end: State
  /** The state before `state` where the character between them is of class `c`; `at` is its place in the text. */
  before(state: State, c: number, at: number): State
}

const maxStates = 500
/** How many characters a state must have served to be worth remembering, and for how many nothing is remembered if not. */
const minPaying = 8
const unrememberedRun = 50_000

/**
 * States are made when first needed and remembered with their transitions. When more than `maxStates` have come together
 * all forget what they knew of each other. Where that happens so soon that remembering did not pay, as with `a.{12}b` on
 * a text of nothing but a and b, states are made and not remembered for a while.
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

  /** A state that is kept for a place of a text must not keep all the others. */
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

/** For each class of characters the steps that take it. */
function takersOf({ steps, alphabet }: Program): number[][] {
  const takers: number[][] = Array.from({ length: alphabet.size }, () => [])
  for (const [place, step] of steps.entries()) {
    if (step.kind !== 'set') continue
    for (let c = 0; c < alphabet.size; c++) if (step.members[c] === 1) takers[c]!.push(place)
  }
  return takers
}

/**
 * Tells for each step whether, at a place between a character of kind `before` and the state `next`, there is a way
 * from it to a match: 1 or 0. The answer is valid until the next question.
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

/** Where one can come from, consuming nothing, to each step. */
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

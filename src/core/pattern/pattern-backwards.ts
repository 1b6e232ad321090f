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
  /** The state before this one, by the class of the character there. */
  before: (State | undefined)[]
}

export type Backwards = {
  /** The state at the end of any text. */
  readonly end: State
  before(state: State, c: number): State
}

const maxStates = 500

/** Where one can come from, consuming nothing, to each step. */
type Origins = readonly (readonly number[])[]

/** Makes states when first needed. When more than `maxStates` have come together all forget what they knew of each other. */
export function createBackwards(program: Program): Backwards {
  const { steps, alphabet } = program
  const origins = originsOf(program)
  const end: State = createState(new Uint8Array(steps.length), EDGE, alphabet.size)
  let states = new Map<string, State>()

  function make(next: State, c: number): State {
    const after = isWord(c) ? WORD : OTHER
    const hopeful = hopefulSteps(program, origins, next, after)
    const alive = new Uint8Array(steps.length)
    let name = String(after)
    for (let place = 0; place < steps.length; place++) {
      const step = steps[place]!
      if (step.kind !== 'set' || step.members[c] !== 1 || hopeful[place + 1] !== 1) continue
      alive[place] = 1
      name += `,${place}`
    }
    const known = states.get(name)
    if (known !== undefined) return known
    if (states.size >= maxStates) forget()
    const state = createState(alive, after, alphabet.size)
    states.set(name, state)
    return state
  }

  /** A state that is kept for a place of a text must not keep all the others. */
  function forget(): void {
    for (const state of states.values()) state.before = []
    end.before = []
    states = new Map()
  }

  return {
    end,
    before(state, c) {
      const known = state.before[c]
      if (known !== undefined) return known
      const made = make(state, c)
      state.before[c] = made
      return made
    },
  }
}

function createState(alive: Uint8Array, after: Side, classes: number): State {
  return { alive, after, first: [undefined, undefined, undefined], before: new Array(classes).fill(undefined) }
}

/** The steps from which, at a place between a character of kind `before` and `next`, there is a way to a match. */
function hopefulSteps({ steps }: Program, origins: Origins, next: State, before: Side): Uint8Array {
  const around = surroundings(before, next.after)
  const hopeful = new Uint8Array(steps.length)
  const pending: number[] = []
  for (let place = 0; place < steps.length; place++) {
    if (next.alive[place] === 1 || steps[place]!.kind === 'match') pending.push(place)
  }
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (hopeful[place] === 1) continue
    const step = steps[place]!
    if (step.kind === 'assert' && !holds(step.what, around)) continue
    hopeful[place] = 1
    pending.push(...origins[place]!)
  }
  return hopeful
}

function originsOf({ steps }: Program): Origins {
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

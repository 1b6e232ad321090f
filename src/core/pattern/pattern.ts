import { AppError } from '../errors.ts'
import type { WorkBudget } from '../work/work-budget.ts'
import { compilePattern, isWord, maxSteps, type Program } from './pattern-program.ts'
import { createSearch, type Search, type Span } from './pattern-search.ts'
import { createSimulation } from './pattern-simulation.ts'
import { readPattern } from './pattern-syntax.ts'

/**
 * Regular expressions given by users, matched in time linear in the text. JavaScript's own matcher goes back on its
 * steps: `(a+)+$` or `.*.*.*x` can occupy a thread for years on one URL, and checks that try to recognise such
 * expressions either miss some or refuse honest ones. Here all ways to match are followed at once.
 *
 * A state is the set of places that the expression may be in, together with what stood before. States are made
 * when first needed and remembered with their transitions, so a known URL costs one table look-up a character. When
 * more than `maxStates` have come together all are forgotten: memory is bounded, and time stays linear. Where that
 * happens so soon that remembering did not pay, as with `a.{12}b` on texts of nothing but a and b, nothing is remembered
 * for a while.
 *
 * Linear can still be long: an expression of 1000 steps may look at all of them at each character. So work is counted
 * where a budget is given: the steps that a state looks at, for each character, remembered or not.
 */
export type Pattern = {
  readonly source: string
  /** How many steps it has when written out. */
  readonly size: number
  /** False where the budget doesn't suffice. */
  matches(text: string, budget?: WorkBudget): boolean
  /**
   * The places that match, as JavaScript finds them: from left to right, none over another; empty ones are left out.
   * None where the budget doesn't suffice.
   */
  findAll(text: string, budget?: WorkBudget): Span[]
}

const maxSourceLength = 2000
const maxStates = 500
/** How many characters a state must have served to be worth remembering, and for how many nothing is remembered if not. */
const minPaying = 8
const unrememberedRun = 200_000

type State = {
  readonly places: readonly number[]
  readonly before: Before
  /** For each class of characters: 0 not known yet, 1 the expression has matched, 2 it cannot match any more, else a state's number plus 3. */
  readonly next: Uint16Array
  /** Whether the expression matches if the text ends here; undefined until asked. */
  matchesAtEnd: boolean | undefined
  /** Steps to look at for the next character; known with the first. */
  work: number
}
type Before = 'start' | 'word' | 'other'

/** Throws `usage-wrong` where the expression is wrong, too large or needs what cannot be matched in linear time. */
export function createPattern(source: string): Pattern {
  const program = read(source)
  const { alphabet } = program
  let search: Search | null = null
  let simulate: ReturnType<typeof createSimulation> | null = null
  let states: State[] = []
  let numbers = new Map<string, number>()
  let start: State | null = null
  /** Characters taken since all states were forgotten. */
  let served = Number.POSITIVE_INFINITY
  let unremembered = 0

  function stateFor(places: readonly number[], before: Before): number {
    const name = `${before}:${places.join()}`
    const known = numbers.get(name)
    if (known !== undefined) return known
    if (states.length >= maxStates) {
      states = []
      numbers = new Map()
      start = null
      if (served < minPaying * maxStates) unremembered = unrememberedRun
      served = 0
    }
    states.push({ places, before, next: new Uint16Array(alphabet.size), matchesAtEnd: undefined, work: 0 })
    numbers.set(name, states.length - 1)
    return states.length - 1
  }

  /** Fills in `next`. Should all states be forgotten on the way, the present one is no longer known to anybody either. */
  function follow(state: State, c: number): number {
    const word = isWord(c)
    const reached = program.reach(state.places, {
      atStart: state.before === 'start',
      atEnd: false,
      boundary: (state.before === 'word') !== word,
    })
    state.work = Math.max(state.work, reached.work)
    const next = reached.matched ? 1 : nextAfter(program.step(reached.places, c), word)
    state.next[c] = next
    return next
  }

  function nextAfter(places: readonly number[], word: boolean): number {
    // Anchored expressions are lost for good at the first wrong character. Lost is what leads nowhere even at the end.
    const hopes = [true, false].map((boundary) => program.reach(places, { atStart: false, atEnd: true, boundary }))
    if (hopes.every((hope) => !hope.matched && hope.places.length === 0)) return 2
    return stateFor(places, word ? 'word' : 'other') + 3
  }

  function endsMatched(state: State): boolean {
    state.matchesAtEnd ??= program.reach(state.places, {
      atStart: state.before === 'start',
      atEnd: true,
      boundary: state.before === 'word',
    }).matched
    return state.matchesAtEnd
  }

  function matches(text: string, budget = unlimited()): boolean {
    if (unremembered > 0) {
      unremembered -= text.length
      simulate ??= createSimulation(program)
      return simulate(text, budget)
    }
    start ??= states[stateFor(program.first, 'start')]!
    let state = start
    let { left } = budget
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      const c = unit < 128 ? unit : alphabet.classOf(unit)
      const next = state.next[c]! || follow(state, c)
      left -= state.work
      if (next < 3 || left <= 0) {
        served += at
        budget.left = left
        return next === 1 && left > 0
      }
      state = states[next - 3]!
    }
    served += text.length
    budget.left = left
    return endsMatched(state)
  }

  function findAll(text: string, budget?: WorkBudget): Span[] {
    search ??= createSearch(program)
    return search.findAll(text, budget)
  }

  return { source, size: program.steps.length, matches, findAll }
}

function unlimited(): WorkBudget {
  return { left: Number.POSITIVE_INFINITY }
}

function read(source: string): Program {
  if (source.length > maxSourceLength) {
    throw new AppError('usage-wrong', `the regular expression is longer than ${maxSourceLength} characters`)
  }
  try {
    new RegExp(source)
  } catch (cause) {
    throw new AppError('usage-wrong', `invalid regular expression: ${(cause as Error).message}`, { cause })
  }
  const syntax = readPattern(source)
  if (syntax.kind === 'unsupported') {
    throw new AppError('usage-wrong', `regular expressions cannot have ${syntax.what} here: ${source}`)
  }
  const program = compilePattern(syntax.root)
  if (program === null) {
    throw new AppError('usage-wrong', `the regular expression expands to more than ${maxSteps} steps: ${source}`)
  }
  return program
}

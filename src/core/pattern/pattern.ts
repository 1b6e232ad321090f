import { AppError } from '../errors.ts'
import type { WorkBudget } from '../work/work-budget.ts'
import { compilePattern, isWord, maxSteps, type Program } from './pattern-program.ts'
import { createSearch, type Search, type Span } from './pattern-search.ts'
import { createSimulation } from './pattern-simulation.ts'
import { readPattern } from './pattern-syntax.ts'

/**
 * Regular expressions given by users, matched in time linear in the text. JavaScript's own matcher backtracks: `(a+)+$` or `.*.*.*x` can
 * occupy a thread for years on one URL, and checks that try to detect such expressions either miss some or reject harmless ones. Here all
 * alternatives are followed at once.
 *
 * A state is the set of places that the expression may be in, together with the preceding character's kind. States are built lazily and
 * cached with their transitions (a lazy DFA), so a known URL costs one table look-up per character. Beyond `maxStates` all are dropped:
 * memory is bounded, and time stays linear. If that happens so soon that caching didn't pay off, as with `a.{12}b` on texts of nothing but
 * a and b, nothing is cached for a while.
 *
 * Linear can still be slow: an expression of 1000 steps may visit all of them at each character. So work is counted if a budget is given:
 * the steps that a state visits, for each character, cached or not.
 */
export type Pattern = {
  readonly source: string
  /** Number of steps after unrolling. */
  readonly size: number
  /** False if the budget runs out. */
  matches(text: string, budget?: WorkBudget): boolean
  /** The matches as JavaScript finds them: left to right, not overlapping; empty ones are left out. Empty if the budget runs out. */
  findAll(text: string, budget?: WorkBudget): Span[]
}

const maxSourceLength = 2000
const maxStates = 500
/** Minimum characters per state for caching to pay off, and the number of characters without caching otherwise. */
const minPaying = 8
const unrememberedRun = 200_000

type State = {
  readonly places: readonly number[]
  readonly before: Before
  /** Per character class: 0 not known yet, 1 matched, 2 can't match any more, else the index of the next state plus 3. */
  readonly next: Uint16Array
  /** Whether the expression matches if the text ends here; undefined until computed. */
  matchesAtEnd: boolean | undefined
  /** Steps visited for the next character; known after the first. */
  work: number
}
type Before = 'start' | 'word' | 'other'

/** Throws `usage-wrong` if the expression is invalid, too large, or can't be matched in linear time. */
export function createPattern(source: string): Pattern {
  const program = read(source)
  const { alphabet } = program
  let search: Search | null = null
  let simulate: ReturnType<typeof createSimulation> | null = null
  let states: State[] = []
  let numbers = new Map<string, number>()
  let start: State | null = null
  /** Characters read since all states were dropped. */
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

  /** Fills in `next`. If all states are dropped meanwhile, this one is unreachable too. */
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
    // Anchored expressions fail for good at the first wrong character: nothing leads on, not even at the end.
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
    const reason = (cause as Error).message.replace(/^Invalid regular expression: /, '')
    throw new AppError('usage-wrong', `invalid regular expression: ${reason}`, { cause })
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

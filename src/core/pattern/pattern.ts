import { AppError } from '../errors.ts'
import { compilePattern, isWord, maxSteps, type Program } from './pattern-program.ts'
import { createSearch, type Span } from './pattern-search.ts'
import { readPattern } from './pattern-syntax.ts'

/**
 * Regular expressions given by users, matched in time linear in the text. JavaScript's own matcher goes back on its
 * steps: `(a+)+$` or `.*.*.*x` can occupy a thread for years on one URL, and checks that try to recognise such
 * expressions either miss some or refuse honest ones. Here all ways to match are followed at once.
 *
 * A state is the set of places that the expression may be in, together with what stood before. States are made
 * when first needed and remembered with their transitions, so a known URL costs one table look-up a character. When
 * more than `maxStates` have come together all are forgotten: memory is bounded, and time stays linear.
 */
export type Pattern = {
  readonly source: string
  matches(text: string): boolean
  /**
   * The places that match, as JavaScript finds them: from left to right, none over another; empty ones are left out.
   * Of a text that is longer than `maxWork` allows only the beginning is searched, always as much of it.
   */
  findAll(text: string, maxWork?: number): Span[]
}

const maxSourceLength = 2000
const maxStates = 500

type State = {
  readonly places: readonly number[]
  readonly before: Before
  /** For each class of characters: 0 not known yet, 1 the expression has matched, 2 it cannot match any more, else a state's number plus 3. */
  readonly next: Uint16Array
  /** Whether the expression matches if the text ends here; undefined until asked. */
  matchesAtEnd: boolean | undefined
}
type Before = 'start' | 'word' | 'other'

/** Throws `usage-wrong` where the expression is wrong, too large or needs what cannot be matched in linear time. */
export function createPattern(source: string): Pattern {
  const program = read(source)
  const { alphabet } = program
  const search = createSearch(program)
  let states: State[] = []
  let numbers = new Map<string, number>()
  let start: State | null = null

  function stateFor(places: readonly number[], before: Before): number {
    const name = `${before}:${places.join()}`
    const known = numbers.get(name)
    if (known !== undefined) return known
    if (states.length >= maxStates) {
      states = []
      numbers = new Map()
      start = null
    }
    states.push({ places, before, next: new Uint16Array(alphabet.size), matchesAtEnd: undefined })
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

  function matches(text: string): boolean {
    start ??= states[stateFor(program.first, 'start')]!
    let state = start
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      const c = unit < 128 ? unit : alphabet.classOf(unit)
      const next = state.next[c]! || follow(state, c)
      if (next < 3) return next === 1
      state = states[next - 3]!
    }
    return endsMatched(state)
  }

  return { source, matches, findAll: search.findAll }
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

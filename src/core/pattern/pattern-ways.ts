import { holds, type Program } from './pattern-program.ts'

/** The character on one side of a position, as far as it matters to `^`, `$` and `\b`. */
export type Side = typeof EDGE | typeof WORD | typeof OTHER
/** None: the text begins or ends there. */
export const EDGE = 0
export const WORD = 1
export const OTHER = 2

/** Marks the end of the expression in a way. */
export const MATCHED = -1

/** Maximum total length of cached ways; beyond it, all are dropped. */
const maxRemembered = 100_000

/**
 * The consuming steps reachable from a step without consuming, in the order in which JavaScript tries them, up to the end of the
 * expression: anything after that is never tried.
 */
export type Ways = (from: number, before: Side, after: Side) => readonly number[]

/** `spend` is called with an upper bound of the steps taken to find a way that wasn't cached. */
export function createWays({ steps }: Program, spend: (steps: number) => void): Ways {
  let remembered = new Map<number, readonly number[]>()
  let size = 0

  function findWay(from: number, before: Side, after: Side): number[] {
    const around = surroundings(before, after)
    const seen = new Uint8Array(steps.length)
    const way: number[] = []
    const pending = [from]
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      if (seen[place] === 1) continue
      seen[place] = 1
      const step = steps[place]!
      if (step.kind === 'set') way.push(place)
      else if (step.kind === 'jump') pending.push(step.to)
      else if (step.kind === 'fork') pending.push(step.second, step.first)
      else if (step.kind === 'match') return [...way, MATCHED]
      else if (holds(step.what, around)) pending.push(place + 1)
    }
    return way
  }

  return (from, before, after) => {
    const name = from * 9 + before * 3 + after
    const known = remembered.get(name)
    if (known !== undefined) return known
    const way = findWay(from, before, after)
    spend(steps.length)
    size += way.length + 1
    if (size > maxRemembered) {
      remembered = new Map()
      size = way.length + 1
    }
    remembered.set(name, way)
    return way
  }
}

export function surroundings(before: Side, after: Side): { atStart: boolean; atEnd: boolean; boundary: boolean } {
  return { atStart: before === EDGE, atEnd: after === EDGE, boundary: (before === WORD) !== (after === WORD) }
}

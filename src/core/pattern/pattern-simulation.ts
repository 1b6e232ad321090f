import type { WorkBudget } from '../work/work-budget.ts'
import { holds, isWord, type Program, type Surroundings } from './pattern-program.ts'

/**
 * Tests whether an expression matches by following all alternatives at once, without caching states: for texts that lead to another state
 * with every character. Counts the same work as a pattern's `matches`.
 */
export function createSimulation(program: Program): (text: string, budget: WorkBudget) => boolean {
  const { steps, alphabet } = program
  const takes = Uint8Array.from(steps, ({ kind }) => (kind === 'set' ? 1 : 0))
  const members = steps.map((step) => (step.kind === 'set' ? step.members : null))
  /** The round in which a step was last seen, so that nothing needs clearing between rounds. */
  const seen = new Uint32Array(steps.length)
  let round = 0
  let now = new Uint16Array(steps.length)
  let next = new Uint16Array(steps.length)
  let count = 0
  const pending: number[] = []
  /** False for anchored expressions: they fail for good at the first wrong character. */
  const mayBeginLater = [true, false].some((boundary) => {
    const { places, matched } = program.reach(program.first, { atStart: false, atEnd: true, boundary })
    return matched || places.length > 0
  })

  /** Adds the consuming steps reachable from `from` without consuming; `matched` if the end is among them. */
  function follow(from: number, around: Surroundings): { matched: boolean; work: number } {
    let matched = false
    let work = 0
    pending.push(from)
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      if (seen[place] === round) continue
      seen[place] = round
      work++
      const step = steps[place]!
      if (step.kind === 'match') matched = true
      else if (step.kind === 'set') next[count++] = place
      else if (step.kind === 'jump') pending.push(step.to)
      else if (step.kind === 'fork') pending.push(step.second, step.first)
      else if (holds(step.what, around)) pending.push(place + 1)
    }
    return { matched, work }
  }

  return (text, budget) => {
    let reachedCount = 0
    let isWordBefore = false
    let before = 0
    for (let at = 0; at <= text.length; at++) {
      const atEnd = at === text.length
      const unit = atEnd ? 0 : text.charCodeAt(at)
      const c = unit < 128 ? unit : alphabet.classOf(unit)
      const word = !atEnd && isWord(c)
      const around = { atStart: at === 0, atEnd, boundary: isWordBefore !== word }
      if (++round === 0xffffffff) {
        seen.fill(0)
        round = 1
      }
      count = 0
      // A match may begin anywhere.
      let { matched, work } = follow(0, around)
      for (let i = 0; i < reachedCount; i++) {
        const from = now[i]!
        if (members[from]![before] === 0) continue
        const to = from + 1
        if (takes[to] === 0) {
          const found = follow(to, around)
          matched ||= found.matched
          work += found.work
        } else if (seen[to] !== round) {
          seen[to] = round
          next[count++] = to
          work++
        }
      }
      if (count === 0 && !matched && !mayBeginLater) return false
      if (!atEnd) budget.left -= work
      if (matched || budget.left <= 0) return matched && budget.left > 0
      const reached = next
      next = now
      now = reached
      reachedCount = count
      before = c
      isWordBefore = word
    }
    return false
  }
}

import type { Change } from '../change.ts'
import { type LearnedBlock, learningLimits, type NoiseState, type Observation } from './learned-block.ts'
import { changeHash, createLearner } from './learner.ts'
import { tellApart } from './tell-apart.ts'

const FORGET_AFTER = 20

export const noNoise: NoiseState = { n: 0, check: 0, blocks: [], decided: [] }

/** Reads the stored state. If it is unreadable, learning starts over. */
export function readNoise(text: string | undefined): NoiseState {
  if (text === undefined) return noNoise
  try {
    const { n, check, blocks, decided } = JSON.parse(text) as Partial<NoiseState>
    const isWhole = Number.isInteger(n) && Number.isInteger(check) && Array.isArray(blocks) && Array.isArray(decided)
    return isWhole ? { n: n!, check: check!, blocks: blocks!, decided: decided! } : noNoise
  } catch {
    return noNoise
  }
}

/** Idempotent: learning from the same version again changes nothing. */
export function learn(state: NoiseState, seen: Observation): NoiseState {
  if (seen.n <= state.n) return state
  const check = state.check + (seen.wasStable ? 2 : 1)
  const known = new Map(state.blocks.map((block) => [block.id, structuredClone(block)]))
  const learner = createLearner(known, { check, at: seen.at, undone: seen.undone })
  const { told, noise } = tellApart(seen.changes)
  for (const { change, why } of noise.slice(0, learningLimits.changes)) learner.recognised(change, why)
  // A rewritten page teaches nothing.
  if (told.length <= learningLimits.changes) learner.observe(told)
  const blocks = [...known.values()].map((block) => calmed(block, check))
  return {
    n: seen.n,
    check,
    blocks: bounded(blocks, seen.undone),
    decided: learner.decided.slice(0, learningLimits.decided),
  }
}

/** Looks up the block that mutes a change of the version learned from last. */
export function mutedBy(state: NoiseState, n: number): (change: Change) => LearnedBlock | null {
  if (state.n !== n) return () => null
  const blocks = new Map(state.blocks.map((block) => [block.id, block]))
  const byChange = new Map(state.decided.map(([change, id]) => [change, blocks.get(id) ?? null]))
  return (change) => byChange.get(changeHash(change)) ?? null
}

function calmed(block: LearnedBlock, check: number): LearnedBlock {
  const last = block.marks.at(-1)?.[0] ?? check
  return block.why !== '' && check - last > FORGET_AFTER ? { ...block, why: '', since: 0, marks: [], muted: 0 } : block
}

/** Keeps the most recently changed blocks; those that a user unmuted stay as long as there is room. */
function bounded(blocks: LearnedBlock[], undone: ReadonlySet<string>): LearnedBlock[] {
  if (blocks.length <= learningLimits.blocks) return blocks
  const rank = ({ id, why, marks }: LearnedBlock): number =>
    (undone.has(id) ? 2e9 : why !== '' ? 1e9 : 0) + (marks.at(-1)?.[0] ?? 0)
  return blocks.sort((one, other) => rank(other) - rank(one)).slice(0, learningLimits.blocks)
}

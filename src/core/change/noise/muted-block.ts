import type { LearnedBlock, LearnedReason, MuteReason, NoiseState } from './learned-block.ts'
import { noiseWords } from './tell-apart.ts'

/** A block whose changes don't notify anyone, for display. */
export type MutedBlock = {
  block: string
  reason: MuteReason
  /** The reason in words, for users. */
  why: string
  text: string
  path: string
  since: number
  changes: number
  undone: 'you' | 'everyone' | null
}

const learnedWords: Readonly<Record<LearnedReason, (block: LearnedBlock) => string>> = {
  numbers: () => 'only its numbers change, at nearly every check',
  flips: ({ seen }) => `flips between ${Math.max(2, seen.length)} texts`,
  order: () => 'its order changes at nearly every check',
  often: () => 'changes at nearly every check',
}

/** The muted blocks of a document, including those since unmuted, latest first. */
export function mutedBlocks(
  { blocks }: NoiseState,
  undone: readonly { block: string; owner: string }[],
  owner: string,
): MutedBlock[] {
  const isUndone = (id: string, by: string): boolean => undone.some((each) => each.block === id && each.owner === by)
  return blocks
    .flatMap((block): MutedBlock[] => {
      const { id, why, sample: text, path, since, muted: changes } = block
      if (why === '') return []
      const undoneFor = isUndone(id, '') ? 'everyone' : isUndone(id, owner) ? 'you' : null
      return [{ block: id, reason: why, why: wordsOf(why, block), text, path, since, changes, undone: undoneFor }]
    })
    .sort((one, other) => other.since - one.since || (one.block < other.block ? -1 : 1))
}

function wordsOf(why: MuteReason, block: LearnedBlock): string {
  return isLearned(why) ? learnedWords[why](block) : noiseWords[why]
}

function isLearned(why: MuteReason): why is LearnedReason {
  return Object.hasOwn(learnedWords, why)
}

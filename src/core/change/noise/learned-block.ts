import type { Change } from '../change.ts'
import { noiseKinds } from './recognisers.ts'

/**
 * What a document has taught about its own noise. A block is unknown until it changes; then it is remembered with the checks in which it
 * changed. It becomes volatile, and its changes are muted,
 *
 * - `numbers`: if only its values varied, with the same words around them, in the two previous checks and now again; a sentence of ten
 *   words or more, and a table row, follow the rule of `often`
 * - `flips`: if an earlier text comes back one check after it went
 * - `order`: if it moved in the two previous checks and moves again
 * - `often`: if its words changed in four of the five previous checks
 *
 * In a part named as advertisements or suggestions one observation less is enough, and two for new words. A check without changes shows
 * that all blocks were stable. Prices, stock, states and the like (`tracked`) never become volatile, nor do texts that grow. A volatile
 * block that changes in another way is news: other words around its values, a text never seen before among those that flip, another frame.
 * After twenty checks without a change it is an ordinary block again.
 */
export const learnedReasons = ['numbers', 'flips', 'order', 'often'] as const
export type LearnedReason = (typeof learnedReasons)[number]
export const muteReasons = [...noiseKinds, ...learnedReasons] as const
export type MuteReason = (typeof muteReasons)[number]

export type LearnedBlock = {
  /** Constant while the block is remembered. */
  readonly id: string
  /** Short hashes: of its place, and of its current text ('' for a part of several blocks). */
  readonly where: string
  text: string
  /** The checks in which it changed, latest last, and how: numbers, words, order. */
  marks: (readonly [number, 'n' | 'w' | 'o'])[]
  /** Short hashes of its former texts. */
  seen: string[]
  /** Common beginning and end of its texts; null until two were seen. */
  frame: { head: string; tail: string } | null
  /** '' if not volatile. */
  why: MuteReason | ''
  /** When it became volatile; otherwise 0. */
  since: number
  muted: number
  /** For display: an example, and the headings above it. */
  sample: string
  path: string
}

export type NoiseState = {
  /** The last version learned from. */
  readonly n: number
  /** Number of informative checks so far. */
  readonly check: number
  readonly blocks: readonly LearnedBlock[]
  /** Muted changes of version `n`: hash of the change, and id of the block. For tasks that come later, or are repeated. */
  readonly decided: readonly (readonly [string, string])[]
}

export type Observation = {
  n: number
  at: number
  /** The previous version was found unchanged by a separate check. */
  wasStable: boolean
  /** Changes of the whole document, regardless of which part anyone is interested in. */
  changes: readonly Change[]
  /** Blocks whose muting was undone for all users. */
  undone: ReadonlySet<string>
}

export const learningLimits = { blocks: 100, seen: 40, marks: 6, decided: 400, changes: 200, sample: 120 } as const

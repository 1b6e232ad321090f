import type { Change } from '../change.ts'
import { noiseKinds } from './recognisers.ts'

/**
 * What a document has taught about its own noise. A block is new until it changes; then it is remembered with the checks in which it
 * changed. It becomes volatile, and its changes are muted,
 *
 * - `numbers`: when it varied in values alone, with the same words around, in the two checks before and varies so again; a sentence of
 *   ten words or more, and a row of a table, like `often`
 * - `flips`: when a text comes back that was there before, one check after it went
 * - `order`: when it was moved in the two checks before and is moved again
 * - `often`: when it got other words in four of the five checks before
 *
 * In a part that is named as advertisements or suggestions one observation less is enough, and two for new words. A check that found
 * nothing changed shows that all were stable. Prices, stock, states and the like (`tracked`) never become volatile, nor do texts that
 * grow. A volatile block that changes in another way is news: words around its values, a text never seen before among those that flip,
 * another frame. After twenty checks without a change it is an ordinary block again.
 */
export const learnedReasons = ['numbers', 'flips', 'order', 'often'] as const
export type LearnedReason = (typeof learnedReasons)[number]
export const muteReasons = [...noiseKinds, ...learnedReasons] as const
export type MuteReason = (typeof muteReasons)[number]

export type LearnedBlock = {
  /** Stays the same while the block is remembered. */
  readonly id: string
  /** Short hashes: of where it is, and of its current text ('' for a part of several blocks). */
  readonly where: string
  text: string
  /** The checks in which it changed, the last behind, and how: by numbers, words, order. */
  marks: (readonly [number, 'n' | 'w' | 'o'])[]
  /** Texts that were there and went, as short hashes. */
  seen: string[]
  /** What its texts have in common at both ends; null until two were seen. */
  frame: { head: string; tail: string } | null
  /** '' while it is not volatile. */
  why: MuteReason | ''
  /** When it became volatile; 0 before. */
  since: number
  muted: number
  /** For people: an example, and the headings above it. */
  sample: string
  path: string
}

export type NoiseState = {
  /** The last version that was learned from. */
  readonly n: number
  /** Checks so far that say something. */
  readonly check: number
  readonly blocks: readonly LearnedBlock[]
  /** Changes of version `n` that were muted: their hash, and the block. For tasks that come later, or once more. */
  readonly decided: readonly (readonly [string, string])[]
}

export type Observation = {
  n: number
  at: number
  /** The version before was found unchanged by a check of its own. */
  wasStable: boolean
  /** Of the whole document, in whatever part of it anybody is interested. */
  changes: readonly Change[]
  /** Blocks whose muting was undone for everybody. */
  undone: ReadonlySet<string>
}

export const learningLimits = { blocks: 100, seen: 40, marks: 6, decided: 400, changes: 200, sample: 120 } as const

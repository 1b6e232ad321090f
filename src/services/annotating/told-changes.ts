import type { Change } from '../../core/change/change.ts'
import type { MuteReason } from '../../core/change/noise/learned-block.ts'

/** A change muted as noise, the id of its block, and whether that was recognised from its text or learned from its history. */
export type MutedChange = {
  readonly change: Change
  readonly block: string
  readonly why: MuteReason
  isLearned: boolean
}

/** Changes worth a notification, and those that are noise: counters, relative times and the like. */
export type ToldChanges = { readonly told: readonly Change[]; readonly noise: readonly MutedChange[] }

/** `isWhole`: the changes are all those of the document. */
export type TellApart = (changes: readonly Change[], isWhole: boolean) => ToldChanges

import type { Profile } from '../../core/profile.ts'
import type { BlindSpotKind } from '../../core/text/blind-spot.ts'

/** All profiles, with one URD for each source of each profile, and the watch that each URD is part of. */
export type ProfileStore = {
  /** Grows with every change of any profile. */
  revision(): Promise<number>
  /** By id, a page at a time. */
  list(page: { after: string; limit: number; owner?: string }): Promise<Profile[]>
  find(id: string): Promise<Profile | null>
  /** The revision in which each profile was last put. */
  stamps(): Promise<{ id: string; revision: number }[]>
  /**
   * Adds or replaces profiles. A source whose URI stays the same keeps its URD. Expressions set aside are tried again, and `selected`
   * is reset to unknown. With a `basis`, this is a compare-and-set: it changes nothing and returns false unless that is still the
   * revision, so that a decision based on a read holds across servers.
   */
  put(profiles: readonly KeyedProfile[], basis?: number): Promise<boolean>
  /** Returns how many existed. */
  remove(ids: readonly string[]): Promise<number>
  urdsOf(profileId: string): Promise<UrdRow[]>
  findUrd(id: number): Promise<UrdRow | null>
  /** Counts as a change of their profiles. */
  setUrds(ids: readonly number[], marks: UrdMarks): Promise<void>
}

/** `keys[n]` is the watch key of source n: sources with equal keys are fetched as one. */
export type KeyedProfile = { profile: Profile; keys: readonly string[] }

export type UrdRow = {
  id: number
  profile: string
  /** Index of the source in the profile. */
  place: number
  watch: number
  /** When its first visit was completed; 0 until then. */
  visitedAt: number
  /** Not checked for this profile. */
  paused: boolean
  /** Checked and stored, but new annotations go straight to the archive of the inbox. */
  muted: boolean
  /** Which of its expressions proved too expensive, if any, and the page on which that was found. */
  aside: AsideKind | ''
  asideUrl: string
  /** What the source sees of its page, since when, and the version that showed it. */
  selected: SelectedState
  selectedSince: number
  selectedVersion: number
}

/**
 * Whether its selectors match anything. For a source without selectors: why it sees nothing of the page's content. '' if it does, or
 * if nothing is known yet.
 */
export type SelectedState = '' | 'some' | 'nothing' | BlindSpotKind

/**
 * Without its `scope`, only the source's own page is left. The others were not applied to a page: without `select` or `ignore` the
 * whole change is shown, and without `interests` nothing matches. The first that applies is stored.
 */
export const asideKinds = ['scope', 'interests', 'select', 'ignore'] as const
export type AsideKind = (typeof asideKinds)[number]

/** `aside` and `asideUrl` are set together, and so are the three `selected` fields. */
export type UrdMarks = {
  paused?: boolean
  muted?: boolean
  aside?: AsideKind | ''
  asideUrl?: string
  selected?: SelectedState
  selectedSince?: number
  selectedVersion?: number
}

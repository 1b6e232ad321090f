import type { Profile } from '../../core/profile.ts'
import type { BlindSpotKind } from '../../core/text/blind-spot.ts'

/** The profile base, with one URD for each source of each profile, and the watch that each URD is part of. */
export type ProfileStore = {
  /** Grows with every change of the base. */
  revision(): Promise<number>
  /** In the order of their ids, a page at a time. */
  list(page: { after: string; limit: number; owner?: string }): Promise<Profile[]>
  find(id: string): Promise<Profile | null>
  /** The revision in which each profile was put last. */
  stamps(): Promise<{ id: string; revision: number }[]>
  /**
   * Adds profiles or puts them in place of what they were. A source whose URI stays the same keeps its URD. What was set aside
   * is tried again, and what selectors match is not known any more. With a `basis` nothing is put, and false returned, unless that is
   * still the revision: so a decision that rests on what is there holds for all servers.
   */
  put(profiles: readonly KeyedProfile[], basis?: number): Promise<boolean>
  /** How many were there. */
  remove(ids: readonly string[]): Promise<number>
  urdsOf(profileId: string): Promise<UrdRow[]>
  findUrd(id: number): Promise<UrdRow | null>
  /** Counts as a change of their profiles. */
  setUrds(ids: readonly number[], marks: UrdMarks): Promise<void>
}

/** `keys[n]` is the watch key of source n: equal ones are fetched as one. */
export type KeyedProfile = { profile: Profile; keys: readonly string[] }

export type UrdRow = {
  id: number
  profile: string
  /** Which of the profile's sources. */
  place: number
  watch: number
  /** When its first visit was done; 0 as long as it was not. */
  visitedAt: number
  /** Not checked for this profile. */
  paused: boolean
  /** Checked and kept, but what is new goes to the archive of the inbox, unseen. */
  muted: boolean
  /** Which of its expressions take too much work, if any, and the page on which that was found. */
  aside: AsideKind | ''
  asideUrl: string
  /** What the source sees of its page, since when, and the version that showed it. */
  selected: SelectedState
  selectedSince: number
  selectedVersion: number
}

/**
 * Whether its selectors match something. Of a source without selectors: why it sees nothing of what the page is about; '' where it
 * does, or nothing is known yet.
 */
export type SelectedState = '' | 'some' | 'nothing' | BlindSpotKind

/**
 * Of a `scope` only the source's own page is left. The others were not applied to a page: all of a change is shown where parts
 * were to be selected or ignored, and nothing is matched where interests could not be decided. The first that applies is kept.
 */
export const asideKinds = ['scope', 'interests', 'select', 'ignore'] as const
export type AsideKind = (typeof asideKinds)[number]

/** `aside` and `asideUrl` come together, and so do the three of `selected`. */
export type UrdMarks = {
  paused?: boolean
  muted?: boolean
  aside?: AsideKind | ''
  asideUrl?: string
  selected?: SelectedState
  selectedSince?: number
  selectedVersion?: number
}

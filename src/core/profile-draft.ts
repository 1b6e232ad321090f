import type { Profile, Source } from './profile.ts'

/** A profile before it is somebody's. */
export type ProfileDraft = Omit<Profile, 'id' | 'owner'>

/** Unified resource description: one source of one profile, with all that is to be known of it. */
export type ProfileUrd = Omit<Profile, 'name' | 'sources'> & {
  /** Id of the profile; '' where it comes from none. */
  profile: string
  source: Source
  /** Whether it is fetched or sends by itself. */
  method: 'pull' | 'push'
  /** Milliseconds since 1970; 0 for never. */
  lastCheckedAt: number
}

/** A profile on its way into the base. The one of that id is replaced if it is the owner's; else a new one is made. */
export type ImportedProfile = { id: string | null; owner: string; profile: ProfileDraft }

import type { Profile } from '../../core/profile.ts'
import type { ProfileStore, UrdRow } from '../../store/profiles.ts'

export type MirroredProfile = { profile: Profile; urds: readonly UrdRow[] }

export type ProfileChanges = { changed: readonly MirroredProfile[]; removed: readonly string[] }

/**
 * The profile base in memory, brought up to date on demand. Whoever changed the base, in this process or another, is noticed by its
 * revision; only what changed is read.
 */
export function createProfileMirror(profiles: ProfileStore) {
  const revisions = new Map<string, number>()
  let revision = -1

  return {
    /** Null where nothing changed since the last call. */
    async refresh(): Promise<ProfileChanges | null> {
      const now = await profiles.revision()
      if (now === revision) return null
      revision = now
      const stamps = await profiles.stamps()
      const there = new Set(stamps.map(({ id }) => id))
      const removed = [...revisions.keys()].filter((id) => !there.has(id))
      for (const id of removed) revisions.delete(id)
      const changed: MirroredProfile[] = []
      for (const { id, revision: stamp } of stamps) {
        if (revisions.get(id) === stamp) continue
        const profile = await profiles.find(id)
        if (profile === null) continue // removed meanwhile: the next call tells
        changed.push({ profile, urds: await profiles.urdsOf(id) })
        revisions.set(id, stamp)
      }
      return { changed, removed }
    },
  }
}

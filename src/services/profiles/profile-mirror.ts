import type { Profile } from '../../core/profile.ts'
import { mapConcurrent } from '../../core/work/map-concurrent.ts'
import type { ProfileStore, UrdRow } from '../../store/contracts/profiles.ts'

/** Concurrent reads, to hide the latency of a remote database. */
const AT_ONCE = 16

export type MirroredProfile = { profile: Profile; urds: readonly UrdRow[] }

export type ProfileChanges = { changed: readonly MirroredProfile[]; removed: readonly string[] }

/**
 * The profile base in memory, brought up to date on demand. Changes by this process or another are noticed by the base's
 * revision; only the changes are read.
 */
export function createProfileMirror(profiles: ProfileStore) {
  const revisions = new Map<string, number>()
  let revision = -1

  return {
    /** Null if nothing changed since the last call. */
    async refresh(): Promise<ProfileChanges | null> {
      const now = await profiles.revision()
      if (now === revision) return null
      const stamps = await profiles.stamps()
      const there = new Set(stamps.map(({ id }) => id))
      const removed = [...revisions.keys()].filter((id) => !there.has(id))
      for (const id of removed) revisions.delete(id)
      const stale = stamps.filter(({ id, revision: stamp }) => revisions.get(id) !== stamp)
      const found = await mapConcurrent(stale, AT_ONCE, async ({ id }): Promise<MirroredProfile | null> => {
        const profile = await profiles.find(id)
        return profile === null ? null : { profile, urds: await profiles.urdsOf(id) }
      })
      // A profile removed meanwhile is reported by the next call.
      const changed = found.filter((each) => each !== null)
      const read = new Set(changed.map(({ profile }) => profile.id))
      for (const { id, revision: stamp } of stale) if (read.has(id)) revisions.set(id, stamp)
      revision = now
      return { changed, removed }
    },
  }
}

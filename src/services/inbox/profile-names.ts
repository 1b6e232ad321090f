import type { ProfileStore } from '../../store/contracts/profiles.ts'

const MAX_NAMES = 20_000

export type ProfileNames = {
  /** '' for a deleted profile. */
  of(ids: Iterable<string>): Promise<Map<string, string>>
}

/** Profile names, cached until any profile changes, in this process or another. */
export function createProfileNames(profiles: Pick<ProfileStore, 'find' | 'revision'>): ProfileNames {
  const names = new Map<string, string>()
  let revision = -1
  return {
    async of(ids) {
      const current = await profiles.revision()
      if (current !== revision) names.clear()
      revision = current
      const found = new Map<string, string>()
      for (const id of new Set(ids)) {
        const name = names.get(id) ?? (await profiles.find(id))?.name ?? ''
        found.set(id, name)
        // Changed while reading: what was read may be outdated.
        if (revision !== current) continue
        if (names.size >= MAX_NAMES) names.clear()
        names.set(id, name)
      }
      return found
    },
  }
}

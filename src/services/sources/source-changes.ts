import { setImmediate as turn } from 'node:timers/promises'
import type { Profile } from '../../core/profile.ts'
import type { KeyedProfile, ProfileStore, UrdMarks } from '../../store/contracts/profiles.ts'
import { changeProfiles } from '../profiles/profile-changes.ts'
import type { WatchService } from '../watching/watch-service.ts'
import type { OwnedSource } from './owner-sources.ts'
import { isPaused } from './source-state.ts'

export type SourceChangesDeps = {
  profiles: Pick<ProfileStore, 'find' | 'urdsOf' | 'revision' | 'put' | 'remove' | 'setUrds'>
  keyed(profile: Profile): KeyedProfile
  watching: Pick<WatchService, 'checkNow'>
}

export type SourceChanges = {
  /** Returns the sources that changed. */
  mark(sources: readonly OwnedSource[], marks: UrdMarks): Promise<number[]>
  /** Removes them from their profiles; profiles left without a source are deleted. */
  remove(sources: readonly OwnedSource[]): Promise<number[]>
  checkNow(source: OwnedSource): ReturnType<WatchService['checkNow']>
  /** Returns those that are checked next or being checked. */
  checkAll(sources: readonly OwnedSource[]): number[]
}

/** A larger request would delay everyone else; the rest is checked at its regular time. */
const MAX_ASKED = 1000
const AT_ONCE = 500

/** Changes an owner makes to their own sources. */
export function createSourceChanges({ profiles, keyed, watching }: SourceChangesDeps): SourceChanges {
  /**
   * Resuming a source of a paused profile resumes the profile and pauses its other sources instead, so that only this source
   * changes.
   */
  async function resumeProfiles(sources: readonly OwnedSource[]): Promise<void> {
    const wanted = new Set(sources.map(({ id }) => id))
    const resumed: string[] = []
    const others: number[] = []
    for (const id of profilesOf(sources.filter(({ isProfilePaused }) => isProfilePaused)).keys()) {
      if ((await profiles.find(id))?.paused !== true) continue
      resumed.push(id)
      for (const urd of await profiles.urdsOf(id)) if (!wanted.has(urd.id)) others.push(urd.id)
    }
    if (others.length > 0) await profiles.setUrds(others, { paused: true })
    for (const some of portionsOf(resumed)) {
      await changeProfiles(profiles, async () => {
        const found = await Promise.all(some.map((id) => profiles.find(id)))
        return found.flatMap((profile) => (profile?.paused === true ? keyed({ ...profile, paused: false }) : []))
      })
      await turn()
    }
  }

  /** Removes sources from profiles. Returns the profiles that this would leave without a source, unchanged. */
  async function removeFrom(those: readonly (readonly [id: string, sources: readonly OwnedSource[]])[]) {
    const emptied: string[] = []
    await changeProfiles(profiles, async () => {
      const kept: KeyedProfile[] = []
      emptied.length = 0
      for (const [id, removed] of those) {
        const profile = await profiles.find(id)
        if (profile === null) continue
        const gone = new Set(removed.map((source) => source.id))
        const urds = await profiles.urdsOf(id)
        const places = new Set(urds.flatMap((urd) => (gone.has(urd.id) ? [urd.place] : [])))
        const left = profile.sources.filter((_, place) => !places.has(place))
        if (left.length === 0) emptied.push(id)
        else if (places.size > 0) kept.push(keyed({ ...profile, sources: left }))
      }
      return kept
    })
    return emptied
  }

  /** Paused sources are skipped, even if other owners have the same source checked. */
  function ask(source: OwnedSource): ReturnType<WatchService['checkNow']> {
    return isPaused(source) ? 'paused' : watching.checkNow(source.watch)
  }

  return {
    async mark(sources, { paused, muted }) {
      const changed = sources.filter(
        (source) =>
          (paused !== undefined && paused !== isPaused(source)) || (muted !== undefined && muted !== source.muted),
      )
      const ids = changed.map(({ id }) => id)
      if (ids.length === 0) return ids
      const marks = { ...(paused === undefined ? {} : { paused }), ...(muted === undefined ? {} : { muted }) }
      for (const some of portionsOf(ids)) await profiles.setUrds(some, marks).then(() => turn())
      if (paused === false) await resumeProfiles(changed)
      return ids
    },
    async remove(sources) {
      for (const some of portionsOf([...profilesOf(sources)])) {
        const emptied = await removeFrom(some)
        if (emptied.length > 0) await profiles.remove(emptied)
        await turn()
      }
      return sources.map(({ id }) => id)
    },
    checkNow: ask,
    checkAll(sources) {
      const asked: number[] = []
      for (const source of sources) {
        if (asked.length >= MAX_ASKED) break
        const answer = ask(source)
        if (answer === 'asked' || answer === 'out-already') asked.push(source.id)
      }
      return asked
    },
  }
}

/** Splits into batches, so that others get their turn in between. */
function portionsOf<T>(items: readonly T[]): T[][] {
  const portions: T[][] = []
  for (let at = 0; at < items.length; at += AT_ONCE) portions.push(items.slice(at, at + AT_ONCE))
  return portions
}

function profilesOf(sources: readonly OwnedSource[]): Map<string, OwnedSource[]> {
  return Map.groupBy(sources, ({ profile }) => profile.id)
}

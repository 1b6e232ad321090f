import { setImmediate } from 'node:timers/promises'
import type { ValidationError } from '../../config/validation-errors.ts'
import type { Profile } from '../../core/profile.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'

/** Limits per owner. */
export type HoldingLimits = { maxProfiles: number; maxSources: number }

type Holding = { profiles: number; sources: number }

const PAGE = 100
const MAX_REMEMBERED = 1000

/** Counts the profiles and sources of owners, on first use and again after another process has changed the base. */
export function createHoldings(store: Pick<ProfileStore, 'list' | 'revision'>, limits: HoldingLimits) {
  const known = new Map<string, Holding & { revision: number }>()

  async function holdingOf(owner: string): Promise<Holding & { revision: number }> {
    const revision = await store.revision()
    const remembered = known.get(owner)
    if (remembered?.revision === revision) return remembered
    const holding = { profiles: 0, sources: 0, revision }
    for (let after = ''; ; ) {
      const page = await store.list({ after, limit: PAGE, owner })
      holding.profiles += page.length
      for (const { sources } of page) holding.sources += sources.length
      if (page.length < PAGE) break
      after = page.at(-1)!.id
      await setImmediate() // yield to others
    }
    remember(owner, holding)
    return holding
  }

  function remember(owner: string, holding: Holding & { revision: number }): void {
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(owner, holding)
  }

  return {
    /**
     * Why a profile, as a replacement or an addition, exceeds the owner's limits, and the revision this was checked against. A profile
     * smaller than the replaced one is always allowed.
     */
    async errorsOf(
      { owner, sources }: Profile,
      replaced: Profile | null,
    ): Promise<{ errors: ValidationError[]; revision: number }> {
      const had = await holdingOf(owner)
      const errors: ValidationError[] = []
      if (replaced === null && had.profiles >= limits.maxProfiles)
        errors.push({
          place: '',
          message: `you have ${had.profiles} profiles; the maximum is ${limits.maxProfiles}`,
        })
      const added = sources.length - (replaced?.sources.length ?? 0)
      if (added > 0 && had.sources + added > limits.maxSources) {
        const message = `this makes ${had.sources + added} sources in all your profiles; the maximum is ${limits.maxSources}`
        errors.push({ place: 'sources', message })
      }
      return { errors, revision: had.revision }
    },
    /** Changes the base, and keeps the counts if no other process changed it meanwhile. */
    async around(
      { owner, sources }: Profile,
      replaced: Profile | null,
      change: () => Promise<boolean>,
    ): Promise<boolean> {
      const had = known.get(owner)
      if (!(await change())) return false
      const revision = await store.revision()
      if (had === undefined || revision !== had.revision + 1) return true
      remember(owner, {
        profiles: had.profiles + (replaced === null ? 1 : 0),
        sources: had.sources + sources.length - (replaced?.sources.length ?? 0),
        revision,
      })
      return true
    },
  }
}

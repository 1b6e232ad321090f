import { type Profile, type Source, watchedUri } from '../../core/profile.ts'
import { isSpent, type OwnerBudgets } from '../../core/work/work-budget.ts'
import { type CompiledInterests, readInterests } from '../../matching/interests/compile-interests.ts'
import { createMatchIndex, type MatchIndex } from '../../matching/match/match-index.ts'
import type { Scorers } from '../../matching/score/scorers.ts'
import type { UrdRow } from '../../store/contracts/profiles.ts'
import type { MirroredProfile, ProfileChanges } from '../profiles/profile-mirror.ts'
import { coversPage, type Page } from '../scheduler/urds/coverage.ts'

/** A profile that a page of a watch may concern, with the source concerned. */
export type Recipient = {
  /** The profile's number in the match index. */
  slot: number
  profile: Profile
  source: Source
  /** URI of its watch. */
  uri: string
  urd: UrdRow
  /** Null for a profile with invalid interests, which can't be matched. */
  interests: CompiledInterests | null
}

export type Covering = { covering: Recipient[]; tooExpensive: Recipient[] }

export type Recipients = {
  apply(changes: ProfileChanges): void
  /** Records where the source of a watch redirects to; pages are then covered from there as well. */
  setLanded(watch: number, landed: string): void
  /** Recipients whose own depth and scope cover the page, each profile once; and those whose scope takes too much work to decide. */
  covering(watch: number, page: Page, budgetOf: OwnerBudgets): Covering
  readonly index: MatchIndex
  size(): number
}

/** A source whose scope takes too much work covers only its own page. */
function isSetAside({ aside }: UrdRow, { hops }: Page): boolean {
  return aside === 'scope' && hops > 0
}

/** Tracks the recipients of each watch, with their interests compiled once. */
export function createRecipients(scorers: Scorers, onError: (profile: Profile, message: string) => void): Recipients {
  const byProfile = new Map<string, Recipient[]>()
  const byWatch = new Map<number, Set<Recipient>>()
  const slots = new Map<string, number>()
  const landed = new Map<number, string>()
  const index = createMatchIndex()
  let lastSlot = 0

  function remove(id: string): void {
    for (const recipient of byProfile.get(id) ?? []) {
      const others = byWatch.get(recipient.urd.watch)
      others?.delete(recipient)
      if (others?.size === 0) byWatch.delete(recipient.urd.watch)
    }
    byProfile.delete(id)
    const slot = slots.get(id)
    if (slot !== undefined) index.remove(slot)
  }

  /** One profile that can't be read or indexed doesn't stop the others. */
  function compile(profile: Profile, slot: number): CompiledInterests | null {
    try {
      const read = readInterests(profile.interests, scorers)
      if (read.kind === 'interests') {
        index.set(slot, read.interests)
        return read.interests
      }
      onError(profile, read.errors.map(({ place, message }) => `${place}: ${message}`).join('; '))
    } catch (error) {
      onError(profile, String(error))
    }
    return null
  }

  function add({ profile, urds }: MirroredProfile): void {
    remove(profile.id)
    const slot = slots.get(profile.id) ?? ++lastSlot
    slots.set(profile.id, slot)
    if (profile.paused) return
    const interests = compile(profile, slot)
    const recipients = urds
      .filter(({ paused }) => !paused)
      .map((urd) => {
        const source = profile.sources[urd.place]!
        return { slot, profile, source, uri: watchedUri(profile.owner, source), urd, interests }
      })
    byProfile.set(profile.id, recipients)
    for (const recipient of recipients) {
      const others = byWatch.get(recipient.urd.watch) ?? new Set()
      byWatch.set(recipient.urd.watch, others.add(recipient))
    }
  }

  return {
    index,
    apply({ changed, removed }) {
      for (const id of removed) {
        remove(id)
        slots.delete(id)
      }
      for (const each of changed) add(each)
    },
    setLanded: (watch, url) => void landed.set(watch, url),
    covering(watch, page, budgetOf) {
      const found = new Map<string, Recipient>()
      const tooExpensive: Recipient[] = []
      const elsewhere = landed.get(watch)
      for (const recipient of byWatch.get(watch) ?? []) {
        const { uri } = recipient
        const { scope, depth } = recipient.source
        if (isSetAside(recipient.urd, page)) continue
        const budget = scope.kind === 'pattern' ? budgetOf(recipient.profile.owner) : undefined
        const isCovered =
          coversPage({ uri, scope, depth }, page, budget) ||
          (elsewhere !== undefined && coversPage({ uri: elsewhere, scope, depth }, page, budget))
        if (!isCovered && budget !== undefined && isSpent(budget)) tooExpensive.push(recipient)
        // If several sources of a profile cover the page, prefer one that is not muted.
        const mayReplace = found.get(recipient.profile.id)?.urd.muted ?? true
        if (isCovered && (mayReplace || !recipient.urd.muted)) found.set(recipient.profile.id, recipient)
      }
      return { covering: [...found.values()], tooExpensive }
    },
    size: () => byProfile.size,
  }
}

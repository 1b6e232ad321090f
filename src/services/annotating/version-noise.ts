import { listChanges } from '../../archive/diff/change-list.ts'
import type { Change } from '../../core/change/change.ts'
import type { LearnedBlock, NoiseState } from '../../core/change/noise/learned-block.ts'
import { recognisedId } from '../../core/change/noise/learner.ts'
import { learn, mutedBy } from '../../core/change/noise/learning.ts'
import { tellApart } from '../../core/change/noise/tell-apart.ts'
import { readBlocks } from '../../core/text/blocks.ts'
import type { KeptNoise, Version } from '../../store/contracts/versions.ts'
import type { ChangeView, Viewer } from './change-view.ts'
import { createOwnTerms } from './own-terms.ts'
import type { Content } from './source-blocks.ts'
import type { MutedChange, TellApart } from './told-changes.ts'

export type VersionNoise = {
  tellApart: TellApart
  /** Adds changes that are noise to others but not to this recipient: those its owner unmuted, and those with its own terms. */
  viewFor(recipient: Pick<Viewer, 'profile'>, view: ChangeView): ChangeView
  /** The noise state updated with this version; null if it was not examined, or had been before. */
  learned(): NoiseState | null
}

export type NoiseAsked = {
  kept: KeptNoise
  version: Version
  /** The previous version, and the contents of both. */
  previous: Version | null
  before: Content | null
  after: Content | null
}

/** Tells noise from news, for all views of one version. Learns from the version as a whole on the first call. */
export function createVersionNoise({ kept, version, previous, before, after }: NoiseAsked): VersionNoise {
  const undoneForAll = new Set(kept.undone.filter(({ owner }) => owner === '').map(({ block }) => block))
  const undoneBy = new Set(kept.undone.map(({ block, owner }) => `${block} ${owner}`))
  let state: NoiseState | null = null
  let muting: (change: Change) => LearnedBlock | null = () => null
  const views = new Map<ChangeView, Map<string, ChangeView>>()

  function wholeChanges(): readonly Change[] {
    const old = before === null ? null : readBlocks(before.body, before)
    const next = after === null ? null : readBlocks(after.body, after)
    return old === null || next === null ? [] : listChanges(old, next).changes
  }

  function learnFrom(changes: readonly Change[]): void {
    const { n, firstSeenAt: at } = version
    const wasStable = previous !== null && previous.lastSeenAt > previous.firstSeenAt
    state = learn(kept.state, { n, at, wasStable, changes, undone: undoneForAll })
    const isMuted = mutedBy(state, n)
    // In a part of the document, or without ignored text, a block's change looks different: compare by words.
    const learned = changes.flatMap((change) => {
      const block = isMuted(change)
      return block === null ? [] : [{ change, block }]
    })
    muting = (change) => isMuted(change) ?? learned.find((each) => isPartOf(change, each.change))?.block ?? null
  }

  return {
    tellApart(changes, isWhole) {
      if (state === null) learnFrom(isWhole ? changes : wholeChanges())
      const apart = tellApart(changes)
      const noise: MutedChange[] = []
      const told: Change[] = []
      for (const { change, why } of apart.noise) {
        const block = recognisedId(change, why)
        if (undoneForAll.has(block)) told.push(change)
        else noise.push({ change, block, why, isLearned: false })
      }
      for (const change of apart.told) {
        const block = muting(change)
        if (block === null || block.why === '') told.push(change)
        else noise.push({ change, block: block.id, why: block.why, isLearned: true })
      }
      return { told: told.sort(inOrder), noise }
    },

    viewFor(recipient, view) {
      const { change } = view
      if (change === null || change.noise.length === 0) return view
      const { owner, interests } = recipient.profile
      const hasTerm = change.noise.some(({ isLearned }) => isLearned) ? createOwnTerms(interests) : () => false
      const own = change.noise.filter(
        ({ change: each, block, isLearned }) => undoneBy.has(`${block} ${owner}`) || (isLearned && hasTerm(each)),
      )
      if (own.length === 0) return view
      // Recipients with the same exceptions share a view, so that later steps run once for them.
      const name = own.map(({ block }) => block).join(' ')
      const known = views.get(view)?.get(name)
      if (known !== undefined) return known
      const told = [...change.told, ...own.map((each) => each.change)].sort(inOrder)
      const { page, isUnmatched, isMatchedAgain } = view
      const noise = change.noise.filter((each) => !own.includes(each))
      const made = { page, isUnmatched, isMatchedAgain, change: { told, noise } }
      views.set(view, (views.get(view) ?? new Map()).set(name, made))
      return made
    },

    learned: () => (state === null || state === kept.state ? null : state),
  }
}

/**
 * The same for a past version, with today's knowledge: blocks muted since then count as muted, and nothing is learned. The last version
 * learned from is judged as it was then.
 */
export function createPastNoise(asked: NoiseAsked): Pick<VersionNoise, 'tellApart' | 'viewFor'> {
  const { kept, version } = asked
  const { state } = kept
  if (version.n >= state.n) return createVersionNoise(asked)
  const blocks = state.blocks.filter(({ why }) => why !== '')
  const muted = new Set(blocks.map(({ id }) => id))
  const noise = createVersionNoise({ ...asked, kept: { ...kept, state: { ...state, blocks, n: version.n - 1 } } })
  return {
    tellApart(changes, isWhole) {
      const apart = noise.tellApart(changes, isWhole)
      const isKnown = ({ isLearned, block }: MutedChange): boolean => !isLearned || muted.has(block)
      const others = apart.noise.filter((each) => !isKnown(each)).map(({ change }) => change)
      return { told: [...apart.told, ...others].sort(inOrder), noise: apart.noise.filter(isKnown) }
    },
    viewFor: noise.viewFor,
  }
}

/** The order of `listChanges`: by position in the newer version, or in the older one for removed blocks. */
function inOrder(one: Change, other: Change): number {
  return (one.to < 0 ? one.from : one.to) - (other.to < 0 ? other.from : other.to)
}

/** The same block with less text. */
function isPartOf(part: Change, whole: Change): boolean {
  if (part.kind !== whole.kind || part.block !== whole.block || part.place !== whole.place) return false
  return isWithin(part.before, whole.before) && isWithin(part.after, whole.after)
}

function isWithin(part: string | undefined, whole: string | undefined): boolean {
  if (part === undefined || whole === undefined) return part === whole
  let at = 0
  for (const word of part.split(/\s+/)) {
    const found = whole.indexOf(word, at)
    if (found < 0) return false
    at = found + word.length
  }
  return true
}

import { listChanges } from '../../archive/diff/change-list.ts'
import type { Blocks, Change } from '../../core/change/change.ts'
import type { Profile, Source } from '../../core/profile.ts'
import type { PartBlocks } from '../../core/select/part-blocks.ts'
import { createIgnoredText, ignoredBy } from '../../core/text/ignored-text.ts'
import { createWorkBudget, isSpent, type OwnerBudgets, type WorkBudget } from '../../core/work/work-budget.ts'
import { cutIgnored } from './ignored-blocks.ts'
import type { Recipient } from './recipients.ts'
import {
  type Content,
  changesBeside,
  countsFor,
  createSourceBlocks,
  partOf,
  type SeenContent,
} from './source-blocks.ts'
import type { TellApart, ToldChanges } from './told-changes.ts'

/** `before` is null if there is nothing to compare with: the page is new or back, or the previous version can't be read any more. */
export type VersionPair = { before: Content | null; after: Content | null; tellApart: TellApart }

/** A version as a source sees it, and what changed for a profile that ignores part of its text. */
export type ChangeView = {
  /** The part of the newer version that the source watches, ignored text included; null if its type has no text. */
  readonly page: Blocks | null
  /** Null if there is nothing to compare: the version is news as a whole. */
  readonly change: ToldChanges | null
  /** The selectors of the source match nothing in the newer version; `page` is null. */
  readonly isUnmatched: boolean
  /** The selectors match again after matching nothing in the previous version: compare with an earlier one. */
  readonly isMatchedAgain: boolean
}

/** A version earlier than the previous one. */
export type Earlier = { readonly versionId: number; readonly content: Content }

/** Work per character to cut and compare. */
const COMPARING = 2

/** A source with the profile that watches it. */
export type Viewer = { readonly source: Source; readonly profile: Pick<Profile, 'owner' | 'interests'> }

export type ChangeViews<R extends Viewer = Recipient> = {
  /** Shared by all recipients with the same view. Compares with `earlier` instead of the previous version if given. */
  of(recipient: R, earlier?: Earlier): ChangeView
  /** Recipients whose ignore lists could not be applied, as their owner's expressions took too much work. */
  tooExpensive(): R[]
  /** Recipients whose selectors took too much work: they see the whole page. */
  unselected(): R[]
}

type SourcePair = { before: Blocks | null; after: Blocks | null; tell: TellApart; whole: ChangeView }

const wholePage = { select: [], omit: [] }

/**
 * Creates the views of one version. Profiles that watch the same part and ignore the same text share a view. All lists of one owner
 * share one work budget, regardless of the number of profiles, so that one owner's expressions cannot delay others. Profiles beyond it
 * see the whole change.
 */
export function createChangeViews<R extends Viewer = Recipient>(): (
  pair: VersionPair,
  budgetOf: OwnerBudgets,
) => ChangeViews<R> {
  const ignored = createIgnoredText()
  const sourceBlocks = createSourceBlocks()

  return ({ before, after, tellApart }, budgetOf) => {
    const pairs = new Map<string, SourcePair>()
    const views = new Map<string, ChangeView>()
    const tooExpensive = new Set<R>()
    const unselected = new Set<R>()

    function pairOf(recipient: R, earlier: Earlier | undefined, source: Source = recipient.source): SourcePair {
      const { profile } = recipient
      const name = pairName(source, earlier)
      const known = pairs.get(name)
      if (known !== undefined) return known
      const made = readPair(
        source,
        earlier === undefined ? before : earlier.content,
        source.select.length + source.omit.length === 0 ? createWorkBudget() : budgetOf(profile.owner),
      )
      if (made === null) {
        unselected.add(recipient)
        return pairOf(recipient, earlier, { ...source, ...wholePage })
      }
      pairs.set(name, made)
      return made
    }

    /** Null if the selectors take too much work. */
    function readPair(source: Source, old: Content | null, budget: WorkBudget): SourcePair | null {
      const seenAfter = after === null ? noBlocks : sourceBlocks(after, source, budget)
      if (seenAfter.kind === 'too-expensive') return null
      if (seenAfter.kind === 'nothing')
        return { before: null, after: null, tell: tellApart, whole: { ...nothingSeen, isUnmatched: true } }
      const seenBefore = old === null ? noBlocks : sourceBlocks(old, source, budget)
      if (seenBefore.kind === 'too-expensive') return null
      const isMatchedAgain = seenBefore.kind === 'nothing'
      // With nothing to compare, a part that matches again is news as a whole.
      const [from, to] = [isMatchedAgain ? null : seenBefore.blocks, seenAfter.blocks]
      const elements = isMatchedAgain ? undefined : seenBefore.elements
      const tell = tellFor(source, { content: old, elements }, { content: after, elements: seenAfter.elements })
      const isWhole = source.select.length + source.omit.length === 0
      const whole = viewOf(to, from, to, (changes) => tell(changes, isWhole), isMatchedAgain)
      return { before: from, after: to, tell, whole }
    }

    function ignoring(pair: SourcePair, ignore: readonly string[], budget: WorkBudget): ChangeView | null {
      if (pair.before === null || pair.after === null) return pair.whole
      budget.left -= COMPARING * (sizeOf(pair.before) + sizeOf(pair.after))
      // Check early: the owner may have hundreds of such profiles, and the page may be long.
      if (isSpent(budget)) return null
      const seenBefore = cutIgnored(pair.before, ignore, ignored, budget)
      const seenAfter = seenBefore === null ? null : cutIgnored(pair.after, ignore, ignored, budget)
      return seenAfter === null
        ? null
        : viewOf(pair.after, seenBefore, seenAfter, (changes) => pair.tell(changes, false))
    }

    /** Noise only concerns text; changes of other aspects always count, as the source asked for them. */
    function tellFor(source: Source, old: SeenContent, next: SeenContent): TellApart {
      const counts = countsFor(source)
      return (changes, isWhole) => {
        const { told, noise } = tellApart(changes, isWhole)
        return { told: [...told.filter(counts), ...changesBeside(old, next, source)], noise }
      }
    }

    return {
      of(recipient, earlier) {
        const { profile, source } = recipient
        const pair = pairOf(recipient, earlier)
        const ignore = ignoredBy(profile.interests)
        if (ignore.length === 0) return pair.whole
        const name = JSON.stringify([pairName(source, earlier), ignore])
        const view = views.get(name) ?? ignoring(pair, ignore, budgetOf(profile.owner))
        if (view === null) tooExpensive.add(recipient)
        else views.set(name, view)
        return view ?? pair.whole
      },
      tooExpensive: () => [...tooExpensive],
      unselected: () => [...unselected],
    }
  }
}

const noBlocks: PartBlocks = { kind: 'blocks', blocks: null }
const nothingSeen = { page: null, change: null, isMatchedAgain: false }

function pairName(source: Source, earlier: Earlier | undefined): string {
  return earlier === undefined ? partOf(source) : `${earlier.versionId} ${partOf(source)}`
}

/**
 * Compares lazily, as not every recipient needs the change. A class, because V8 keeps a getter of an object literal, with everything it
 * references, alive until the next full collection.
 */
class LazyView implements ChangeView {
  readonly page: Blocks | null
  readonly isUnmatched = false
  readonly isMatchedAgain: boolean
  private readonly compare: () => ToldChanges | null
  private found: ToldChanges | null | undefined

  constructor(page: Blocks | null, compare: () => ToldChanges | null, isMatchedAgain: boolean) {
    this.page = page
    this.compare = compare
    this.isMatchedAgain = isMatchedAgain
  }

  get change(): ToldChanges | null {
    if (this.found === undefined) this.found = this.compare()
    return this.found
  }
}

function viewOf(
  page: Blocks | null,
  before: Blocks | null,
  after: Blocks | null,
  tell: (changes: readonly Change[]) => ToldChanges,
  isMatchedAgain = false,
): ChangeView {
  const compare = () => (before === null || after === null ? null : tell(listChanges(before, after).changes))
  return new LazyView(page, compare, isMatchedAgain)
}

function sizeOf({ blocks }: Blocks): number {
  return blocks.reduce((sum, { text }) => sum + text.length + 1, 0)
}

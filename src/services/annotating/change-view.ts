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

/** `before` is null where there is nothing to compare with: the page is new or back, or the version before can't be read any more. */
export type VersionPair = { before: Content | null; after: Content | null; tellApart: TellApart }

/** A version as a source sees it, and what changed for a profile that ignores part of its text. */
export type ChangeView = {
  /** What the source watches of the newer version, ignored text included; null where its type has no text. */
  readonly page: Blocks | null
  /** Null where there is nothing to compare: the version is news as a whole. */
  readonly change: ToldChanges | null
  /** The selectors of the source match nothing in the newer version. Then there is no page either. */
  readonly isUnmatched: boolean
  /** They match again, and matched nothing in the version before: an earlier one may say what changed. */
  readonly isMatchedAgain: boolean
}

/** A version before the one that this one follows. */
export type Earlier = { readonly versionId: number; readonly content: Content }

/** What it costs to cut and compare, for each character. */
const COMPARING = 2

/** Somebody who watches a source. */
export type Viewer = { readonly source: Source; readonly profile: Pick<Profile, 'owner' | 'interests'> }

export type ChangeViews<R extends Viewer = Recipient> = {
  /** One for all recipients who see the same; compared with an earlier version where that is given. */
  of(recipient: R, earlier?: Earlier): ChangeView
  /** Recipients that were asked for and whose lists could not be applied: their owner's expressions took too much work. */
  tooExpensive(): R[]
  /** The same for their selectors: they see the whole page. */
  unselected(): R[]
}

type SourcePair = { before: Blocks | null; after: Blocks | null; tell: TellApart; whole: ChangeView }

const wholePage = { select: [], omit: [] }

/**
 * Shows one version to many. Profiles that watch the same part and ignore the same text share the result. However many profiles an
 * owner has, all their lists together get the work of one, so that one owner's expressions cannot delay others. Those beyond it see
 * the whole change.
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

    /** Null where the selectors take too much work. */
    function readPair(source: Source, old: Content | null, budget: WorkBudget): SourcePair | null {
      const seenAfter = after === null ? noBlocks : sourceBlocks(after, source, budget)
      if (seenAfter.kind === 'too-expensive') return null
      if (seenAfter.kind === 'nothing')
        return { before: null, after: null, tell: tellApart, whole: { ...nothingSeen, isUnmatched: true } }
      const seenBefore = old === null ? noBlocks : sourceBlocks(old, source, budget)
      if (seenBefore.kind === 'too-expensive') return null
      const isMatchedAgain = seenBefore.kind === 'nothing'
      // Without an earlier version, what is there again is news as a whole.
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
      // Its owner may have hundreds of such profiles, and the page may be long.
      if (isSpent(budget)) return null
      const seenBefore = cutIgnored(pair.before, ignore, ignored, budget)
      const seenAfter = seenBefore === null ? null : cutIgnored(pair.after, ignore, ignored, budget)
      return seenAfter === null
        ? null
        : viewOf(pair.after, seenBefore, seenAfter, (changes) => pair.tell(changes, false))
    }

    /** Noise is of the text; what is beside it, somebody asked for. */
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
 * Compared when first asked: not everybody needs it. A class, since a getter of a literal is kept by the engine, with all that it holds on
 * to, until the next full collection.
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

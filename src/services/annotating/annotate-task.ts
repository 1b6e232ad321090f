import type { BodyReader } from '../../archive/body-reader.ts'
import type { Clock } from '../../core/clock.ts'
import type { OmitRules } from '../../core/text/omit-rules.ts'
import {
  createOwnerBudgets,
  createProfileBudgets,
  createWorkBudget,
  createWorkShares,
  type OwnerBudgets,
} from '../../core/work/work-budget.ts'
import { createDrafting } from '../../matching/annotate.ts'
import { proseOf, simhash } from '../../matching/near-duplicate/simhash.ts'
import { type DocumentTerms, readDocument } from '../../matching/terms/document-terms.ts'
import type {
  Annotation,
  AnnotationBatch,
  AnnotationDraft,
  AnnotationStore,
  NearDuplicateStore,
  Task,
} from '../../store/contracts/annotations.ts'
import { type AsideKind, asideKinds, type UrdRow } from '../../store/contracts/profiles.ts'
import type { PriceRow, Version, VersionStore } from '../../store/contracts/versions.ts'
import { draftOf, type Found } from './annotation-draft.ts'
import { describeTracked } from './change-summary.ts'
import { type ChangeView, createChangeViews } from './change-view.ts'
import { findGone } from './gone.ts'
import { type InterestMatch, matchInterests } from './interest-matches.ts'
import { createMatchedDocuments, type MatchedDocument } from './matched-document.ts'
import { createPriceSteps } from './price-step.ts'
import type { Recipient, Recipients } from './recipients.ts'
import type { Content } from './source-blocks.ts'
import { noiseOf } from './told-changes.ts'

export type AnnotateTaskDeps = {
  versions: VersionStore
  bodies: BodyReader
  annotations: AnnotationStore
  recipients: Recipients
  nearDuplicates: NearDuplicateStore
  /** When the first check of a URD was completed; 0 before that. */
  visitedAt(urd: UrdRow): Promise<number>
  omitFor(url: string): OmitRules | null
  /** These sources were set aside, for this document or until they are changed. */
  setAside(urds: readonly number[], kind: AsideKind, url: string): Promise<void>
  /** Called for each document that is matched: scorers learn from it how common words are. */
  learn(terms: DocumentTerms): void
  clock: Clock
}

type FoundAll = {
  found: Found[]
  /** Of the text that `merging` were matched by; null where it is too short to compare. */
  hash: bigint | null
  merging: ReadonlySet<Recipient>
  /** For a recipient only noise or ignored text changed: the version still counts as known to them. */
  isQuietForSome: boolean
  /** Those whose expressions took too much work for this document. */
  ignore: Recipient[]
  interests: Recipient[]
  prices: readonly PriceRow[]
}

type Standing = { newTo: ReadonlySet<Recipient>; isBacklog(recipient: Recipient): boolean }

/** For one owner and one document: a fifth of a second where expressions are made to be slow. After a few such, a fiftieth of the time. */
const WORK = { each: 12_000_000, free: 500_000, perSecond: 1_000_000, max: 48_000_000 }
/** For the scopes of one owner, which see no more than a URL. */
const scopeBudgets = () => createOwnerBudgets(() => createWorkBudget(WORK.each))
const nothingFound: FoundAll = {
  found: [],
  hash: null,
  merging: new Set(),
  isQuietForSome: false,
  ignore: [],
  interests: [],
  prices: [],
}
const nothing: AnnotationBatch = { done: [], annotations: [], alsoAt: [], nearDuplicates: [], unwanted: [], wanted: [] }

/**
 * A filtering processor: turns one new version of a watch into annotations for the profiles that it concerns. The task is completed
 * with them; those that are new are returned. What is done for each distinct view of the recipients is done once:
 *
 * 1. the blocks of this version and of the one before, cut to the part that the source watches (`source-blocks`)
 * 2. without the text that the profile ignores (`ignored-blocks`)
 * 3. what changed between them
 * 4. without noise (`told-changes`)
 * 5. for sources with conditions on a price, a stock or a number: whether one is met (`price-step`)
 * 6. for sources that filter: the interests, held against the change or the page (`matched-document`, `interest-matches`)
 * 7. the annotation (`change-summary`, `annotation-draft`)
 */
export function createAnnotateTask(deps: AnnotateTaskDeps): (task: Task) => Promise<Annotation[]> {
  const { versions, bodies, annotations, recipients, nearDuplicates, clock } = deps
  const viewsOf = createChangeViews()
  const shares = createWorkShares(clock, WORK)
  const pricesOf = createPriceSteps(deps)

  async function contentOf(version: Version): Promise<Content | null> {
    const found = await bodies.read(version)
    if (found.kind !== 'body') return null
    return { body: found.body, contentType: found.contentType, omit: deps.omitFor(version.url) }
  }

  /**
   * The last version before this one that has a content. Null for a page that is new or back, and where that version can't be read any
   * more, because its body was lost, damaged or collected: then there is no change to look at, and the page counts as a whole.
   */
  async function contentBefore(version: Version): Promise<Content | null> {
    if (version.reason === 'new' || version.reason === 'back') return null
    for (let n = version.n - 1; n > 0; n--) {
      const [before] = await versions.history(version.documentId, { after: n - 1, limit: 1 })
      if (before !== undefined && before.n < version.n && before.reason !== 'gone') return contentOf(before)
    }
    return null
  }

  function draft({ document, terms }: MatchedDocument, matches: readonly InterestMatch[], budgetOf: OwnerBudgets) {
    const draftFor = createDrafting(document, terms)
    const budgets = createProfileBudgets(budgetOf)
    const drafts = matches.map(({ recipient, relevance }): Found => {
      const budget = budgets.of(recipient.profile.owner)
      const { summary, explanation } = draftFor(recipient.slot, recipient.interests!, relevance, budget)
      return { recipient, relevance, summary, explanation }
    })
    budgets.settle()
    return drafts
  }

  async function find(
    version: Version,
    covering: readonly Recipient[],
    { newTo }: Standing,
    budgetOf: OwnerBudgets,
  ): Promise<FoundAll> {
    if (version.reason === 'gone')
      return { ...nothingFound, found: await findGone(version, covering, newTo, annotations) }
    const after = await contentOf(version)
    const before = await contentBefore(version)
    const views = viewsOf({ before, after, tellApart: await noiseOf(version) }, budgetOf)
    const documents = createMatchedDocuments(version, deps.learn)
    const prices = pricesOf(version, after)
    const groups = new Map<MatchedDocument, Recipient[]>()
    const found: Found[] = []
    let isQuietForSome = false
    for (const recipient of covering) {
      const { process } = recipient.source
      if (process === 'archive') continue
      const seen = views.of(recipient)
      // On their first check, what changed before is not news: the page is.
      const view: ChangeView = newTo.has(recipient) ? { page: seen.page, change: null } : seen
      const met = await prices.of(recipient, view.page)
      if (met?.length === 0 && !newTo.has(recipient)) isQuietForSome = true
      else if (met === null && version.reason === 'changed' && view.change?.told.length === 0) isQuietForSome = true
      else if (process === 'track') found.push({ recipient, relevance: 1, ...describeTracked(view, met) })
      else if (view.page !== null) {
        const isChange = view.change !== null && matchOf(recipient) === 'change'
        const document = isChange ? documents.change(view) : documents.page(view)
        const others = groups.get(document)
        if (others === undefined) groups.set(document, [recipient])
        else others.push(recipient)
      }
    }
    const interests: Recipient[] = []
    let hash: bigint | null = null
    let merging = new Set<Recipient>()
    for (const [document, group] of groups) {
      const { matches, tooExpensive } = matchInterests(document.terms, group, recipients.index, budgetOf)
      interests.push(...tooExpensive)
      if (matches.length === 0) continue
      found.unshift(...draft(document, matches, budgetOf))
      // A version has one hash. Its documents are few, and usually one.
      if (matches.length <= merging.size) continue
      hash = proseHash(document.document.text)
      merging = new Set(matches.map(({ recipient }) => recipient))
    }
    return {
      ...{ found, hash, merging, isQuietForSome, interests },
      ignore: views.tooExpensive(),
      prices: prices.rows(),
    }
  }

  /**
   * New to those whose own first check this is. A version found on one owner's first check that was there before is old to all others:
   * shown, but not pushed. That a page which they know is gone is always news.
   */
  async function standingOf(
    covering: readonly Recipient[],
    { reason }: Version,
    { first, made, round }: Task,
  ): Promise<Standing> {
    const newTo = new Set<Recipient>()
    if (!first) return { newTo, isBacklog: () => false }
    for (const recipient of covering) {
      const visitedAt = await deps.visitedAt(recipient.urd)
      if (visitedAt === 0 || visitedAt >= round) newTo.add(recipient)
    }
    return { newTo, isBacklog: (recipient) => reason !== 'gone' && (!made || newTo.has(recipient)) }
  }

  /** Which recipients get a new annotation, and for which it is a near duplicate of an earlier one. */
  async function batchFor(
    { found, merging }: FoundAll,
    version: Version,
    cluster: number,
    { ofCluster }: Pick<AnnotationStore, 'ofCluster'>,
    { isBacklog }: Standing,
  ) {
    const drafts: AnnotationDraft[] = []
    const alsoAt: AnnotationBatch['alsoAt'][number][] = []
    for (const each of found) {
      const { recipient } = each
      // Recipients that follow every change are notified of each, near duplicate or not.
      const merges = cluster !== 0 && merging.has(recipient)
      const known = merges ? await ofCluster(recipient.profile.id, cluster, version.documentId) : null
      if (known === null)
        drafts.push(draftOf(each, { version, cluster, backlog: isBacklog(recipient), at: clock.now() }))
      else alsoAt.push({ annotation: known.id, versionId: version.id, url: version.url })
    }
    return { ...nothing, annotations: drafts, alsoAt }
  }

  /** Written once for each source and kind, so that a source that is slow on every page isn't written for every page. */
  async function noteAside(expensive: Record<AsideKind, readonly Recipient[]>, url: string): Promise<void> {
    for (const kind of asideKinds) {
      const fresh = expensive[kind].filter(
        ({ urd }) => asideKinds.indexOf(urd.aside || kind) >= asideKinds.indexOf(kind),
      )
      const urds = fresh.flatMap(({ urd }) => (urd.aside === kind ? [] : [urd.id]))
      if (urds.length > 0) await deps.setAside(urds, kind, url)
    }
  }

  return async function annotateTask(task) {
    const done = [task.id]
    const version = await versions.version(task.versionId)
    if (version === null) return annotations.commit({ ...nothing, done })
    const share = shares.begin()
    const page = { url: version.url, hops: task.hops }
    const { covering, tooExpensive } = recipients.covering(task.watch, page, scopeBudgets())
    const standing = await standingOf(covering, version, task)
    const all = await find(version, covering, standing, share.of)
    const { found, hash, isQuietForSome, ignore, interests, prices } = all
    share.end()
    await noteAside({ scope: tooExpensive, ignore, interests }, version.url)
    const isArchived = covering.some(({ source }) => source.process === 'archive')
    const wanted = isArchived && !task.made ? [version.id] : []
    const isWanted = isArchived || isQuietForSome || found.length > 0
    const unwanted = task.made && !isWanted ? [version.id] : []
    if (hash === null || found.length === 0)
      return annotations.commit({
        ...(await batchFor(all, version, 0, annotations, standing)),
        done,
        unwanted,
        wanted,
        prices,
      })
    return nearDuplicates.decide(hash, async (met) => {
      const cluster = met.cluster ?? version.id
      const batch = await batchFor(all, version, cluster, met.annotations, standing)
      const complete = { ...batch, done, wanted, prices, nearDuplicates: [{ versionId: version.id, hash, cluster }] }
      return { cluster, result: await met.annotations.commit(complete) }
    })
  }
}

/** Whether interests are held against what changed. */
function matchOf({ profile }: Recipient): 'change' | 'page' {
  return (profile.interests as { match?: 'change' | 'page' }).match ?? 'change'
}

function proseHash(text: string): bigint | null {
  return simhash(readDocument({ url: '', title: '', text: proseOf(text) }))
}

import type { BodyReader } from '../../archive/body-reader.ts'
import type { NoiseState } from '../../core/change/noise/learned-block.ts'
import type { Clock } from '../../core/clock.ts'
import type { OmitRules } from '../../core/text/omit-rules.ts'
import {
  createOwnerBudgets,
  createProfileBudgets,
  createWorkBudget,
  createWorkShares,
  type OwnerBudgets,
} from '../../core/work/work-budget.ts'
import { sketchBeside, storyOf } from '../../matching/near-duplicate/same-story.ts'
import { encodeSketch, readLines, type TextLines } from '../../matching/near-duplicate/text-sketch.ts'
import type { DocumentTerms } from '../../matching/terms/document-terms.ts'
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
import { createBlindSpots } from './blind-spots.ts'
import { createDescribing, describeTracked } from './change-summary.ts'
import { type ChangeView, type ChangeViews, createChangeViews } from './change-view.ts'
import { backSummary, findGone } from './gone.ts'
import { type InterestMatch, matchInterests } from './interest-matches.ts'
import { createMatchedDocuments, type MatchedDocument } from './matched-document.ts'
import { createPriceSteps } from './price-step.ts'
import type { Recipient, Recipients } from './recipients.ts'
import { createSelections, type SelectionDeps } from './selection.ts'
import type { Content } from './source-blocks.ts'
import { joined, knownTexts, placedTexts } from './story-texts.ts'
import { createItems } from './version-items.ts'
import { createVersionNoise } from './version-noise.ts'

export type AnnotateTaskDeps = {
  versions: VersionStore
  bodies: Pick<BodyReader, 'readText'>
  annotations: AnnotationStore
  recipients: Recipients
  nearDuplicates: NearDuplicateStore
  /** When the first check of a URD was completed; 0 before that. */
  visitedAt(urd: UrdRow): Promise<number>
  omitFor(url: string): OmitRules | null
  setUrds: SelectionDeps['setUrds']
  onProblem: SelectionDeps['onProblem']
  /** Sets sources aside, for this document or until they are changed. */
  setAside(urds: readonly number[], kind: AsideKind, url: string): Promise<void>
  /** Called for each matched document: scorers learn word frequencies from it. */
  learn(terms: DocumentTerms): void
  clock: Clock
}

/** Called between two steps of a task, before it is committed, to let others run. */
export type Pause = () => Promise<void>

type FoundAll = {
  found: Found[]
  /** Text of the document that matched for `merging`; null if there is none to compare. */
  text: TextLines | null
  merging: ReadonlySet<Recipient>
  /** For some recipient only noise or ignored text changed: they still count as knowing the version. */
  isQuietForSome: boolean
  /** For at least one of them it was noise. */
  isNoiseForSome: boolean
  /** Recipients whose expressions took too much work for this document. */
  ignore: Recipient[]
  select: Recipient[]
  interests: Recipient[]
  prices: readonly PriceRow[]
  /** The noise model updated with this version. */
  noise: NoiseState | null
}

/** The previous version, its content, and how long the page was gone since. */
type Before = { last: Version | null; content: Content | null; awayMs: number }
type Standing = { hops: number; watch: number; newTo: ReadonlySet<Recipient>; isBacklog(recipient: Recipient): boolean }

/** Work per owner and document: a fifth of a second for deliberately slow expressions; after a few of those, a fiftieth of the time. */
const WORK = { each: 12_000_000, free: 500_000, perSecond: 1_000_000, max: 48_000_000 }
/** Maximum number of versions searched for the last one that the selectors matched. */
const MAX_EARLIER = 5
/** Budgets for matching scopes, which only see a URL. */
const scopeBudgets = () => createOwnerBudgets(() => createWorkBudget(WORK.each))
const nothingFound: FoundAll = {
  found: [],
  text: null,
  merging: new Set(),
  isQuietForSome: false,
  isNoiseForSome: false,
  ignore: [],
  select: [],
  interests: [],
  prices: [],
  noise: null,
}
const nothing: AnnotationBatch = { done: [], annotations: [], alsoAt: [], nearDuplicates: [], unwanted: [], wanted: [] }

/**
 * A filtering processor: turns one new version of a watch into annotations for the profiles it concerns. Commits them together with
 * the completed task and returns the new ones. Each step runs once per distinct view of the recipients:
 *
 * 1. the blocks of this version and of the one before, cut to the part that the source watches (`source-blocks`)
 * 2. without the text that the profile ignores (`ignored-blocks`)
 * 3. what changed between them
 * 4. without noise (`version-noise`)
 * 5. for sources with conditions on a price, a stock or a number: whether one is met (`price-step`)
 * 6. the items to report: the page, or the entries of a feed one by one (`version-items`); for sources that filter, the interests,
 *    matched against the change or the page (`matched-document`, `interest-matches`)
 * 7. the annotation (`change-summary`, `annotation-draft`)
 */
export function createAnnotateTask(deps: AnnotateTaskDeps): (task: Task, pause?: Pause) => Promise<Annotation[]> {
  const { versions, bodies, annotations, recipients, nearDuplicates, clock } = deps
  const viewsOf = createChangeViews()
  const shares = createWorkShares(clock, WORK)
  const pricesOf = createPriceSteps(deps)
  const selections = createSelections(deps)
  const blindSpotsOf = createBlindSpots(deps)

  async function contentOf(version: Version): Promise<Content | null> {
    const found = await bodies.readText(version)
    if (found.kind !== 'body') return null
    const { url, status } = version
    const { body, contentType, header } = found
    return { body, contentType, omit: deps.omitFor(url), answer: { url, status, header } }
  }

  /**
   * The version to compare with: the one last reported to the watch, so that changes found by others in between are not missed. If that
   * can't be read any more, the last earlier version with content. The content is null for a new page, and if neither can be read
   * because its body was lost, damaged or collected: then there is no change, and the page counts as a whole.
   */
  async function before(version: Version, watch: number): Promise<Before> {
    if (version.reason === 'new') return { last: null, content: null, awayMs: 0 }
    // There are never two consecutive versions with the reason `gone`.
    const earlier = await versions.newest(version.documentId, { before: version.n, limit: 2 })
    const previous = earlier.find(({ reason }) => reason !== 'gone') ?? null
    const goneAt = earlier.find(({ reason }) => reason === 'gone')?.firstSeenAt ?? version.firstSeenAt
    const awayMs = Math.max(0, version.firstSeenAt - goneAt)
    const told = previous === null ? null : await lastTold(version, watch)
    const content = told === null || told.id === previous?.id ? null : await contentOf(told)
    if (content !== null) return { last: told, content, awayMs }
    return { last: previous, content: previous === null ? null : await contentOf(previous), awayMs }
  }

  async function lastTold({ documentId, id }: Version, watch: number): Promise<Version | null> {
    const [row] = await versions.reached({ documents: [documentId], watches: [watch] })
    const known = row?.known ?? 0
    if (known === 0 || known >= id) return null
    const told = await versions.version(known)
    return told === null || told.reason === 'gone' ? null : told
  }

  /** For selectors that match again: the change since they last matched. Returns `view` if no earlier version matched. */
  async function sinceLastMatch(
    recipient: Recipient,
    version: Version,
    views: ChangeViews,
    view: ChangeView,
  ): Promise<ChangeView> {
    const { selected, selectedVersion } = recipient.urd
    const missing = selected === 'nothing' ? await versions.version(selectedVersion) : null
    const isOfPage = missing?.documentId === version.documentId
    for (const each of await versions.newest(version.documentId, {
      before: isOfPage ? missing.n : version.n,
      limit: MAX_EARLIER,
    })) {
      const content = each.reason === 'gone' ? null : await contentOf(each)
      const seen = content === null ? view : views.of(recipient, { versionId: each.id, content })
      if (!seen.isMatchedAgain) return seen
    }
    return view
  }

  function describe(matched: MatchedDocument, matches: readonly InterestMatch[], budgetOf: OwnerBudgets): Found[] {
    const describeFor = createDescribing(matched)
    const budgets = createProfileBudgets(budgetOf)
    const found = matches.map(({ recipient, relevance }): Found => {
      const budget = budgets.of(recipient.profile.owner)
      return { recipient, item: matched.item, relevance, ...describeFor(recipient.interests!, relevance, budget) }
    })
    budgets.settle()
    return found
  }

  async function find(
    version: Version,
    covering: readonly Recipient[],
    { newTo, hops, watch }: Standing,
    { budgetOf, pause }: { budgetOf: OwnerBudgets; pause: Pause },
  ): Promise<FoundAll> {
    if (version.reason === 'gone')
      return { ...nothingFound, found: await findGone(version, covering, newTo, annotations) }
    const after = await contentOf(version)
    const { last, content, awayMs } = await before(version, watch)
    const kept = await versions.noise(version.documentId)
    const noise = createVersionNoise({ kept, version, previous: last, before: content, after })
    const views = viewsOf({ before: content, after, tellApart: noise.tellApart }, budgetOf)
    const itemsOf = createItems(version)
    const documentOf = createMatchedDocuments(version, deps.learn)
    const prices = pricesOf(version, after)
    const noteBlindSpot = blindSpotsOf(version, after)
    const groups = new Map<MatchedDocument, Recipient[]>()
    const found: Found[] = []
    let isQuietForSome = false
    let isNoiseForSome = false
    for (const recipient of covering) {
      const { source, profile } = recipient
      const isSelected = hops === 0 && source.select.length > 0
      if (source.process === 'archive' && !isSelected) continue
      await pause()
      const current = views.of(recipient)
      const seen = current.isMatchedAgain ? await sinceLastMatch(recipient, version, views, current) : current
      const notice = isSelected ? await selections.note(recipient, version, !seen.isUnmatched) : null
      if (notice !== null) found.push(notice)
      if (seen.isUnmatched) isQuietForSome = true
      if (seen.isUnmatched || source.process === 'archive') continue
      if (hops === 0) await noteBlindSpot(recipient, seen.page)
      const isNew = newTo.has(recipient)
      const view = isNew ? seen : noise.viewFor(recipient, seen)
      const met = await prices.of(recipient, view.page)
      const items = met?.length === 0 && !isNew ? [] : itemsOf(view, { isNew, isMet: met !== null })
      if (items.length === 0) {
        isQuietForSome = true
        isNoiseForSome ||= met === null && !isNew && (view.change?.noise.length ?? 0) > 0
      }
      for (const item of items) {
        if (source.process === 'track') found.push({ recipient, item, relevance: 1, ...describeTracked(item, met) })
        else if (item.blocks !== null) {
          const document = documentOf(item, profile.interests.match)
          const others = groups.get(document)
          if (others === undefined) groups.set(document, [recipient])
          else others.push(recipient)
        }
      }
    }
    const interests: Recipient[] = []
    let text: TextLines | null = null
    let merging = new Set<Recipient>()
    for (const [document, group] of groups) {
      await pause()
      const { matches, tooExpensive } = matchInterests(document.terms, group, recipients.index, budgetOf)
      interests.push(...tooExpensive)
      if (matches.length === 0) continue
      for (const each of describe(document, matches, budgetOf)) found.push(each)
      // A version has one text for near-duplicate detection. Feed entries have none.
      if (matches.length <= merging.size || document.item.entry !== null) continue
      text = readLines(placedTexts(document))
      merging = new Set(matches.map(({ recipient }) => recipient))
    }
    if (version.reason === 'back') for (const each of found) each.summary = backSummary(each, awayMs)
    return {
      ...{ found, text, merging, isQuietForSome, isNoiseForSome, interests },
      noise: noise.learned(),
      ignore: views.tooExpensive(),
      select: views.unselected(),
      prices: prices.rows(),
    }
  }

  /**
   * The version is new to recipients whose own first check this is. A version that existed before and is found on one owner's first
   * check is backlog for all: shown, but not pushed. The removal of a page they know is always news.
   */
  async function standingOf(
    covering: readonly Recipient[],
    { reason }: Version,
    { first, made, round, watch, hops }: Task,
  ): Promise<Standing> {
    const newTo = new Set<Recipient>()
    if (!first) return { hops, watch, newTo, isBacklog: () => false }
    for (const recipient of covering) {
      const visitedAt = await deps.visitedAt(recipient.urd)
      if (visitedAt === 0 || visitedAt >= round) newTo.add(recipient)
    }
    return { hops, watch, newTo, isBacklog: (recipient) => reason !== 'gone' && (!made || newTo.has(recipient)) }
  }

  /** Decides which recipients get a new annotation, and for which it is a near duplicate of an earlier one. */
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
      // Recipients that follow every change are notified of each, even of near duplicates.
      const merges = cluster !== 0 && merging.has(recipient)
      const { owner, id: profile } = recipient.profile
      const story = merges
        ? await ofCluster({ owner, profile, cluster, documentId: version.documentId })
        : ({ kind: 'none' } as const)
      // A document split from its story gets an annotation of its own.
      const ownCluster = merges && story.kind === 'none' ? cluster : 0
      const draft = draftOf(each, { version, cluster: ownCluster, backlog: isBacklog(recipient), at: clock.now() })
      if (story.kind === 'known') alsoAt.push(joined(story.annotation, draft, version.url))
      else drafts.push(draft)
    }
    return { ...nothing, annotations: drafts, alsoAt }
  }

  /** Writes once per source and kind, so that a source that is slow on every page doesn't cause a write for each. */
  async function noteAside(expensive: Record<AsideKind, readonly Recipient[]>, url: string): Promise<void> {
    for (const kind of asideKinds) {
      const fresh = expensive[kind].filter(
        ({ urd }) => asideKinds.indexOf(urd.aside || kind) >= asideKinds.indexOf(kind),
      )
      const urds = fresh.flatMap(({ urd }) => (urd.aside === kind ? [] : [urd.id]))
      if (urds.length > 0) await deps.setAside(urds, kind, url)
    }
  }

  return async function annotateTask(task, pause = async () => {}) {
    const done = [task.id]
    const version = await versions.version(task.versionId)
    if (version === null) return annotations.commit({ ...nothing, done })
    const share = shares.begin()
    const page = { url: version.url, hops: task.hops }
    const { covering, tooExpensive } = recipients.covering(task.watch, page, scopeBudgets())
    const standing = await standingOf(covering, version, task)
    const all = await find(version, covering, standing, { budgetOf: share.of, pause })
    const { found, text, isQuietForSome, ignore, select, interests, prices } = all
    const learned = all.noise === null ? {} : { noise: { documentId: version.documentId, state: all.noise } }
    const known = { documentId: version.documentId, watch: task.watch, versionId: version.id }
    const also = { done, prices, known, ...learned, notices: noticesOf(all, version, standing) }
    share.end()
    await noteAside({ scope: tooExpensive, ignore, select, interests }, version.url)
    const isArchived = covering.some(({ source }) => source.process === 'archive')
    const wanted = isArchived && !task.made ? [version.id] : []
    const isWanted = isArchived || isQuietForSome || found.length > 0
    const unwanted = task.made && !isWanted ? [version.id] : []
    const host = URL.parse(version.url)?.host ?? ''
    const isPage = text !== null && host !== ''
    const ofHost = !isPage ? [] : knownTexts(await annotations.textsOfHost(host, version.documentId))
    const sketch = text === null || found.length === 0 ? null : sketchBeside(text, ofHost)
    if (sketch === null)
      return annotations.commit({
        ...(await batchFor(all, version, 0, annotations, standing)),
        ...also,
        unwanted,
        wanted,
      })
    return nearDuplicates.decide(sketch.bands, async (met) => {
      const cluster = storyOf({ host, sketch }, knownTexts(met.candidates), ofHost) ?? version.id
      const batch = await batchFor(all, version, cluster, met.annotations, standing)
      const kept = {
        ...{ versionId: version.id, documentId: version.documentId, host, at: clock.now(), cluster },
        ...{ bands: sketch.bands, sketch: encodeSketch(sketch) },
      }
      return met.annotations.commit({ ...batch, ...also, wanted, nearDuplicates: [kept] })
    })
  }
}

/** Whether the version was notified or was noise. A source's first version notifies no one. */
function noticesOf({ found, isNoiseForSome }: FoundAll, { id }: Version, { isBacklog }: Standing) {
  const isNotified = found.some(({ recipient }) => !isBacklog(recipient))
  const notice = isNotified ? 'notified' : isNoiseForSome && found.length === 0 ? 'noise' : null
  return notice === null ? [] : [{ versionId: id, notice } as const]
}

import type { BodyReader } from '../../archive/body-reader.ts'
import type { Clock } from '../../core/clock.ts'
import { documentText } from '../../core/text/document-text.ts'
import { ignoredBy } from '../../core/text/ignored-text.ts'
import type { OmitRules } from '../../core/text/omit-rules.ts'
import {
  createOwnerBudgets,
  createProfileBudgets,
  createWorkBudget,
  createWorkShares,
  isSpent,
  type OwnerBudgets,
  type WorkBudget,
} from '../../core/work/work-budget.ts'
import { createDrafting } from '../../matching/annotate.ts'
import { relevanceOf } from '../../matching/match/evaluate.ts'
import { proseOf, simhash } from '../../matching/near-duplicate/simhash.ts'
import { type DocumentTerms, readDocument } from '../../matching/terms/document-terms.ts'
import type {
  Annotation,
  AnnotationBatch,
  AnnotationDraft,
  AnnotationStore,
  MarkedText,
  NearDuplicateStore,
  Task,
} from '../../store/contracts/annotations.ts'
import { type AsideKind, asideKinds, type UrdRow } from '../../store/contracts/profiles.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'
import { type ChangeViews, createChangeViews } from './change-view.ts'
import type { Recipient, Recipients } from './recipients.ts'

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

type Document = { url: string; title: string; text: string; at: number }
type Match = { recipient: Recipient; relevance: number }
type Found = { recipient: Recipient; relevance: number; summary: MarkedText; explanation: unknown }
type FoundAll = {
  found: Found[]
  hash: bigint | null
  /** A recipient ignores the part that changed: the version still counts as known to them. */
  isIgnoredBySome: boolean
  /** Those whose expressions took too much work for this document. */
  ignore: Recipient[]
  interests: Recipient[]
}

/** Up to this many recipients are compared with the document one by one; more are found through the index. */
const FEW = 64
/** For one owner and one document: a fifth of a second where expressions are made to be slow. After a few such, a fiftieth of the time. */
const WORK = { each: 12_000_000, free: 500_000, perSecond: 1_000_000, max: 48_000_000 }
/** For the scopes of one owner, which see no more than a URL. */
const scopeBudgets = () => createOwnerBudgets(() => createWorkBudget(WORK.each))
const nothingFound: FoundAll = { found: [], hash: null, isIgnoredBySome: false, ignore: [], interests: [] }
const nothing: AnnotationBatch = { done: [], annotations: [], alsoAt: [], nearDuplicates: [], unwanted: [], wanted: [] }

/**
 * A filtering processor: turns one new version of a watch into annotations for the profiles that it matches. The task is completed
 * with them; those that are new are returned.
 */
export function createAnnotateTask(deps: AnnotateTaskDeps): (task: Task) => Promise<Annotation[]> {
  const { versions, bodies, annotations, recipients, nearDuplicates, clock } = deps
  const viewsOf = createChangeViews()
  const shares = createWorkShares(clock, WORK)

  async function textOf(version: Version): Promise<string | null> {
    const found = await bodies.read(version)
    if (found.kind !== 'body') return null
    return documentText(found.body, { contentType: found.contentType, omit: deps.omitFor(version.url), lines: true })
  }

  /** The last version before this one that has a content. */
  async function textBefore(version: Version): Promise<string | null> {
    for (let n = version.n - 1; n > 0; n--) {
      const [before] = await versions.history(version.documentId, { after: n - 1, limit: 1 })
      if (before !== undefined && before.n < version.n && before.reason !== 'gone') return textOf(before)
    }
    return null
  }

  /** A page that is gone notifies those who follow every change, and those who were notified of the page. */
  async function findGone(version: Version, covering: readonly Recipient[]): Promise<Found[]> {
    const found: Found[] = []
    const text = version.location === '' ? `gone (status ${version.status})` : `moved to ${version.location}`
    const summary: MarkedText = { text, marks: [] }
    for (const recipient of covering) {
      const last = await annotations.last(recipient.profile.id, version.documentId)
      const wasNotified = last !== null && last.kind !== 'gone'
      if (recipient.source.process === 'track' || (recipient.source.process === 'filter' && wasNotified))
        found.push({ recipient, relevance: last?.relevance ?? 1, summary, explanation: { gone: version.status } })
    }
    return found
  }

  function draft(document: Document, terms: DocumentTerms, matches: readonly Match[], budgetOf: OwnerBudgets): Found[] {
    const draftFor = createDrafting(document, terms)
    const budgets = createProfileBudgets(budgetOf)
    const drafts = matches.map(({ recipient, relevance }) => {
      const budget = budgets.of(recipient.profile.owner)
      const { summary, explanation } = draftFor(recipient.slot, recipient.interests!, relevance, budget)
      return { recipient, relevance, summary, explanation }
    })
    budgets.settle()
    return drafts
  }

  function matchesOf(terms: DocumentTerms, filtering: readonly Recipient[], budgetOf: OwnerBudgets) {
    const budgets = createProfileBudgets(budgetOf)
    const given = new Map<Recipient, WorkBudget>()
    const give = (recipient: Recipient): WorkBudget => {
      const budget = budgets.of(recipient.profile.owner)
      given.set(recipient, budget)
      return budget
    }
    const matches =
      filtering.length > FEW ? matchedByIndex(terms, filtering, give) : matchedSingly(terms, filtering, give)
    budgets.settle()
    const tooExpensive = [...given].flatMap(([recipient, budget]) => (isSpent(budget) ? [recipient] : []))
    return { matches, tooExpensive }
  }

  function matchedByIndex(terms: DocumentTerms, filtering: readonly Recipient[], give: (to: Recipient) => WorkBudget) {
    const bySlot = new Map(filtering.map((recipient) => [recipient.slot, recipient]))
    const budgetOf = (slot: number): WorkBudget | null => {
      const recipient = bySlot.get(slot)
      return recipient === undefined ? null : give(recipient)
    }
    return recipients.index.match(terms, budgetOf).flatMap(({ id, relevance }): Match[] => {
      const recipient = bySlot.get(id)
      return recipient === undefined ? [] : [{ recipient, relevance }]
    })
  }

  function matchedSingly(terms: DocumentTerms, filtering: readonly Recipient[], give: (to: Recipient) => WorkBudget) {
    return filtering.flatMap((recipient): Match[] => {
      const relevance = recipient.interests === null ? null : relevanceOf(recipient.interests, terms, give(recipient))
      return relevance === null ? [] : [{ recipient, relevance }]
    })
  }

  /** The change as each recipient sees it. */
  async function viewsFor(
    version: Version,
    after: string | null,
    covering: readonly Recipient[],
    budgetOf: OwnerBudgets,
  ): Promise<ChangeViews> {
    const compares = ({ source, profile }: Recipient): boolean =>
      source.process === 'track' || (source.process === 'filter' && ignoredBy(profile.interests).length > 0)
    const hasBefore = version.reason !== 'new' && covering.some(compares)
    const before = hasBefore ? await textBefore(version) : null
    return viewsOf({ reason: version.reason, before, after }, budgetOf)
  }

  async function find(version: Version, covering: readonly Recipient[], budgetOf: OwnerBudgets): Promise<FoundAll> {
    if (version.reason === 'gone') return { ...nothingFound, found: await findGone(version, covering) }
    const text = await textOf(version)
    const document = { url: version.url, title: version.title, text: text ?? '', at: version.firstSeenAt }
    const views = await viewsFor(version, text, covering, budgetOf)
    const tracking = covering.filter(({ source }) => source.process === 'track')
    const seen = tracking.filter((recipient) => !views.of(recipient).isIgnored)
    const tracked = seen.map((recipient) => ({ recipient, relevance: 1, ...views.of(recipient).describe() }))
    const isIgnored = seen.length < tracking.length
    if (text === null)
      return { ...nothingFound, found: tracked, isIgnoredBySome: isIgnored, ignore: views.tooExpensive() }
    const terms = readDocument(document)
    deps.learn(terms)
    const filtering = covering.filter(({ source }) => source.process === 'filter')
    const { matches, tooExpensive } = matchesOf(terms, filtering, budgetOf)
    const met = matches.filter(({ recipient }) => !views.of(recipient).isIgnored)
    return {
      found: [...draft(document, terms, met, budgetOf), ...tracked],
      hash: met.length === 0 ? null : proseHash(text),
      isIgnoredBySome: isIgnored || met.length < matches.length,
      ignore: views.tooExpensive(),
      interests: tooExpensive,
    }
  }

  /** Found on one owner's first check, and old to all others; or the check that found it is the recipient's own first. */
  async function isBacklog({ urd }: Recipient, { first, made, round }: Task): Promise<boolean> {
    if (!first || !made) return first
    const visitedAt = await deps.visitedAt(urd)
    return visitedAt === 0 || visitedAt >= round
  }

  /** Which recipients get a new annotation, and for which it is a near duplicate of an earlier one. */
  async function batchFor(
    found: readonly Found[],
    version: Version,
    cluster: number,
    task: Task,
    { ofCluster }: Pick<AnnotationStore, 'ofCluster'> = annotations,
  ) {
    const drafts: AnnotationDraft[] = []
    const alsoAt: AnnotationBatch['alsoAt'][number][] = []
    for (const each of found) {
      // Recipients that follow every change are notified of each, near duplicate or not.
      const merges = cluster !== 0 && each.recipient.source.process === 'filter'
      const known = merges ? await ofCluster(each.recipient.profile.id, cluster, version.documentId) : null
      if (known === null)
        drafts.push(draftOf(each, version, cluster, await isBacklog(each.recipient, task), clock.now()))
      else alsoAt.push({ annotation: known.id, versionId: version.id, url: version.url })
    }
    return { ...nothing, done: [task.id], annotations: drafts, alsoAt }
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
    const version = await versions.version(task.versionId)
    if (version === null) return annotations.commit({ ...nothing, done: [task.id] })
    const share = shares.begin()
    const page = { url: version.url, hops: task.hops }
    const { covering, tooExpensive } = recipients.covering(task.watch, page, scopeBudgets())
    const { found, hash, isIgnoredBySome, ignore, interests } = await find(version, covering, share.of)
    share.end()
    await noteAside({ scope: tooExpensive, ignore, interests }, version.url)
    const isArchived = covering.some(({ source }) => source.process === 'archive')
    const wanted = isArchived && !task.made ? [version.id] : []
    const isWanted = isArchived || isIgnoredBySome || found.length > 0
    const unwanted = task.made && !isWanted ? [version.id] : []
    if (hash === null || found.length === 0)
      return annotations.commit({ ...(await batchFor(found, version, 0, task)), unwanted, wanted })
    return nearDuplicates.decide(hash, async (met) => {
      const cluster = met.cluster ?? version.id
      const batch = await batchFor(found, version, cluster, task, met.annotations)
      const complete = { ...batch, wanted, nearDuplicates: [{ versionId: version.id, hash, cluster }] }
      return { cluster, result: await met.annotations.commit(complete) }
    })
  }
}

function proseHash(text: string): bigint | null {
  return simhash(readDocument({ url: '', title: '', text: proseOf(text) }))
}

function draftOf(
  { recipient, relevance, summary, explanation }: Found,
  version: Version,
  cluster: number,
  backlog: boolean,
  at: number,
): AnnotationDraft {
  const { profile } = recipient
  return {
    owner: profile.owner,
    profile: profile.id,
    documentId: version.documentId,
    versionId: version.id,
    kind: version.reason === 'links' ? 'changed' : version.reason,
    at,
    relevance,
    urgency: profile.urgency,
    expiresAt: 0,
    backlog,
    muted: recipient.urd.muted,
    // The first version a recipient follows is the baseline of its changes: no notification.
    silent: backlog && recipient.source.process === 'track',
    // The inbox reads annotations itself. A backlog is shown, but not pushed; muted annotations are neither.
    channels: backlog || recipient.urd.muted ? [] : profile.delivery.channels.filter((channel) => channel !== 'inbox'),
    title: version.title,
    format: version.type.slice(version.type.indexOf('/') + 1),
    extension: /\.([a-z0-9]{1,8})$/i.exec(new URL(version.url).pathname)?.[1]?.toLowerCase() ?? '',
    size: version.size,
    summary,
    explanation,
    cluster,
    docbase: '',
  }
}

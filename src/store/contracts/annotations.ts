import type { ChangeKind, Piece } from '../../core/change/change.ts'
import type { LinePart } from '../../core/change/change-line.ts'
import type { NoiseState } from '../../core/change/noise/learned-block.ts'
import type { DocumentKey } from './documents.ts'
import type { NearDuplicate, StoredText, StoryLookup } from './stories.ts'
import type { Notice, PriceRow } from './versions.ts'

/**
 * Tasks and annotations. A version that concerns a watch is a task from the moment it is stored; the annotation engine takes tasks
 * and commits them together with their annotations. So none is lost, and none is made twice.
 *
 *     waiting ──> done             with its annotations; the task is gone
 *        └─────> set aside         after its last attempt failed (`rules/tasks`); waits again when an administrator retries it
 *
 * Attempts are counted before they are made, so that a task counts against itself even when it takes the whole process down.
 */
export type AnnotationStore = {
  /** The oldest tasks of one of several workers. All tasks of a document go to the same worker, so that its versions stay in order. */
  tasks(share: TaskShare): Promise<Task[]>
  /** Those that wait. */
  countTasks(): Promise<number>
  /** One attempt more for each of these tasks, or one less where it was not made after all. */
  countAttempts(ids: readonly number[], by: 1 | -1): Promise<void>
  /** An attempt failed. The task waits for the next one, or is set aside after the last. */
  fail(id: number, why: { reason: string; at: number }): Promise<'waiting' | 'set-aside'>
  /** How many are set aside, and the latest ones first. */
  setAside(limit: number): Promise<SetAside>
  /** All that are set aside wait again, with no attempts counted. Returns how many. */
  retrySetAside(): Promise<number>
  /** Everything or nothing. Annotations that exist (same owner, profile, version and entry) are skipped. Returns the new ones. */
  commit(batch: AnnotationBatch): Promise<Annotation[]>
  /**
   * Adds annotations from another system, everything or nothing. One of the same owner, profile, document, entry, kind and time is there
   * already and skipped. Documents that are not known get a row. Returns how many are new.
   */
  adopt(annotations: readonly AdoptedAnnotation[]): Promise<number>
  find(id: number): Promise<Annotation | null>
  /** Those that are there, in the order of the ids. */
  findAll(ids: readonly number[]): Promise<Annotation[]>
  /** In the order of their ids, a page at a time. */
  list(page: { after: number; limit: number; owner?: string; profile?: string }): Promise<Annotation[]>
  /** The last annotation of a document for a profile. */
  last(profile: string, documentId: number): Promise<Annotation | null>
  /** The first annotation that a profile has of a near-duplicate cluster, of a document other than this one. */
  ofCluster(lookup: StoryLookup): Promise<StoryOfProfile>
  /** The newest texts of a host's other documents, as far as they are compared (`storyLimits`). */
  textsOfHost(host: string, documentId: number): Promise<StoredText[]>
  /** Texts that share a band with these, for a decision; see `NearDuplicateStore`. */
  textsInBands(bands: readonly number[]): Promise<StoredText[]>
  /**
   * Splits a URL off an annotation that lists it: it gets an annotation of its own, unread, for each profile of the owner that has it
   * under the same document. From then on the two documents are not joined for this owner. All or nothing.
   */
  split(wish: { owner: string; annotation: number; url: string; at: number }): Promise<SplitStory>
  /** Undoes the muting of a block for an owner, or for everybody where it is ''; or takes that back. */
  unmute(undone: Unmuted): Promise<void>
  muteAgain(undone: Omit<Unmuted, 'at'>): Promise<void>
}

export type Unmuted = { documentId: number; block: string; owner: string; at: number }

/** `after`: only those with a greater id, which are newer. */
export type TaskShare = { limit: number; part: number; parts: number; after?: number }

export type Task = {
  id: number
  versionId: number
  /** Of the version; 0 where it is gone. */
  documentId: number
  /** Bytes of its body. */
  size: number
  watch: number
  /** Links followed from the source. */
  hops: number
  /** When the check began that found the version. */
  round: number
  /** Part of the first check of a source. */
  first: boolean
  /** The request of this watch made the version: no one else needs it. */
  made: boolean
  /** Begun so far, also by processes that have ended since. */
  attempts: number
}

export type SetAside = { count: number; latest: SetAsideTask[] }

/** `url` is empty for a version that is gone. */
export type SetAsideTask = { id: number; versionId: number; url: string; watch: number; reason: string; at: number }

export type AnnotationKind = 'new' | 'changed' | 'gone' | 'back'

/** Text with the ranges to highlight. */
export type MarkedText = { text: string; marks: readonly (readonly [from: number, to: number])[] }

/** A summary. Where it says what changed it has parts too, which join to its text, and how many changes it leaves out. */
export type AnnotationSummary = MarkedText & { parts?: readonly LinePart[]; more?: number }

/** What changed, as far as it is kept with an annotation: some of the changes, long texts cut. */
export type AnnotationChanges = {
  list: readonly AnnotationChange[]
  /** Changes that are not listed. */
  more: number
}

export type AnnotationChange = {
  kind: ChangeKind
  path: string
  before?: string
  after?: string
  /** Word by word, for `changed`. They join to `before` and `after`. */
  pieces?: readonly Piece[]
  /** Of an entry of a feed. */
  title?: string
  link?: string
}

export const noChanges: AnnotationChanges = { list: [], more: 0 }

export type AnnotationFields = {
  owner: string
  profile: string
  documentId: number
  versionId: number
  kind: AnnotationKind
  at: number
  relevance: number
  urgency: number
  /** 0: never. */
  expiresAt: number
  /** From before the profile existed: shown, but not pushed. */
  backlog: boolean
  title: string
  format: string
  extension: string
  size: number
  summary: AnnotationSummary
  changes: AnnotationChanges
  /** Terms with weights and positions, as the annotation engine gives it. */
  explanation: unknown
  /** First version of the near-duplicate cluster; 0 where the text is too short to compare. */
  cluster: number
  /** Where the content is in the system that the annotation comes from; empty where its version is, or was, in this archive. */
  docbase: string
  /**
   * The entry of a feed that it is about, by its id; then `title` is the entry's own. '' for all other documents. Annotations of a
   * document and entry are one row in the inbox.
   */
  entry: string
  /** Where the entry leads; empty where that is the document itself. */
  link: string
  /** Title of the feed; empty for everything else. */
  channel: string
}

/** A `flag` is true or false, `json` is any value. */
export type FieldType = 'text' | 'integer' | 'real' | 'flag' | 'json'

/**
 * The column of each field and its type. Both engines derive from this table how they write and read annotations, and how they are
 * imported. So a new field is a line above, a line here, and a migration of each engine (with a default for the rows that exist).
 */
export const annotationFields = {
  owner: { column: 'owner', type: 'text' },
  profile: { column: 'profile', type: 'text' },
  documentId: { column: 'document', type: 'integer' },
  versionId: { column: 'version', type: 'integer' },
  kind: { column: 'kind', type: 'text' },
  at: { column: 'at', type: 'integer' },
  relevance: { column: 'relevance', type: 'real' },
  urgency: { column: 'urgency', type: 'real' },
  expiresAt: { column: 'expires_at', type: 'integer' },
  backlog: { column: 'backlog', type: 'flag' },
  title: { column: 'title', type: 'text' },
  format: { column: 'format', type: 'text' },
  extension: { column: 'extension', type: 'text' },
  size: { column: 'size', type: 'integer' },
  summary: { column: 'summary', type: 'json' },
  changes: { column: 'changes', type: 'json' },
  explanation: { column: 'explanation', type: 'json' },
  cluster: { column: 'story', type: 'integer' },
  docbase: { column: 'docbase', type: 'text' },
  entry: { column: 'entry', type: 'text' },
  link: { column: 'link', type: 'text' },
  channel: { column: 'channel', type: 'text' },
} as const satisfies Record<keyof AnnotationFields, { column: string; type: FieldType }>

export type AnnotationDraft = AnnotationFields & {
  /** Its source is muted: it goes to the archive, read. */
  muted?: boolean
  /** Comes as read, as the first version of a source whose every change matters. */
  silent?: boolean
  /** Channels beside the inbox that it is to be delivered to: each gets an entry in the outbox, in the same transaction. */
  channels?: readonly string[]
}

/** An annotation from another system. `version` is null where this archive doesn't have it. It is delivered nowhere. */
export type AdoptedAnnotation = {
  draft: Omit<AnnotationDraft, 'documentId' | 'versionId' | 'cluster' | 'channels'>
  document: DocumentKey & { url: string }
  version: { id: number; n: number } | null
  alsoAt: readonly string[]
}

export type Annotation = AnnotationFields & { id: number; url: string; n: number; alsoAt: readonly string[] }

/** A near-duplicate at another URL, with the annotation that it would have had on its own: it gets that when it is split off. */
export type AlsoAt = { annotation: number; versionId: number; documentId: number; url: string; draft: JoinedDraft }

/** Ids are those of the page, and its owner and profile those of the annotation that it is listed with. */
export type JoinedDraft = Omit<AnnotationFields, 'owner' | 'profile' | 'documentId' | 'versionId' | 'cluster'>

export type AnnotationBatch = {
  done: readonly number[]
  annotations: readonly AnnotationDraft[]
  /** Near-duplicates at other URLs: listed with the annotation that exists. */
  alsoAt: readonly AlsoAt[]
  nearDuplicates: readonly NearDuplicate[]
  /** No profile needs them: the collector may remove their bodies. */
  unwanted: readonly number[]
  /** A profile archives them, although none may have needed them before. */
  wanted: readonly number[]
  /** Prices that were read. One that exists is left as it is. */
  prices?: readonly PriceRow[]
  /** What was learned from a version. Older than what is known, it is left out. */
  noise?: { documentId: number; state: NoiseState }
  /** The last version of a document that was matched for a watch: what comes next is compared with it. */
  known?: { documentId: number; watch: number; versionId: number }
  /** `notified` is never taken back. */
  notices?: readonly { versionId: number; notice: Notice }[]
}

/** The annotation under which a profile knows a story. */
export type StoryOfProfile =
  | { kind: 'known'; annotation: Annotation }
  | { kind: 'none' }
  /** The owner has split this document from one of the story. */
  | { kind: 'split' }

/** `fresh` are the annotations that the other page has now, one for each profile. `unknown`: the annotation doesn't list it. */
export type SplitStory = { kind: 'split'; fresh: readonly Annotation[] } | { kind: 'unknown' }

/**
 * Near-duplicates on several pages are one story, and notified once. From the search for a story to the commit of its annotations no
 * other worker decides on a text that shares a band with it, or two that find it on two pages would both take theirs for the first. Slow
 * work (reading, matching, summaries) is done before.
 */
export type NearDuplicateStore = {
  /** `commit` stores the text with the story that it was found to belong to; the decision holds when its promise resolves. */
  decide<T>(bands: readonly number[], commit: (found: FoundTexts) => Promise<T>): Promise<T>
}

export type FoundTexts = {
  /** Those with the most bands in common first, of equals the newest. */
  candidates: readonly StoredText[]
  /** For reads and the commit within the decision. */
  annotations: Pick<AnnotationStore, 'ofCluster' | 'commit'>
}

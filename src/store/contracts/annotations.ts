import type { ChangeKind, Piece } from '../../core/change/change.ts'
import type { LinePart } from '../../core/change/change-line.ts'
import type { NoiseState } from '../../core/change/noise/learned-block.ts'
import type { DocumentKey } from './documents.ts'
import type { NearDuplicate, StoredText, StoryLookup } from './stories.ts'
import type { Notice, PriceRow } from './versions.ts'

/**
 * Tasks and annotations. A version that concerns a watch is a task from the moment it is stored; the annotation engine takes tasks
 * and commits them together with their annotations, so that no annotation is lost or made twice.
 *
 *     waiting ──> done             removed when its annotations are committed
 *        └─────> set aside         after its last attempt failed (`rules/tasks`); waits again when an administrator retries it
 *
 * Attempts are counted before they are made, so that a task that crashes the process is counted too.
 */
export type AnnotationStore = {
  /** The oldest tasks of one worker's share. All tasks of a document go to the same worker, so that its versions stay in order. */
  tasks(share: TaskShare): Promise<Task[]>
  /** Number of waiting tasks. */
  countTasks(): Promise<number>
  /** Adds one attempt to each of these tasks, or takes it back if it was not made after all. */
  countAttempts(ids: readonly number[], by: 1 | -1): Promise<void>
  /** Records a failed attempt. The task waits for the next one, or is set aside after the last. */
  fail(id: number, why: { reason: string; at: number }): Promise<'waiting' | 'set-aside'>
  /** Number of tasks set aside, and the latest of them, newest first. */
  setAside(limit: number): Promise<SetAside>
  /** Returns all set-aside tasks to waiting, with their attempts reset. Returns how many. */
  retrySetAside(): Promise<number>
  /** All or nothing. Existing annotations (same owner, profile, version and entry) are skipped. Returns the new ones. */
  commit(batch: AnnotationBatch): Promise<Annotation[]>
  /**
   * Adds annotations from another system, all or nothing. Existing ones (same owner, profile, document, entry, kind and time) are
   * skipped. Unknown documents get a row. Returns how many are new.
   */
  adopt(annotations: readonly AdoptedAnnotation[]): Promise<number>
  find(id: number): Promise<Annotation | null>
  /** Those that exist, in the order of the ids. */
  findAll(ids: readonly number[]): Promise<Annotation[]>
  /** By id, a page at a time. */
  list(page: { after: number; limit: number; owner?: string; profile?: string }): Promise<Annotation[]>
  /** The latest annotation of a document for a profile. */
  last(profile: string, documentId: number): Promise<Annotation | null>
  /** The profile's first annotation of a near-duplicate cluster, on a document other than this one. */
  ofCluster(lookup: StoryLookup): Promise<StoryOfProfile>
  /** The newest texts of a host's other documents, as many as are compared (`storyLimits`). */
  textsOfHost(host: string, documentId: number): Promise<StoredText[]>
  /** Texts that share at least one of these bands, for a decision; see `NearDuplicateStore`. */
  textsInBands(bands: readonly number[]): Promise<StoredText[]>
  /**
   * Splits a URL off an annotation that lists it: it gets its own unread annotation for each of the owner's profiles that list it
   * under the same document. The two documents are never joined again for this owner. All or nothing.
   */
  split(wish: { owner: string; annotation: number; url: string; at: number }): Promise<SplitStory>
  /** Undoes the muting of a block for one owner, or for everyone if `owner` is ''. `muteAgain` reverts that. */
  unmute(undone: Unmuted): Promise<void>
  muteAgain(undone: Omit<Unmuted, 'at'>): Promise<void>
}

export type Unmuted = { documentId: number; block: string; owner: string; at: number }

/** `after`: only tasks with a greater id, that is, newer ones. */
export type TaskShare = { limit: number; part: number; parts: number; after?: number }

export type Task = {
  id: number
  versionId: number
  /** Document of the version; 0 if the version no longer exists. */
  documentId: number
  /** Size of the version's body in bytes. */
  size: number
  watch: number
  /** Links followed from the source. */
  hops: number
  /** Start time of the check that found the version. */
  round: number
  /** Part of the first check of a source. */
  first: boolean
  /** The version was made by a request of this watch, so no one else needs it. */
  made: boolean
  /** Attempts begun so far, including those of processes that have ended since. */
  attempts: number
}

export type SetAside = { count: number; latest: SetAsideTask[] }

/** `url` is empty if the version no longer exists. */
export type SetAsideTask = { id: number; versionId: number; url: string; watch: number; reason: string; at: number }

export type AnnotationKind = 'new' | 'changed' | 'gone' | 'back'

/** Text with the ranges to highlight. */
export type MarkedText = { text: string; marks: readonly (readonly [from: number, to: number])[] }

/** A summary. One of a change also has parts, which concatenate to its text, and the number of changes left out. */
export type AnnotationSummary = MarkedText & { parts?: readonly LinePart[]; more?: number }

/** The changes kept with an annotation: a limited number, with long texts truncated. */
export type AnnotationChanges = {
  list: readonly AnnotationChange[]
  /** Number of changes not listed. */
  more: number
}

export type AnnotationChange = {
  kind: ChangeKind
  path: string
  before?: string
  after?: string
  /** Word-level diff, for `changed`. The pieces concatenate to `before` and `after`. */
  pieces?: readonly Piece[]
  /** Title and link of a feed entry. */
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
  /** Older than the profile: shown, but not pushed. */
  backlog: boolean
  title: string
  format: string
  extension: string
  size: number
  summary: AnnotationSummary
  changes: AnnotationChanges
  /** Terms with weights and positions, as produced by the annotation engine. */
  explanation: unknown
  /** First version of the near-duplicate cluster; 0 if the text is too short to compare. */
  cluster: number
  /** Location of the content in the system the annotation was imported from; empty if its version is, or was, in this archive. */
  docbase: string
  /**
   * Id of the feed entry it is about, in which case `title` is the entry's; '' for all other documents. Annotations of the same
   * document and entry share one row in the inbox.
   */
  entry: string
  /** The entry's link; empty if that is the document itself. */
  link: string
  /** Title of the feed; empty for everything else. */
  channel: string
}

/** A `flag` is true or false, `json` is any value. */
export type FieldType = 'text' | 'integer' | 'real' | 'flag' | 'json'

/**
 * Column and type of each field. Both engines derive from this table how annotations are written, read and imported. To add a field,
 * add a line above, a line here, and a migration for each engine (with a default for existing rows).
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
  /** Its source is muted: stored as archived and read. */
  muted?: boolean
  /** Stored as read, like the first version of a source whose every change matters. */
  silent?: boolean
  /** Channels to deliver it to, other than the inbox: each gets an entry in the outbox, in the same transaction. */
  channels?: readonly string[]
}

/** An annotation from another system. `version` is null if this archive doesn't have it. It is never delivered. */
export type AdoptedAnnotation = {
  draft: Omit<AnnotationDraft, 'documentId' | 'versionId' | 'cluster' | 'channels'>
  document: DocumentKey & { url: string }
  version: { id: number; n: number } | null
  alsoAt: readonly string[]
}

export type Annotation = AnnotationFields & { id: number; url: string; n: number; alsoAt: readonly string[] }

/** A near-duplicate at another URL. `draft` is the annotation it would have had on its own, which it gets when it is split off. */
export type AlsoAt = { annotation: number; versionId: number; documentId: number; url: string; draft: JoinedDraft }

/** The ids come from the page; owner and profile from the annotation it is listed with. */
export type JoinedDraft = Omit<AnnotationFields, 'owner' | 'profile' | 'documentId' | 'versionId' | 'cluster'>

export type AnnotationBatch = {
  done: readonly number[]
  annotations: readonly AnnotationDraft[]
  /** Near-duplicates at other URLs, to list with an existing annotation. */
  alsoAt: readonly AlsoAt[]
  nearDuplicates: readonly NearDuplicate[]
  /** Versions that no profile needs: the collector may remove their bodies. */
  unwanted: readonly number[]
  /** Versions that a profile archives, even if none needed them before. */
  wanted: readonly number[]
  /** Prices read from the version. Existing ones are left unchanged. */
  prices?: readonly PriceRow[]
  /** Noise state learned from a version. Ignored if it is older than the stored one. */
  noise?: { documentId: number; state: NoiseState }
  /** The last version of a document matched for a watch: the next one is compared with it. */
  known?: { documentId: number; watch: number; versionId: number }
  /** `notified` is never overwritten. */
  notices?: readonly { versionId: number; notice: Notice }[]
}

/** The annotation by which a profile already knows a story. */
export type StoryOfProfile =
  | { kind: 'known'; annotation: Annotation }
  | { kind: 'none' }
  /** The owner has split this document from one of the story. */
  | { kind: 'split' }

/** `fresh`: the new annotations of the split-off page, one per profile. `unknown`: the annotation doesn't list the page. */
export type SplitStory = { kind: 'split'; fresh: readonly Annotation[] } | { kind: 'unknown' }

/**
 * Near-duplicates on several pages are one story, and notified once. From looking up a story to committing its annotations, no other
 * worker may decide on a text that shares a band with it; otherwise two workers that find it on two pages would each take theirs for
 * the first. Slow work (reading, matching, summaries) is done beforehand.
 */
export type NearDuplicateStore = {
  /** `commit` stores the text with the story it was found to belong to; the decision is final when its promise resolves. */
  decide<T>(bands: readonly number[], commit: (found: FoundTexts) => Promise<T>): Promise<T>
}

export type FoundTexts = {
  /** Most bands in common first; ties go to the newest. */
  candidates: readonly StoredText[]
  /** For reads and the commit within the decision. */
  annotations: Pick<AnnotationStore, 'ofCluster' | 'commit'>
}

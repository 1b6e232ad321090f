/**
 * What is news and to whom. A version that concerns a watch waits as a task from the moment that it is kept; the annotation engine
 * takes tasks, and settles them together with the annotations that they lead to. So none is lost and none is made twice.
 */
export type AnnotationStore = {
  /** The oldest tasks of one of several takers. All tasks of a document are the same taker's, so that its versions stay in order. */
  tasks(share: { limit: number; part: number; parts: number }): Promise<Task[]>
  countTasks(): Promise<number>
  /** Everything or nothing. Annotations that are there already are passed over. Returns those that are new. */
  settle(batch: AnnotationBatch): Promise<Annotation[]>
  find(id: number): Promise<Annotation | null>
  /** In the order of their ids, a page at a time. */
  list(page: { after: number; limit: number; owner?: string; profile?: string }): Promise<Annotation[]>
  /** The last annotation of a document for a profile. */
  last(profile: string, documentId: number): Promise<Annotation | null>
  /** The annotation that a profile has of a story, if any of another document. */
  ofNearDuplicates(profile: string, story: number, documentId: number): Promise<Annotation | null>
  /** The last stories, oldest first. */
  stories(limit: number): Promise<NearDuplicate[]>
}

export type Task = {
  id: number
  versionId: number
  watch: number
  /** Links followed from the source. */
  hops: number
  /** When the check began that met the version. */
  round: number
  /** Part of somebody's first visit. */
  first: boolean
  /** The watch's own request made the version: it is kept for nobody else. */
  made: boolean
}

export type AnnotationKind = 'new' | 'changed' | 'gone' | 'back'

/** Text with ranges of it that are to be marked. */
export type MarkedText = { text: string; marks: readonly (readonly [from: number, to: number])[] }

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
  summary: MarkedText
  /** Terms with weights and positions, as the annotation engine gives it. */
  explanation: unknown
  /** First version of the near-duplicate cluster; 0 where the text is too short to compare. */
  story: number
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
  explanation: { column: 'explanation', type: 'json' },
  story: { column: 'story', type: 'integer' },
} as const satisfies Record<keyof AnnotationFields, { column: string; type: FieldType }>

export type AnnotationDraft = AnnotationFields & {
  /** Its source is muted: it goes to the archive, read. */
  muted?: boolean
  /** Comes as read, as the first version of a source whose every change matters. */
  silent?: boolean
  /** Channels beside the inbox that it is to be delivered to: each gets an entry in the outbox, in the same transaction. */
  channels?: readonly string[]
}

export type Annotation = AnnotationFields & { id: number; url: string; n: number; alsoAt: readonly string[] }

/** A near-duplicate of this text was met first as version `story`. */
export type NearDuplicate = { versionId: number; hash: bigint; story: number }

export type AnnotationBatch = {
  done: readonly number[]
  annotations: readonly AnnotationDraft[]
  /** The same story elsewhere: told with the annotation that is there. */
  alsoAt: readonly { annotation: number; versionId: number; url: string }[]
  stories: readonly NearDuplicate[]
  /** Concern nobody: the collector may take their bodies. */
  unwanted: readonly number[]
  /** Somebody archives them, although they may have concerned nobody before. */
  wanted: readonly number[]
}

/**
 * The same story on several pages is told once. From the look for a story to the moment that its annotations are kept nobody else
 * decides on a story that is near it, or two who meet it on two pages would both take theirs for the first. All that takes long
 * (reading, matching, summaries) is done before.
 */
export type NearDuplicateStore = {
  /** `settle` keeps the story that it was told of, and what is decided holds when its promise does. */
  decide<T>(hash: bigint, settle: (found: FoundNearDuplicate) => Promise<Decided<T>>): Promise<T>
}

export type FoundNearDuplicate = {
  /** The version under which the story was met first; null where it is met for the first time. */
  story: number | null
  /** Where to look and to settle meanwhile. */
  annotations: Pick<AnnotationStore, 'ofNearDuplicates' | 'settle'>
}

export type Decided<T> = { story: number; result: T }

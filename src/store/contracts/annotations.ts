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

export type AnnotationDraft = {
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
  /** From before the profile was there: shown, but not pushed. */
  backlog: boolean
  /** Its source is muted: it goes to the archive, read. */
  muted?: boolean
  /** Nobody waits for it, as for the base line of a source of which every change matters: it comes as read. */
  silent?: boolean
  title: string
  format: string
  extension: string
  size: number
  summary: MarkedText
  /** Terms with weights and places, as the annotation engine gives it. */
  explanation: unknown
  /** Version under which the story was met first; 0 where the text is too short to tell. */
  story: number
}

export type Annotation = AnnotationDraft & { id: number; url: string; n: number; alsoAt: readonly string[] }

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

import type { AnnotationStore } from './annotations.ts'

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

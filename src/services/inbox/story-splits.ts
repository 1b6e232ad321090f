import type { Clock } from '../../core/clock.ts'
import type { AnnotationStore } from '../../store/contracts/annotations.ts'

/** Near-duplicates that a person wants apart. */
export type StorySplits = {
  /** The ids of the annotations that the other page has now; null where the owner's annotation doesn't list it. */
  split(owner: string, annotation: number, url: string): Promise<number[] | null>
}

export type StorySplitsDeps = {
  annotations: Pick<AnnotationStore, 'split'>
  clock: Clock
  /** Tells the owner's devices of new annotations. */
  announce(ids: readonly number[]): void
}

export function createStorySplits({ annotations, clock, announce }: StorySplitsDeps): StorySplits {
  return {
    async split(owner, annotation, url) {
      const done = await annotations.split({ owner, annotation, url, at: clock.now() })
      if (done.kind === 'unknown') return null
      const ids = done.fresh.map(({ id }) => id)
      announce(ids)
      return ids
    },
  }
}

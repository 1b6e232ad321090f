import type { Clock } from '../../core/clock.ts'
import type { AnnotationStore } from '../../store/contracts/annotations.ts'

/** Separates near-duplicates at a user's request. */
export type StorySplits = {
  /** Returns the ids of the new annotations of the other page; null if the owner's annotation doesn't list it. */
  split(owner: string, annotation: number, url: string): Promise<number[] | null>
}

export type StorySplitsDeps = {
  annotations: Pick<AnnotationStore, 'split'>
  clock: Clock
  /** Announces new annotations to the owner's devices. */
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

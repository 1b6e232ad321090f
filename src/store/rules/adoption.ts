import { createHash } from 'node:crypto'
import type { AdoptedAnnotation, AnnotationDraft } from '../contracts/annotations.ts'

/**
 * An annotation from another system whose version is not in this archive gets a version id that is never assigned, so that it behaves
 * as if its version had been collected. The same annotation gets the same id whenever and wherever it is imported. Real version ids start
 * at 1 and stay far below; on PostgreSQL they all have their partition in the low eight bits.
 */
export const firstForeignVersion = 2 ** 43

export function foreignVersion({ draft, document }: Pick<AdoptedAnnotation, 'draft' | 'document'>): number {
  const name = JSON.stringify([document.url, draft.docbase, draft.at, draft.kind])
  return firstForeignVersion + (createHash('sha256').update(name).digest().readUIntBE(0, 6) % firstForeignVersion)
}

/** The draft to store. Near-duplicates are not searched for. */
export function adoptedDraft({ draft }: AdoptedAnnotation, documentId: number, versionId: number): AnnotationDraft {
  return { ...draft, documentId, versionId, cluster: 0 }
}

/** Outcome of a document that is known only from an annotation. */
export const adoptedOutcome = 'imported'

import { createHash } from 'node:crypto'
import type { AdoptedAnnotation, AnnotationDraft } from '../contracts/annotations.ts'

/**
 * An annotation from another system whose version is not in this archive names one that no version ever has: it behaves like one whose
 * version was collected. The same annotation gets the same number whenever and wherever it is imported. Ids of versions are given out
 * from 1 and stay far below; on PostgreSQL all have their partition in the low eight bits.
 */
export const firstForeignVersion = 2 ** 43

export function foreignVersion({ draft, document }: Pick<AdoptedAnnotation, 'draft' | 'document'>): number {
  const name = JSON.stringify([document.url, draft.docbase, draft.at, draft.kind])
  return firstForeignVersion + (createHash('sha256').update(name).digest().readUIntBE(0, 6) % firstForeignVersion)
}

/** What is stored of it. Near-duplicates are not looked for. */
export function adoptedDraft({ draft }: AdoptedAnnotation, documentId: number, versionId: number): AnnotationDraft {
  return { ...draft, documentId, versionId, cluster: 0 }
}

/** What is known of a document that only an annotation names. */
export const adoptedOutcome = 'imported'

import type { AnnotationDraft, AnnotationFields, JoinedDraft } from '../contracts/annotations.ts'

/** A page that is listed with an annotation. `documentId` is 0 if unknown: the page is in another system. */
export type JoinedPage = { versionId: number; documentId: number; draft: string }

/**
 * The annotation that a page gets when it is split off. It is in no story, so that nothing joins it later, and is not delivered, as its
 * owner is looking at it. Pages that were joined before drafts were stored get the content of the annotation they were listed with.
 */
export function splitDraft(
  listedWith: AnnotationFields,
  { versionId, documentId, draft }: JoinedPage,
): AnnotationDraft | null {
  if (documentId === 0) return null
  const { owner, profile } = listedWith
  const own = draft === '' ? listedWith : (JSON.parse(draft) as JoinedDraft)
  return { ...own, owner, profile, documentId, versionId, cluster: 0 }
}

import type { InboxItem } from '../../store/contracts/inbox.ts'

/** An annotation in JSON, for lists and live events. */
export type AnnotationJson = ReturnType<typeof annotationToJson>

/** A field that has its own form, or is not for the API, is named here; all others are passed on as they are. */
export function annotationToJson(item: InboxItem, profileName: string) {
  const {
    owner: _,
    extension: __,
    cluster: ___,
    docbase: ____,
    documentId,
    versionId,
    profile,
    at,
    expiresAt,
    ...rest
  } = item
  return {
    ...rest,
    at: new Date(at).toISOString(),
    source: URL.parse(item.url)?.host ?? '',
    profile: { id: profile, name: profileName },
    summary: { text: item.summary.text, marks: item.summary.marks.map(([from, to]) => [from, to]) },
    explanation: recordOf(item.explanation),
    alsoAt: [...item.alsoAt],
    document: documentId,
    version: versionId,
    expiresAt: expiresAt === 0 ? null : new Date(expiresAt).toISOString(),
  }
}

function recordOf(explanation: unknown): Record<string, unknown> {
  const isRecord = typeof explanation === 'object' && explanation !== null && !Array.isArray(explanation)
  return isRecord ? { ...explanation } : {}
}

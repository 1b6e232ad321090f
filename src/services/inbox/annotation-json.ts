import type { InboxItem } from '../../store/contracts/inbox.ts'

/** An annotation in JSON, for lists and live events. */
export type AnnotationJson = ReturnType<typeof annotationToJson>

export function annotationToJson(item: InboxItem, profileName: string) {
  const { id, kind, url, title, relevance, urgency, backlog, read, starred, archived, n, format, size } = item
  return {
    id,
    kind,
    at: new Date(item.at).toISOString(),
    url,
    source: URL.parse(url)?.host ?? '',
    title,
    profile: { id: item.profile, name: profileName },
    relevance,
    urgency,
    backlog,
    read,
    starred,
    archived,
    summary: { text: item.summary.text, marks: item.summary.marks.map(([from, to]) => [from, to]) },
    explanation: recordOf(item.explanation),
    alsoAt: [...item.alsoAt],
    document: item.documentId,
    version: item.versionId,
    n,
    format,
    size,
    expiresAt: item.expiresAt === 0 ? null : new Date(item.expiresAt).toISOString(),
  }
}

function recordOf(explanation: unknown): Record<string, unknown> {
  const isRecord = typeof explanation === 'object' && explanation !== null && !Array.isArray(explanation)
  return isRecord ? { ...explanation } : {}
}

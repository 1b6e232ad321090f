import type { InboxItem } from '../../store/contracts/inbox.ts'

/** An annotation in JSON, for lists and live events. */
export type AnnotationJson = ReturnType<typeof annotationToJson>

/** Fields that are converted, or not part of the API, are named here; all others are passed through. */
export function annotationToJson(item: InboxItem, profileName: string) {
  const {
    owner: _,
    extension: __,
    cluster: ___,
    docbase: ____,
    changes,
    channel,
    entry,
    link,
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
    link: link === '' ? item.url : link,
    entry: entry === '' ? null : { id: entry, title: item.title, link: link === '' ? item.url : link, channel },
    summary: summaryOf(item.summary),
    changes: changes.list.map(({ pieces, ...change }) =>
      pieces === undefined ? change : { ...change, pieces: [...pieces] },
    ),
    moreChanges: changes.more,
    explanation: recordOf(item.explanation),
    alsoAt: [...item.alsoAt],
    document: documentId,
    version: versionId,
    expiresAt: expiresAt === 0 ? null : new Date(expiresAt).toISOString(),
  }
}

/** Joining `parts` gives the text. */
function summaryOf({ text, marks, parts = [], more = 0 }: InboxItem['summary']) {
  return { text, marks: marks.map(([from, to]) => [from, to]), parts: [...parts], more }
}

function recordOf(explanation: unknown): Record<string, unknown> {
  const isRecord = typeof explanation === 'object' && explanation !== null && !Array.isArray(explanation)
  return isRecord ? { ...explanation } : {}
}

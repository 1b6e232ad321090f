import type { MessageItem } from '../../delivery/render/message.ts'
import type { Annotation } from '../../store/contracts/annotations.ts'

/** `address` of the server; `text`: full text of the page, if wanted. */
type ItemParts = { profile: string; address: string; text?: string } & Partial<Pick<MessageItem, 'amount' | 'zone'>>

/** An annotation as shown in messages and feeds. */
export function messageItemOf(
  annotation: Annotation,
  { profile, address, amount = 'change', zone = 'UTC', text = '' }: ItemParts,
): MessageItem {
  const { id, kind, title, url, link, at, urgency, relevance, summary, changes, alsoAt, entry, documentId } = annotation
  return {
    ...{ id, kind, title, at, amount, zone, urgency, relevance, profile, text },
    thread: entry === '' ? `d${documentId}` : `d${documentId}.${entry}`,
    url: link === '' ? url : link,
    source: URL.parse(url)?.host ?? '',
    summary: summary.text,
    parts: summary.parts ?? [],
    changes: changes.list,
    moreChanges: changes.more,
    alsoAt,
    links: itemLinks(annotation, address),
    record: recordOf(annotation),
  }
}

function recordOf(annotation: Annotation): MessageItem['record'] {
  const { owner, profile, documentId: document, versionId: version, extension, format, size: bytes } = annotation
  return { owner, profile, document, version, extension, format, bytes }
}

/** Links to the server's pages about an annotation. */
function itemLinks({ id, documentId, versionId, n }: Annotation, address: string): MessageItem['links'] {
  const base = address.replace(/\/+$/, '')
  return {
    open: `${base}/inbox?state=all&id=${id}`,
    change: `${base}/documents/${documentId}?tab=diff&to=${n}`,
    cached: `${base}/documents/${documentId}?tab=text&version=${versionId}`,
  }
}

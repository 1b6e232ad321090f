import type { PlacedText } from '../../matching/near-duplicate/main-text.ts'
import type { KnownText } from '../../matching/near-duplicate/same-story.ts'
import { decodeSketch } from '../../matching/near-duplicate/text-sketch.ts'
import type { AlsoAt, Annotation, AnnotationDraft } from '../../store/contracts/annotations.ts'
import type { StoredText } from '../../store/contracts/stories.ts'
import type { MatchedDocument } from './matched-document.ts'

/** Decodes stored texts, skipping unreadable ones. */
export function knownTexts(stored: readonly StoredText[]): KnownText[] {
  return stored.flatMap(({ host, cluster, sketch: bytes }) => {
    const sketch = decodeSketch(bytes)
    return sketch === null ? [] : [{ host, cluster, sketch }]
  })
}

/** The blocks that a document was matched by, each with its place. */
export function placedTexts({ item, document, change }: MatchedDocument): PlacedText[] {
  if (change === null) return [...(item.blocks ?? [])]
  return change.parts.map(({ start, end, change: which }) => ({
    text: document.text.slice(start, end),
    place: item.told?.[which]?.place ?? '',
  }))
}

/** Adds a draft to an existing annotation. */
export function joined(known: Annotation, draft: AnnotationDraft, url: string): AlsoAt {
  const { owner: _, profile: __, documentId, versionId, cluster: ___, muted, silent, channels, ...kept } = draft
  return { annotation: known.id, versionId, documentId, url, draft: kept }
}

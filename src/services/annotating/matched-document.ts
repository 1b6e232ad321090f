import type { Interests } from '../../core/profile.ts'
import { textOfBlocks } from '../../core/text/blocks.ts'
import { type ChangeDocument, changeDocument } from '../../matching/change/change-document.ts'
import { type DocumentTerms, readDocument } from '../../matching/terms/document-terms.ts'
import type { Version } from '../../store/contracts/versions.ts'
import type { VersionItem } from './version-items.ts'

/** The text that interests are matched against: a whole page or entry, or the change in it. */
export type MatchedDocument = {
  readonly item: VersionItem
  readonly document: { url: string; title: string; text: string; at: number }
  readonly terms: DocumentTerms
  /** Null if the whole page or entry counts. */
  readonly change: ChangeDocument | null
}

/** Returns the documents of one version, each read once. A new item counts as a whole, regardless of `match`. */
export type MatchedDocuments = (item: VersionItem, match: Interests['match']) => MatchedDocument

/** `learn` is called for each document. */
export function createMatchedDocuments(
  { url, firstSeenAt }: Pick<Version, 'url' | 'firstSeenAt'>,
  learn: (terms: DocumentTerms) => void,
): MatchedDocuments {
  const known = { change: new Map<VersionItem, MatchedDocument>(), page: new Map<VersionItem, MatchedDocument>() }

  function read(item: VersionItem, change: ChangeDocument | null): MatchedDocument {
    const text = change === null ? textOfBlocks({ blocks: item.blocks ?? [] }) : change.text
    const document = { url, title: item.title, text, at: firstSeenAt }
    const terms = readDocument({ ...document, hasBlocks: !hasLines(item) })
    learn(terms)
    return { item, document, terms, change }
  }

  return (item, match) => {
    const { told } = item
    const ofKind = known[told === null ? 'page' : match]
    const found = ofKind.get(item)
    if (found !== undefined) return found
    const made = read(item, told === null || match === 'page' ? null : changeDocument(told, item.title))
    ofKind.set(item, made)
    return made
  }
}

/** Whether the item is plain text, whose lines may break anywhere. */
function hasLines({ blocks, told }: VersionItem): boolean {
  const kinds = told?.map(({ block }) => block) ?? blocks?.map(({ kind }) => kind) ?? []
  return kinds.includes('line') && kinds.every((kind) => kind === 'line' || kind === 'heading')
}

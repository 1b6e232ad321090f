import { textOfBlocks } from '../../core/text/blocks.ts'
import { type ChangeDocument, changeDocument } from '../../matching/change/change-document.ts'
import { type DocumentTerms, readDocument } from '../../matching/terms/document-terms.ts'
import type { Version } from '../../store/contracts/versions.ts'
import type { ChangeView } from './change-view.ts'

/** What interests are held against: the page, or what changed in it. */
export type MatchedDocument = {
  readonly document: { url: string; title: string; text: string; at: number }
  readonly terms: DocumentTerms
  /** Null for the whole page. */
  readonly change: ChangeDocument | null
}

/** The documents of one version, each read once. */
export type MatchedDocuments = { page(view: ChangeView): MatchedDocument; change(view: ChangeView): MatchedDocument }

/** `learn` is called once for each version. */
export function createMatchedDocuments(version: Version, learn: (terms: DocumentTerms) => void): MatchedDocuments {
  const known = new Map<unknown, MatchedDocument>()

  function read(of: unknown, textOf: () => { text: string; change: ChangeDocument | null }): MatchedDocument {
    const found = known.get(of)
    if (found !== undefined) return found
    const { text, change } = textOf()
    const document = { url: version.url, title: version.title, text, at: version.firstSeenAt }
    const made = { document, terms: readDocument(document), change }
    if (known.size === 0) learn(made.terms)
    known.set(of, made)
    return made
  }

  return {
    page: ({ page }) => read(page, () => ({ text: page === null ? '' : textOfBlocks(page), change: null })),
    change: ({ change: seen }) =>
      read(seen, () => {
        const change = changeDocument(seen?.told ?? [])
        return { text: change.text, change }
      }),
  }
}

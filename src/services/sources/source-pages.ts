import { setImmediate as turn } from 'node:timers/promises'
import { textFingerprint } from '../../core/text/document-text.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import type { WatchRow } from '../../store/contracts/watches.ts'

/** The document of the source itself, or of its redirect target. */
export type SourcePage = { document: number | null; title: string; hasNoText: boolean; isFeed: boolean }

export type SourcePagesDeps = {
  versions: Pick<VersionStore, 'document' | 'version'>
  /** The key of a URL in the archive; null if it is invalid. */
  keyOf(url: string): DocumentKey | null
}

export type SourcePages = {
  of(row: WatchRow | undefined): Promise<SourcePage>
  /** Reads many in the background, yielding to others in between. */
  ofAll(rows: Iterable<WatchRow | undefined>): Promise<void>
  /** The cached page, if any. */
  known(watch: number): SourcePage | undefined
}

const MAX_PAGES = 50_000
const AT_ONCE = 100
const noPage: SourcePage = { document: null, title: '', hasNoText: false, isFeed: false }
/** Many feeds are served as plain XML. */
const feedType = /^(?:application\/(?:rss|atom|rdf)\+xml|application\/feed\+json|(?:application|text)\/xml)\b/i
const noText = textFingerprint(new Uint8Array(), { contentType: 'text/plain' })

/** Pages of sources, cached until their watch finds something new. */
export function createSourcePages({ versions, keyOf }: SourcePagesDeps): SourcePages {
  const kept = new Map<number, { page: SourcePage; stamp: string }>()

  async function read({ uri, landed }: WatchRow): Promise<SourcePage> {
    const key = keyOf(landed === '' ? uri : landed)
    const document = key === null ? null : await versions.document(key)
    if (document === null) return noPage
    const version = document.versionId === 0 ? null : await versions.version(document.versionId)
    const isThere = version !== null && version.reason !== 'gone'
    const hasNoText =
      isThere && (version.size === 0 || (noText !== null && version.textDigest?.equals(noText) === true))
    return { document: document.id, title: version?.title ?? '', hasNoText, isFeed: feedType.test(version?.type ?? '') }
  }

  async function of(row: WatchRow | undefined): Promise<SourcePage> {
    if (row === undefined || row.checkedAt === 0) return noPage
    const before = kept.get(row.id)
    if (before !== undefined && before.stamp === stampOf(row, before.page)) return before.page
    const page = await read(row)
    if (kept.size >= MAX_PAGES) kept.clear()
    kept.set(row.id, { page, stamp: stampOf(row, page) })
    return page
  }

  return {
    of,
    async ofAll(rows) {
      let n = 0
      for (const row of rows) {
        if (++n % AT_ONCE === 0) await turn()
        await of(row)
      }
    },
    known: (watch) => kept.get(watch)?.page,
  }
}

/** A missing document may appear with any check; an existing one changes only with a change. */
function stampOf({ checkedAt, changedAt, landed }: WatchRow, { document }: SourcePage): string {
  return `${document === null ? checkedAt : 'there'} ${changedAt} ${landed}`
}

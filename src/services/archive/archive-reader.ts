import type { Box } from '../../archive/diff/screenshot-diff.ts'
import type { ChangeKind } from '../../core/change/change.ts'
import type { MutedBlock } from '../../core/change/noise/muted-block.ts'
import type { ProfileDraft } from '../../core/profile.ts'
import type { PreviewExample } from '../../core/reports/profile-report.ts'
import type { SearchQuery } from '../../core/search-query/query.ts'
import type { Notice, PriceReading, VersionReason } from '../../store/contracts/versions.ts'
import type { UrlExplanation } from '../explain/explain-url.ts'
import type { Asker } from '../visibility/visibility.ts'

/**
 * The requests users can make of the archive. Each is made for an owner, and an answer never contains anything the owner
 * may not see: a hidden document is `not-found`, like a missing one. Requests and answers are plain data, so that they can
 * be passed between threads.
 */
export type ArchiveReader = {
  document(asked: Asked & { id: number }): Promise<DocumentItem>
  /** Null if there is no such document, or none that the owner sees. */
  documentOfUrl(asked: Asked & { url: string }): Promise<DocumentItem | null>
  /** Documents with annotations of the owner, last annotated first; `before` is `next` of the previous page. */
  documents(asked: Asked & { before: number | null; limit: number }): Promise<Page<DocumentItem, number>>
  /** Newest first; `before` is the number of a version. */
  versions(
    asked: Asked & { document: number; before: number | null; limit: number },
  ): Promise<Page<VersionItem, number>>
  version(asked: Asked & { id: number }): Promise<VersionItem>
  /** A version of a document by its number or a time: `3`, `2026-11-01T12:00`, `first`, `last`. */
  chosen(asked: Asked & { document: number; choice: string }): Promise<VersionItem>
  /** Price and stock history of a document, oldest first, for each watched part of it. */
  prices(asked: Asked & { document: number }): Promise<PriceSeries[]>
  /** What the selectors match in its versions, newest first. */
  part(asked: Asked & { document: number; select: readonly string[]; omit: readonly string[] }): Promise<PartItem[]>
  /** Muted blocks of the document, whose changes don't notify, and why; last first. */
  muted(asked: Asked & { document: number }): Promise<MutedItem[]>
  /** The body, prepared for display (a page makes no requests, see `inertPage`), or as received. */
  content(asked: Asked & { version: number; form: 'shown' | 'original' }): Promise<Content>
  /** In UTF-8. */
  text(asked: Asked & { version: number }): Promise<Bytes>
  /** In UTF-8; `page` includes what surrounds the text. */
  markdown(asked: Asked & { version: number; part: 'main' | 'page' }): Promise<Bytes>
  /** `DocumentDiff` as JSON, as a patch, or as a page. Serialised here, as it may be large. */
  diff(asked: Asked & DiffAsked): Promise<Bytes & { name: string }>
  /** The changes between two versions, shortened. */
  changes(asked: Asked & PairAsked): Promise<BriefChanges>
  /** The screenshots of two versions, and where they differ. */
  screenshots(asked: Asked & PairAsked): Promise<ScreenshotPair>
  /** As PNG. */
  screenshot(asked: Asked & PairAsked & { picture: ScreenshotName }): Promise<Bytes & { tag: string }>
  /** XML. */
  meta(asked: Asked & { document: number }): Promise<Bytes>
  links(
    asked: Asked & { document: number; version: number | null; offset: number; limit: number },
  ): Promise<Page<LinkItem, number>>
  /** All captures of an address, newest first. */
  captures(asked: Asked & { url: string }): Promise<Captures>
  /** The capture that was current at a time; before the first capture, the first. */
  capture(asked: Asked & { url: string; at: number }): Promise<Capture>
  /** The body of a version with its style sheets and images, its links leading to the same time; see `replayPage`. */
  replay(asked: Asked & { version: number }): Promise<Content>
  search(asked: Asked & { query: SearchQuery; offset: number; limit: number }): Promise<FoundVisible>
  /** A draft without sources is matched against everything the owner sees. */
  preview(asked: Asked & { draft: ProfileDraft }): Promise<VisiblePreview>
  /** `all`: includes the outcome of documents that the owner does not see. */
  explain(asked: Asked & { url: string; all: boolean }): Promise<UrlExplanation>
}

export const archiveMethods = [
  'document',
  'documentOfUrl',
  'documents',
  'versions',
  'version',
  'chosen',
  'prices',
  'part',
  'muted',
  'content',
  'text',
  'markdown',
  'diff',
  'changes',
  'screenshots',
  'screenshot',
  'meta',
  'links',
  'captures',
  'capture',
  'replay',
  'search',
  'preview',
  'explain',
] as const satisfies readonly (keyof ArchiveReader)[]

export type Asked = Asker

/** `next`: where the next page begins; null if there is none. */
export type Page<T, Place> = { items: T[]; next: Place | null }

/** Unshared memory, so that it can be transferred to another thread. */
export type Bytes = { bytes: Uint8Array<ArrayBuffer> }

export type DocumentItem = {
  id: number
  url: string
  host: string
  title: string
  firstAt: string
  checkedAt: string
  outcome: string
  status: number
  location: string
  current: VersionItem | null
}

/** `part` is '' for the price declared in the page's metadata. */
export type PriceSeries = { part: string; points: PricePoint[] }
export type PricePoint = PriceReading & { version: number; at: string }

export type PartItem = {
  version: number
  n: number
  at: string
  state: 'some' | 'nothing' | 'too-expensive' | 'no-body'
  text: string
}
/** `since` in ISO 8601. */
export type MutedItem = Omit<MutedBlock, 'since'> & { since: string }

export type VersionItem = {
  id: number
  n: number
  document: number
  url: string
  reason: VersionReason
  firstSeenAt: string
  lastSeenAt: string
  status: number
  type: string
  size: number
  title: string
  digest: string
  etag: string
  lastModified: string
  truncated: string
  completedFrom: { table: 'tvi'; parts: string[] } | null
  address: string
  location: string
  body: 'kept' | 'dropped' | 'lost' | 'none'
  notice: Notice | null
}

/** How a body may be shown: `html` and `text` are in UTF-8, `other` is not shown. */
export type ContentForm =
  | { kind: 'html' }
  | { kind: 'text' }
  | { kind: 'image'; type: string }
  | { kind: 'pdf' }
  | { kind: 'other' }

export type Content = Bytes & { form: ContentForm; url: string; type: string; n: number }

/** `isCut`: there are older ones. */
export type Captures = { document: number; url: string; items: VersionItem[]; isCut: boolean }

/** `version` is null if none is kept; `location` may then be a redirect target. `previous` and `next` are times of captures. */
export type Capture = {
  document: number
  url: string
  location: string
  version: VersionItem | null
  previous: number | null
  next: number | null
}

/** A pair of versions by their numbers. */
export type PairAsked = { document: number; from: number | null; to: number | null }

export type DiffAsked = PairAsked & {
  form: 'lines' | 'words'
  context: number
  raw: boolean
  ignoreSpace: boolean
  /** Include text that the owner's profiles ignore. */
  showIgnored: boolean
  /** `page`: the later version as displayed, with the changes marked in it. */
  as: 'json' | 'patch' | 'page'
}

/** Some of the changes, with long texts cut. */
export type BriefChanges = {
  from: VersionItem
  to: VersionItem
  equal: boolean
  changes: BriefChange[]
  /** Changes that are not listed. */
  more: number
}

export type BriefChange = { kind: ChangeKind; path: string; before?: string; after?: string }

export const screenshotNames = ['before', 'after', 'difference'] as const
export type ScreenshotName = (typeof screenshotNames)[number]

/** `version` is that of the page. */
export type ScreenshotItem = { version: number; n: number; width: number; height: number }

/** A side is null if no screenshot is kept; `changedShare` is null unless both are. */
export type ScreenshotPair = {
  from: number
  to: number
  before: ScreenshotItem | null
  after: ScreenshotItem | null
  changedShare: number | null
  boxes: Box[]
}

export type LinkItem = { url: string; document: number | null }

export type VisibleHit = {
  url: string
  document: number
  version: number
  n: number
  at: string
  title: string
  titleMarks: [number, number][]
  snippet: { text: string; marks: [number, number][] }
  score: number
}

export const periods = ['day', 'week', 'month', 'year', 'older'] as const
export type Period = (typeof periods)[number]

export type FoundVisible = Page<VisibleHit, number> & {
  facets: { sources: { host: string; count: number }[]; times: { period: Period; count: number }[] }
  tookMs: number
}

export type VisiblePreview = {
  documents: number
  matched: number
  covered: boolean
  examples: PreviewExample[]
  nearMisses: PreviewExample[]
  end: 'all' | 'count' | 'time'
  tookMs: number
}

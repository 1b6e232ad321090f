import type { Change } from '../change/change.ts'
import type { ChangeLine } from '../change/change-line.ts'
import type { IgnoreBlock } from '../change/noise/ignore-block.ts'

/** What `history`, `show` and `diff` find, as plain data. Times are ISO 8601 UTC. */

/** The metadata of one version. */
export type VersionReport = {
  n: number
  reason: 'new' | 'changed' | 'links' | 'gone' | 'back'
  firstSeenAt: string
  lastSeenAt: string
  status: number
  type: string
  /** Bytes of the decoded body. */
  size: number
  title: string
  /** As WARC headers have it; empty for a version without content. */
  digest: string
  /** Hexadecimal; null where the type has no text. */
  textDigest: string | null
  etag: string
  lastModified: string
  /** Why the body is not whole; empty when it is. */
  truncated: string
  /** Where only volatile parts were fetched and the rest was kept before: the table and the parts that changed. Null for a page that came whole. */
  completedFrom: { table: 'tvi'; parts: string[] } | null
  /** IP address of the server. */
  address: string
  /** Where a redirect led that made the document `gone`. */
  location: string
  body: 'kept' | 'dropped' | 'lost' | 'none'
  links: number
  /** `noise`: only parts changed that change all the time. Null where nobody was to be notified. */
  notice: 'notified' | 'noise' | null
}

export type HistoryRequest = {
  /** How many of the newest versions are listed. */
  limit: number
  /** Reads the bodies to count the changes of each version. */
  changes: boolean
}

export type HistoryReport = {
  url: string
  parent: string
  firstAskedAt: string
  lastCheckedAt: string
  /** What came of the last request. */
  outcome: string
  status: number
  location: string
  /** Oldest first. */
  versions: (VersionReport & { changes?: ChangeSummary | null })[]
  /** Older versions that are kept and not listed. */
  more: number
}

/** A change in a line: how many words, the first passages that are new, and the most important changes, old → new. */
export type ChangeSummary = { added: number; removed: number; passages: string[]; line: string }

export type ShowReport = {
  url: string
  version: VersionReport
  /** Status line and fields, each ended by CRLF; empty where it is not known. */
  header: string
  /** `source`: the bytes as text, null where they are none. */
  content:
    | { kind: 'body'; contentType: string | undefined; bytes: Buffer; source: string | null }
    | { kind: 'absent'; why: 'gone' | 'dropped' | 'lost' | 'none' }
    | { kind: 'damaged'; message: string }
  /** With a line for each block; null where the type has none, or there is no body. */
  text: string | null
  /** Only where it was asked for; null as `text`. */
  markdown?: string | null
  /** Why a document whose type has a text can't be read. */
  textFailure?: string
  links: string[]
}

export type CompareRequest = {
  /** Numbers or times; left out, the last version with content, or the last before it that differs. */
  from: string | undefined
  to: string | undefined
  form: 'lines' | 'words'
  context: number
  /** Compares the source instead of the visible text. */
  raw: boolean
  /** White space alone is no change. */
  ignoreSpace?: boolean | undefined
}

export type DiffPiece = { kind: 'same' | 'removed' | 'added'; text: string }

/** Lines count from 1; a side without lines names the one before, as unified diffs do. */
export type DiffHunk = {
  fromLine: number
  fromCount: number
  toLine: number
  toCount: number
  /** By lines: one piece for each line, without its end. By words: the text as it runs, line ends within. */
  pieces: DiffPiece[]
}

export type TextDiff = {
  /** A larger part is called changed than need be: an exact answer would have taken too long. */
  coarse: boolean
  lines: { added: number; removed: number }
  words: { added: number; removed: number }
  hunks: DiffHunk[]
}

/** What changed, block by block. */
/** The first have what a profile ignores them by. */
export type ReportedChange = Change & { readonly ignore?: IgnoreBlock }

export type ChangeReport = {
  /** In the order of the newer version. Of very many, and of very long texts, only the beginning. */
  changes: readonly ReportedChange[]
  /** Of all changes. */
  changeCount: number
  /** The most important of them. */
  line: ChangeLine
}

export type DiffReport = TextDiff &
  ChangeReport & {
    url: string
    from: VersionReport
    to: VersionReport
    /** What was compared: visible text, source, or, where there is neither, only the bytes as a whole. */
    compared: 'text' | 'source' | 'bytes'
    form: 'lines' | 'words'
    /** Whether what was compared is equal. */
    equal: boolean
  }

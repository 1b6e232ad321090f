import type { Change } from '../change/change.ts'
import type { ChangeLine } from '../change/change-line.ts'
import type { IgnoreBlock } from '../change/noise/ignore-block.ts'

/** Results of `history`, `show` and `diff`, as plain data. Times are ISO 8601 UTC. */

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
  /** As in WARC headers; empty for a version without content. */
  digest: string
  /** Hexadecimal; null if the type has no text. */
  textDigest: string | null
  etag: string
  lastModified: string
  /** Why the body is incomplete; empty if it is whole. */
  truncated: string
  /**
   * Set if only volatile parts were fetched and the rest came from an earlier version: the table, and the parts that changed. Null if
   * fetched whole.
   */
  completedFrom: { table: 'tvi'; parts: string[] } | null
  /** IP address of the server. */
  address: string
  /** Target of the redirect that made the document `gone`. */
  location: string
  body: 'kept' | 'dropped' | 'lost' | 'none'
  links: number
  /** `noise`: only parts changed that change all the time. Null if no notification was due. */
  notice: 'notified' | 'noise' | null
}

export type HistoryRequest = {
  /** Maximum number of versions to list, counted from the newest. */
  limit: number
  /** Whether to read the bodies and count the changes of each version. */
  changes: boolean
}

export type HistoryReport = {
  url: string
  parent: string
  firstAskedAt: string
  lastCheckedAt: string
  /** Outcome of the last request. */
  outcome: string
  status: number
  location: string
  /** Oldest first. */
  versions: (VersionReport & { changes?: ChangeSummary | null })[]
  /** Number of older versions that are kept but not listed. */
  more: number
}

/** A change in brief: word counts, the first new passages, and a line with the most important changes, old → new. */
export type ChangeSummary = { added: number; removed: number; passages: string[]; line: string }

export type ShowReport = {
  url: string
  version: VersionReport
  /** Status line and header fields, each ending in CRLF; empty if not known. */
  header: string
  /** `source`: the bytes as text; null if they are not text. */
  content:
    | { kind: 'body'; contentType: string | undefined; bytes: Buffer; source: string | null }
    | { kind: 'absent'; why: 'gone' | 'dropped' | 'lost' | 'none' }
    | { kind: 'damaged'; message: string }
  /** Visible text, one line per block; null if the type has no text or there is no body. */
  text: string | null
  /** Only if requested; null if `text` is. */
  markdown?: string | null
  /** Why a document can't be read although its type has text. */
  textFailure?: string
  links: string[]
}

export type CompareRequest = {
  /** Version numbers or times. By default, `to` is the last version with content, and `from` the last before it that differs. */
  from: string | undefined
  to: string | undefined
  form: 'lines' | 'words'
  context: number
  /** Compares the source instead of the visible text. */
  raw: boolean
  /** Ignore changes of white space alone. */
  ignoreSpace?: boolean | undefined
}

export type DiffPiece = { kind: 'same' | 'removed' | 'added'; text: string }

/** Lines count from 1; a side without lines gives the preceding line, as in unified diffs. */
export type DiffHunk = {
  fromLine: number
  fromCount: number
  toLine: number
  toCount: number
  /** By lines: one piece per line, without its line ending. By words: running text, including line breaks. */
  pieces: DiffPiece[]
}

export type TextDiff = {
  /** More is marked as changed than necessary: an exact diff would have taken too long. */
  coarse: boolean
  lines: { added: number; removed: number }
  words: { added: number; removed: number }
  hunks: DiffHunk[]
}

/** A change. The first ones of a report include the rule with which a profile can ignore them. */
export type ReportedChange = Change & { readonly ignore?: IgnoreBlock }

/** What changed, block by block. */
export type ChangeReport = {
  /** In the order of the newer version. Bounded: only the first of very many changes, and the beginning of very long texts. */
  changes: readonly ReportedChange[]
  /** Total number of changes. */
  changeCount: number
  /** The most important changes. */
  line: ChangeLine
}

export type DiffReport = TextDiff &
  ChangeReport & {
    url: string
    from: VersionReport
    to: VersionReport
    /** What was compared: visible text, source or, if there is neither, only the bytes as a whole. */
    compared: 'text' | 'source' | 'bytes'
    form: 'lines' | 'words'
    /** Whether both sides are equal. */
    equal: boolean
  }

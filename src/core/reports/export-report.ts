/** Request and report of `export`, as plain data. */

export const exportKinds = ['warc', 'wacz', 'markdown', 'cdxj', 'links', 'meta', 'aci', 'bad-urls', 'walk'] as const
export type ExportKind = (typeof exportKinds)[number]

/** Which versions are exported. Times are milliseconds since 1970. */
export type ExportSelection = {
  /** Only documents whose URL has this prefix; empty for all. */
  urlPrefix: string
  /** Only versions first seen at or after this time. */
  afterMs: number | null
  /** Only versions first seen before this time. */
  beforeMs: number | null
  currentOnly: boolean
}

export type ExportRequest = {
  kind: ExportKind
  /** Absolute path; null for standard output. A folder for Markdown, unless it ends with `.jsonl` or `.jsonl.gz`. */
  file: string | null
  /** Path of the index of an exported WARC file. */
  indexFile: string | null
  selection: ExportSelection
  /** aci: only annotations of this user. */
  owner?: string
  /** bad-urls: one JSON object per line, unless the file name implies another format. */
  jsonLines?: boolean
}

export type ExportProgress = { records: number; bytes: number }

/** A skipped item, with the reason. */
export type ExportFault = { url: string; version: number; message: string }

export type ExportReport = {
  kind: ExportKind
  /** `-` for standard output. */
  file: string
  /** Number of WARC records, lines (of an index, link graph or list), documents (meta-information) or annotations, by kind. */
  records: number
  /** Size of the file. */
  bytes: number
  seconds: number
  /** Number of skipped items; `faults` has the first of them. */
  skipped: number
  faults: ExportFault[]
  /** Stopped early: no file was left behind. */
  interrupted: boolean
}

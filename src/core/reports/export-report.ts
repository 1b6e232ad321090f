/** Request and report of `export`, as plain data. */

export const exportKinds = ['warc', 'wacz', 'markdown', 'cdxj', 'links', 'meta', 'aci', 'bad-urls', 'walk'] as const
export type ExportKind = (typeof exportKinds)[number]

/** Which versions are exported. Times are milliseconds since 1970. */
export type ExportSelection = {
  /** Only documents whose URL begins so; empty for all. */
  urlPrefix: string
  /** Only versions seen first at that moment or later. */
  afterMs: number | null
  /** Only versions seen first before that moment. */
  beforeMs: number | null
  currentOnly: boolean
}

export type ExportRequest = {
  kind: ExportKind
  /** Absolute path; null for standard output. A folder for Markdown, unless it ends with `.jsonl` or `.jsonl.gz`. */
  file: string | null
  /** Where the index of an exported WARC file goes. */
  indexFile: string | null
  selection: ExportSelection
  /** aci: only annotations of this user. */
  owner?: string
  /** bad-urls: a JSON object a line, where the file's name doesn't say another format. */
  jsonLines?: boolean
}

export type ExportProgress = { records: number; bytes: number }

/** Something that was left out, and why. */
export type ExportFault = { url: string; version: number; message: string }

export type ExportReport = {
  kind: ExportKind
  /** `-` for standard output. */
  file: string
  /** Records of a WARC file, lines of an index, a link graph or a list, documents of meta-information, annotations. */
  records: number
  /** Size of the file. */
  bytes: number
  seconds: number
  /** Number of skipped items; `faults` has the first of them. */
  skipped: number
  faults: ExportFault[]
  /** Stopped before its end: no file was left behind. */
  interrupted: boolean
}

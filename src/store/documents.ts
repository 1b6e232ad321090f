/**
 * The catalogue: every document that was ever asked for, its versions, and where their bodies lie.
 * A document is named by host and fingerprint of its key; its URL is the spelling that was fetched first.
 */
export type DocumentStore = {
  /**
   * Records what came of a batch of requests, atomically: bodies first, then the rows that point at them. Equal bodies
   * are stored once over all documents and shards. Repeating a batch changes nothing: the same content makes no second version.
   */
  record(captures: readonly Capture[]): Promise<CaptureOutcome[]>
  /** What is known of these documents, for conditional requests; `null` for those never seen. */
  find(keys: readonly DocumentKey[]): Promise<(KnownDocument | null)[]>
  /** Outgoing links of a version, in page order. */
  links(versionId: number): Promise<string[]>
  counts(): Promise<DocumentCounts>
}

export type DocumentKey = { host: string; fp: bigint }

type CaptureBase = DocumentKey & {
  url: string
  parent: string
  at: number
  run: number
  status: number
  address: string
}

export type Capture = CaptureBase &
  (
    | {
        kind: 'body'
        type: string
        /** SHA-256 of the decoded body. */
        digest: Buffer
        size: number
        etag: string
        lastModified: string
        truncated: string
        title: string
        links: readonly string[]
        /**
         * The bytes to archive. Called once the store knows whether an equal body is kept already:
         * then `original` says where it was seen first and only a reference is to be written.
         */
        render(original: OriginalCapture | null): Uint8Array[]
      }
    /** Answered without a body to keep: `outcome` says why. */
    | { kind: 'note'; outcome: NoteOutcome; location: string }
  )

export type NoteOutcome = 'unchanged' | 'redirect' | 'failed' | 'skipped'

export type OriginalCapture = { url: string; at: number }

export type CaptureOutcome =
  | { kind: 'stored'; versionId: number }
  /** The document's current version has this very body; `duplicate` when another document had it in this run too. */
  | { kind: 'unchanged'; duplicate: boolean }
  /** A new version of this document whose body is kept under another URL. */
  | {
      kind: 'duplicate'
      versionId: number
      of: string
      /** That URL was met in this run: its links are on their way. */
      linksOffered: boolean
    }
  | { kind: 'noted' }

export type KnownDocument = {
  url: string
  /** The run that checked it last. */
  run: number
  status: number
  /** Current version; 0 when there is none. */
  versionId: number
  etag: string
  lastModified: string
}

export type DocumentCounts = { documents: number; versions: number; bodies: number }

import type { FeedSchedule } from '../../core/feed/feed.ts'
import type { Check } from '../../core/request.ts'

/**
 * The catalogue: every document ever requested, its versions, and the location of their bodies.
 * A document is identified by its host and the fingerprint of its key; its URL is the spelling that was fetched first.
 */
export type DocumentStore = {
  /**
   * Records the results of a batch of requests atomically: bodies first, then the rows that point at them. Equal bodies
   * are stored once across all documents and shards. Idempotent: the same content makes no second version.
   */
  record(captures: readonly Capture[]): Promise<CaptureOutcome[]>
  /** State of these documents, for conditional requests; `null` for those never seen. */
  find(keys: readonly DocumentKey[]): Promise<(KnownDocument | null)[]>
  /** Outgoing links of the current versions of these documents, each in page order; empty if there is no version. */
  links(known: readonly KeptPage[]): Promise<string[][]>
}

export type KeptPage = Pick<KnownDocument, 'versionId' | 'url'>

export type DocumentKey = { host: string; fp: bigint }

type CaptureBase = DocumentKey & {
  url: string
  parent: string
  /** The check that made the request: new content goes to the annotation engine on behalf of its watch. */
  check: Check
  /** Links followed from the source. */
  hops: number
  at: number
  run: number
  status: number
  address: string
  /** Stored, but never a task for the annotation engine: a list of items that are annotated themselves. */
  silent?: boolean
}

/** `reason`: the error code of a failed request, or why it was skipped; otherwise empty. */
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
        /**
         * Ids of the volatile parts that came from a table while the rest was already stored, separated by spaces; empty for a page
         * that was fetched whole. Counts as one more answer in a row (`notModified`) that was not.
         */
        completed?: string
        title: string
        /** Fingerprint of the visible text; null if it was not needed. */
        text: Buffer | null
        /** Identifies the rules that left parts of the text out. */
        textRules: number
        /** The version with the same visible text: if it is still current, only the links may have changed, even if the bytes differ. */
        sameTextAs: number
        /** The version it differs from in an aspect other than text and links that the watch asks for; 0 for none. */
        differsFrom?: number
        /** Until when the server declares this fresh; 0 if it doesn't say. */
        freshUntil: number
        /** When a feed asks to be fetched. Not stored here: the scheduler keeps it. */
        schedule?: FeedSchedule
        /** Dates of the newest entries of a feed; not stored here either. */
        dates?: readonly number[]
        links: readonly string[]
        /** The links in stored form (`packLinks` in store/rules), if already available. */
        linkText?: string
        /** Document fingerprints of the links, eight bytes each, in the order of `links`. */
        linkKeys: Uint8Array
        /** Identifies the rules that made these fingerprints. */
        linkNaming: number
        /** The response, for modules of the crawl; the store ignores it. */
        answer?: { body: Uint8Array; headers: readonly string[] }
        /**
         * The bytes to archive. Called once the store knows whether an equal body is already kept:
         * if so, `original` says where it was seen first, and only a reference is written.
         */
        render(original: OriginalCapture | null): Uint8Array[]
        /** Frees the memory of the body, once it is stored. */
        release?(): void
      }
    /** Answered without a body to keep: `outcome` says why. `freshUntil` is null if the answer doesn't say. */
    | { kind: 'note'; outcome: NoteOutcome; reason: string; location: string; freshUntil: number | null }
    /** Not requested, since it was checked a moment ago; it may still be new to the watch. */
    | { kind: 'met' }
    /** No longer there, or moved to `location`. Makes a version only if the document existed before. */
    | { kind: 'gone'; outcome: 'failed' | 'redirect'; reason: string; location: string; render(): Uint8Array[] }
  )

export type NoteOutcome = 'unchanged' | 'redirect' | 'failed' | 'skipped'

export type OriginalCapture = { url: string; at: number }

export type CaptureOutcome =
  | { kind: 'stored'; versionId: number }
  /** The document's current version has the same body or the same visible text. `duplicate`: another document had the body in this run. */
  | { kind: 'unchanged'; duplicate: boolean }
  /** A version with the same visible text but different links was added. */
  | { kind: 'relinked'; versionId: number }
  /** A `gone` version was added. */
  | { kind: 'gone'; versionId: number }
  /** Cut off, while the stored version is complete: not a change. */
  | { kind: 'incomplete' }
  /** A new version of this document whose body is kept under another URL. */
  | { kind: 'duplicate'; versionId: number; of: string }
  | { kind: 'noted' }

export type KnownDocument = {
  url: string
  firstAt: number
  /** Number of versions so far, including collected ones. */
  versions: number
  /** The run or watch that checked it last, and when. */
  run: number
  checkedAt: number
  status: number
  /** Current version; 0 if there is none or it is gone. */
  versionId: number
  /** Empty if the body must be fetched unconditionally: it was lost, or the validators were found unreliable. */
  etag: string
  lastModified: string
  /** Digest of the current version; empty if there is none. */
  digest: Uint8Array
  text: Uint8Array | null
  textRules: number
  truncated: string
  /** Whether the body of the current version is kept, was collected because no profile wanted it, or is lost. */
  body: BodyState
  /** Its body is stored under another version. */
  isCopy: boolean
  /** Consecutive "not modified" answers. */
  notModified: number
  /** `linkKeys` and `linkNaming` of the current version; empty if it has no links or they are unknown. */
  linkKeys: Uint8Array
  linkNaming: number
  /** The links in stored form (`rules/link-text.ts`), if available and short; otherwise call `links`. */
  linkText?: string
}

/**
 * `kept`: in the archive, as its own record or a reference to the original's; `dropped`: collected, only the meta-info is left;
 * `lost`: its record was damaged, and the next fetch restores it; `none`: it never had one.
 */
export type BodyState = 'kept' | 'dropped' | 'lost' | 'none'

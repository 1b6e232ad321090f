import type { FeedSchedule } from '../../core/feed/feed.ts'
import type { Check } from '../../core/request.ts'

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
  /** Outgoing links of the current versions of these documents, each in page order; none where there is no version. */
  links(known: readonly KeptPage[]): Promise<string[][]>
}

export type KeptPage = Pick<KnownDocument, 'versionId' | 'url'>

export type DocumentKey = { host: string; fp: bigint }

type CaptureBase = DocumentKey & {
  url: string
  parent: string
  /** Whose request it was: what is new goes to the annotation engine on behalf of that watch. */
  check: Check
  /** Links followed from the source. */
  hops: number
  at: number
  run: number
  status: number
  address: string
  /** Kept, but news to nobody: a list of items, which are news themselves. */
  silent?: boolean
}

/** `reason` is the error code of what failed, or why it was skipped; empty for the rest. */
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
         * The volatile parts that came from a table while the rest was kept before, with spaces between their ids; empty for a page that came
         * whole. It counts as one more answer in a row that did not.
         */
        completed?: string
        title: string
        /** Fingerprint of the visible text, where it was needed. */
        text: Buffer | null
        /** Which rules left parts of the text out. */
        textRules: number
        /** The version that has the same visible text: if it is still current, only the links may have changed, even if the bytes differ. */
        sameTextAs: number
        /** The version that it differs from in something that the watch asks for beside text and links; 0 for none. */
        differsFrom?: number
        /** Until when the server calls this fresh; 0 when it says nothing. */
        freshUntil: number
        /** When a feed wants to be asked. It is not kept here: the scheduler has it. */
        schedule?: FeedSchedule
        /** Of the newest entries of a feed; not kept either. */
        dates?: readonly number[]
        links: readonly string[]
        /** The same as they are stored (`packLinks` in store/rules), where they were at hand so. */
        linkText?: string
        /** The fingerprints that the links have as documents, eight bytes each in the order of `links`. */
        linkKeys: Uint8Array
        /** Which rules made these fingerprints. */
        linkNaming: number
        /** What came, for modules of the crawl; the store doesn't look at it. */
        answer?: { body: Uint8Array; headers: readonly string[] }
        /**
         * The bytes to archive. Called once the store knows whether an equal body is kept already:
         * then `original` says where it was seen first and only a reference is to be written.
         */
        render(original: OriginalCapture | null): Uint8Array[]
        /** Gives the memory of the body back, once it is stored. */
        release?(): void
      }
    /** Answered without a body to keep: `outcome` says why. `freshUntil` is null where nothing is said about it. */
    | { kind: 'note'; outcome: NoteOutcome; reason: string; location: string; freshUntil: number | null }
    /** Not asked for, since it was checked a moment ago; it may still be news to the watch. */
    | { kind: 'met' }
    /** Not there any more, or moved to `location`. A version only where the document has been there. */
    | { kind: 'gone'; outcome: 'failed' | 'redirect'; reason: string; location: string; render(): Uint8Array[] }
  )

export type NoteOutcome = 'unchanged' | 'redirect' | 'failed' | 'skipped'

export type OriginalCapture = { url: string; at: number }

export type CaptureOutcome =
  | { kind: 'stored'; versionId: number }
  /**
   * The document's current version has this very body, or the same visible text. `duplicate` when another document had
   * the body in this run too.
   */
  | { kind: 'unchanged'; duplicate: boolean }
  /** A version with the same visible text and other links was added. */
  | { kind: 'relinked'; versionId: number }
  /** A version that says so was added. */
  | { kind: 'gone'; versionId: number }
  /** Broken off, and less than what is kept: not a change. */
  | { kind: 'incomplete' }
  /** A new version of this document whose body is kept under another URL. */
  | { kind: 'duplicate'; versionId: number; of: string }
  | { kind: 'noted' }

export type KnownDocument = {
  url: string
  firstAt: number
  /** How many versions it has had. */
  versions: number
  /** The run, or the watch, that checked it last, and when. */
  run: number
  checkedAt: number
  status: number
  /** Current version; 0 when there is none or it is gone. */
  versionId: number
  /** Empty when the body must be fetched unconditionally: it was lost, or the validators lied. */
  etag: string
  lastModified: string
  /** Of the current version; empty where there is none. */
  digest: Uint8Array
  text: Uint8Array | null
  textRules: number
  truncated: string
  /** Whether its body is there, was collected because no profile wanted it, or lost. */
  body: BodyState
  /** Its body is kept under another version. */
  isCopy: boolean
  /** Answers in a row that said "not modified". */
  notModified: number
  /** `linkKeys` and `linkNaming` of the current version; empty where it has no links or they are not known. */
  linkKeys: Uint8Array
  linkNaming: number
  /** Its links as they are stored (`rules/link-text.ts`), where they were at hand and short; otherwise `links` has them. */
  linkText?: string
}

/**
 * `kept`: in the archive, of its own or as a reference to the original's; `dropped`: collected, the meta-info stayed;
 * `lost`: its record was damaged, the next fetch brings it back; `none`: there never was one.
 */
export type BodyState = 'kept' | 'dropped' | 'lost' | 'none'

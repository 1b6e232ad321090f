/**
 * Memory that a crawling thread shares with its scan thread: the pages on their way to be scanned, and what was found in them. The
 * crawling thread writes a page and submits it; the scan thread adds its findings and counts it as scanned; the crawling thread reads
 * those, and may then use the place again. Pages are submitted, scanned and read in the same order, so their places are a ring.
 *
 * Neither thread wakes the other while both are busy, since that costs more than scanning a page: each looks from time to time.
 */
export type ScanMemory = {
  /** The numbers below, then the place of the page that was submitted as the n-th, at n modulo `MAX_SUBMITTED`. */
  counts: Int32Array
  /** The places. */
  numbers: Int32Array
  bytes: Buffer
}

/** How many pages were submitted, and how many scanned, both modulo 2³²; … */
export const SUBMITTED = 0
export const SCANNED = 1
/** … and whether the scan thread sleeps until it is woken. */
export const IS_ASLEEP = 2
const COUNTS = 4

/** More than have room. */
export const MAX_SUBMITTED = 4096

/** A place begins with these numbers: what to do, … */
export const PAGE_LENGTH = 0
export const LABEL_LENGTH = 1
export const ORIGIN_LENGTH = 2
export const OPTIONS = 3
/**
 * … and the outcome: how many findings there are, or -1 if they have no room; whether the memo forgot all links before this page. For its
 * text, 1 if it has one, 0 if its type has none, -1 if it could not be read.
 */
export const FOUND = 4
export const HAS_FORGOTTEN = 5
const HEAD = 6

/** The page is scanned for links, not only hashed; … */
export const FOR_LINKS = 1
export const AS_XML = 2
export const WITH_LINK_TEXTS = 4
/** … and its links are looked up in the memo. */
export const IN_FOLDER = 8
/** Neither: only the fingerprint of its text is wanted, of a page with … */
export const FOR_TEXT = 16
/** … a content type. */
export const HAS_TYPE = 32

/** Of the page or, shorter, of its text. */
const DIGEST_BYTES = 32
/** What is never used takes no memory: places are taken from the start whenever the ring is empty. */
const RING_BYTES = 8 << 20
/** The scanner keeps the memory of its largest page. */
export const MAX_PAGE_BYTES = 4 << 20
const MIN_FINDINGS = 256

export function createScanMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(4 * (COUNTS + MAX_SUBMITTED) + RING_BYTES)
}

export function openScanMemory(memory: SharedArrayBuffer): ScanMemory {
  const ring = 4 * (COUNTS + MAX_SUBMITTED)
  return {
    counts: new Int32Array(memory, 0, COUNTS + MAX_SUBMITTED),
    numbers: new Int32Array(memory, ring, RING_BYTES / 4),
    bytes: Buffer.from(memory, ring, RING_BYTES),
  }
}

/** Where the counts have the place of the page that was submitted as the n-th. */
export function placeIndex(n: number): number {
  return COUNTS + ((n >>> 0) % MAX_SUBMITTED)
}

/** Offsets of the parts of a place: in `bytes`, except for `head` and `findings`, which are in `numbers`. */
export type Place = {
  head: number
  digest: number
  /** The folder of a page for links, or the content type of one for its text; in UTF-8. */
  label: number
  page: number
  findings: number
  maxFindings: number
}

export function placeAt(start: number, labelLength: number, pageLength: number): Place {
  const digest = start + 4 * HEAD
  const label = digest + DIGEST_BYTES
  const page = label + labelLength
  const findings = (page + pageLength + 3) >>> 2
  return { head: start >>> 2, digest, label, page, findings, maxFindings: roomForFindings(pageLength) }
}

/** The size of a place. */
export function placeBytes(labelLength: number, pageLength: number): number {
  return 4 * (placeAt(0, labelLength, pageLength).findings + roomForFindings(pageLength))
}

/** Three quarters of the page's bytes, three times as many as usual. Pages with more findings are scanned again by the crawling thread. */
function roomForFindings(pageLength: number): number {
  return Math.max(MIN_FINDINGS, (3 * pageLength) >>> 4)
}

/** Hands out places of the ring in turn. They are returned in the same order. */
export function createRing(size = RING_BYTES) {
  /** Where the places in use begin, the oldest first. */
  let starts: number[] = []
  /** Where the next place can begin. */
  let next = 0

  return {
    /** The start of a free place; null if there is none. */
    take(bytes: number): number | null {
      const [oldest] = starts
      if (oldest === undefined) next = 0
      const isWrapped = oldest !== undefined && next <= oldest
      // A place is in one piece: if the rest of the ring is too small, it stays empty.
      const start = !isWrapped && next + bytes > size ? 0 : next
      const end = oldest !== undefined && start <= oldest ? oldest : size
      if (start + bytes > end) return null
      starts.push(start)
      next = start + bytes
      return start
    },
    /** Returns the oldest places. */
    free(count: number): void {
      starts = starts.slice(count)
    },
  }
}

import { createScanner, type Folder, type Scanner } from './scanner.ts'

/**
 * Links that were named before, recognised by their bytes in a page: every page of a site has the same navigation. The
 * scanner has the bytes (`assembly/memo.ts`) and returns the slot of a link; this maps slots to values.
 *
 * Both have a fixed size. When they are full everything is forgotten: what matters comes back with the next pages.
 */
export type LinkMemo<Known> = {
  /** Sets the folder of a page. May forget everything, which starts a new generation of slots. */
  enter(origin: string, folder: string): void
  /** The folder of a page that is scanned by another thread; undefined if its links are not to be looked up. */
  folderOf(origin: string, folder: string): Folder | undefined
  /** Forgets everything: the scanner in another thread has. */
  forget(): void
  readonly generation: number
  /** Null if the link is new, or was never named. */
  at(slot: number): Known | null
  keep(slot: number, known: Known): void
  /** Undefined if the page is too large for the shared scanner. */
  scannerFor(length: number): Scanner | undefined
  /** Undefined if links of the page are not to be looked up. */
  folder(): Folder | undefined
  /** Counts how many links of a page were looked up, and how many were known. */
  count(asked: number, recalled: number): void
}

const MAX_PAGE_BYTES = 1 << 20
/** If fewer than an eighth of `TRIAL` links are recognised, the memo rests for the next `REST_PAGES` pages. */
const TRIAL = 16_384
const REST_PAGES = 1024

/** `isElsewhere`: the scanner that has the bytes of the links is in another thread. */
export function createLinkMemo<Known>({ isElsewhere = false } = {}): LinkMemo<Known> {
  const scanner = isElsewhere ? null : createScanner()
  let links: (Known | undefined)[] = []
  let generation = 0
  let folder: Folder | undefined
  let asked = 0
  let recalled = 0
  let resting = 0

  function forget(): void {
    scanner?.forgetLinks()
    links = []
    generation++
  }

  function isResting(): boolean {
    if (resting > 0) resting--
    return resting > 0
  }

  return {
    enter(origin, url) {
      if (scanner?.isMemoFull() === true) forget()
      folder = folderAt(origin, url)
    },
    folderOf: (origin, url) => (isResting() ? undefined : folderAt(origin, url)),
    forget,
    get generation() {
      return generation
    },
    at: (slot) => links[slot] ?? null,
    keep(slot, known) {
      links[slot] = known
    },
    scannerFor: (length) => (length > MAX_PAGE_BYTES ? undefined : (scanner ?? undefined)),
    folder: () => (isResting() ? undefined : folder),
    count(pageAsked, pageRecalled) {
      asked += pageAsked
      recalled += pageRecalled
      if (asked < TRIAL) return
      if (recalled * 8 < asked) resting = REST_PAGES
      asked = 0
      recalled = 0
    },
  }
}

/** Schemes other than http(s) have no origin here, and rules of their own. */
function folderAt(origin: string, url: string): Folder | undefined {
  return origin === '' ? undefined : { url, originLength: origin.length }
}

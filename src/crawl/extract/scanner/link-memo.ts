import { createScanner, type Folder, type Scanner } from './scanner.ts'

/**
 * Links that were named before, recognised by their bytes as they stand in a page: the same navigation stands on every page
 * of a site. The scanner has the bytes (`assembly/memo.ts`) and tells the slot of a link; here is what each slot means.
 *
 * Both have a fixed size. When they are full everything is forgotten: what matters comes back with the next pages.
 */
export type LinkMemo<Known> = {
  /** Sets the folder of a page. May forget everything; slots are then those of another generation. */
  enter(origin: string, folder: string): void
  readonly generation: number
  /** Null for a link that is new, or was never named. */
  at(slot: number): Known | null
  keep(slot: number, known: Known): void
  /** Undefined for pages that are too large for the scanner that is shared by all. */
  scannerFor(length: number): Scanner | undefined
  /** Undefined where no link of the page is to be asked for. */
  folder(): Folder | undefined
  /** How many links of a page were asked for, and how many of them were known. */
  count(asked: number, recalled: number): void
}

const MAX_PAGE_BYTES = 1 << 20
/** Where fewer than an eighth of so many links are recognised, the memo rests for the next so many pages. */
const TRIAL = 16_384
const REST_PAGES = 1024

export function createLinkMemo<Known>(): LinkMemo<Known> {
  const scanner = createScanner()
  let links: (Known | undefined)[] = []
  let generation = 0
  let folder: Folder | undefined
  let asked = 0
  let recalled = 0
  let resting = 0

  function forget(): void {
    scanner.forgetLinks()
    links = []
    generation++
  }

  return {
    enter(origin, url) {
      if (scanner.isMemoFull()) forget()
      // Other schemes than the web's have no origin here, and rules of their own.
      folder = origin === '' ? undefined : { url, originLength: origin.length }
    },
    get generation() {
      return generation
    },
    at: (slot) => links[slot] ?? null,
    keep(slot, known) {
      links[slot] = known
    },
    scannerFor: (length) => (length > MAX_PAGE_BYTES ? undefined : scanner),
    folder() {
      if (resting > 0) resting--
      return resting > 0 ? undefined : folder
    },
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

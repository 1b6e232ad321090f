import { createScanner, type Scanner } from './scanner.ts'

/**
 * Links that were named before, recognised by their bytes as they stand in a page: the same navigation stands on every page
 * of a site. The scanner has the bytes (`assembly/memo.ts`) and tells the slot of a link; here is what each slot means.
 *
 * Both have a fixed size. When they are full everything is forgotten: what matters comes back with the next pages.
 */
export type LinkMemo<Known> = {
  /** Sets the scopes for links of a page with this base. May forget everything; slots are then those of another generation. */
  enter(origin: string, directory: string): void
  readonly generation: number
  /** Null for a link that is new, or was never named. */
  at(slot: number): Known | null
  keep(slot: number, known: Known): void
  /** Undefined for pages that are too large for the scanner that is shared by all. */
  scannerFor(length: number): Scanner | undefined
  scopes(): { originScope: number; directoryScope: number } | undefined
  /** How many links of a page were asked for, and how many of them were known. */
  count(asked: number, recalled: number): void
}

/** As many as the scanner has slots. */
const MAX_LINKS = 16_384
const MAX_SCOPES = 16_384
const MAX_PAGE_BYTES = 1 << 20
/** Where fewer than half of so many links are recognised, the memo rests for the next so many pages. */
const TRIAL = 16_384
const REST_PAGES = 4096

export function createLinkMemo<Known>(): LinkMemo<Known> {
  const scanner = createScanner()
  let links: (Known | undefined)[] = new Array(MAX_LINKS)
  let generation = 0
  const scopeIds = new Map<string, number>()
  const scopes = { originScope: 0, directoryScope: 0 }
  let asked = 0
  let recalled = 0
  let resting = 0

  function scopeId(name: string): number {
    const known = scopeIds.get(name)
    if (known !== undefined) return known
    const id = scopeIds.size + 1
    scopeIds.set(name, id)
    return id
  }

  function forget(): void {
    scanner.forgetLinks()
    links = new Array(MAX_LINKS)
    scopeIds.clear()
    generation++
  }

  return {
    enter(origin, directory) {
      if (scopeIds.size > MAX_SCOPES || scanner.isMemoFull()) forget()
      scopes.originScope = scopeId(origin)
      scopes.directoryScope = scopeId(directory)
    },
    get generation() {
      return generation
    },
    at: (slot) => links[slot] ?? null,
    keep(slot, known) {
      links[slot] = known
    },
    scannerFor: (length) => (length > MAX_PAGE_BYTES ? undefined : scanner),
    scopes() {
      if (resting > 0) resting--
      return resting > 0 ? undefined : scopes
    },
    count(pageAsked, pageRecalled) {
      asked += pageAsked
      recalled += pageRecalled
      if (asked < TRIAL) return
      if (recalled * 2 < asked) resting = REST_PAGES
      asked = 0
      recalled = 0
    },
  }
}

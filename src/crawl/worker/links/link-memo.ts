/** What a link comes to once it is resolved, normalised and fingerprinted. */
export type NamedLink = {
  readonly url: string
  readonly key: string
  readonly hi: number
  readonly lo: number
  /** Number of the page that was last seen to link there. */
  page: number
}

/**
 * Links that were named before, recognised by their bytes as they stand in a page: the same navigation stands on every
 * page of a site, and recognising it costs a tenth of naming it again. A link means the same wherever its scope is the
 * same: everywhere for an absolute URL, within an origin for an absolute path, within a folder for a relative one.
 *
 * All of it lies in a few arrays of fixed size. When they are full everything is forgotten: what matters comes back
 * with the next pages.
 */
export type LinkMemo = {
  /** Sets the scopes for links of a page with this base. */
  enter(origin: string, directory: string): void
  recall(bytes: Uint8Array, start: number, end: number): NamedLink | undefined
  /** Remembers a link of the page that was entered last. */
  keep(href: string, named: NamedLink): void
}

const MAX_HREF_BYTES = 256
const MEAN_HREF_BYTES = 48
const EVERYWHERE = 0
const SLASH = 0x2f
const QUESTION = 0x3f
const COLON = 0x3a
/** Where fewer than half of so many links are recognised, the memo rests for the next so many. */
const TRIAL = 16_384
const SLEEP = 262_144
const plainAscii = /^[!-~]*$/

export function createLinkMemo(maxEntries: number): LinkMemo {
  const slots = 2 ** Math.ceil(Math.log2(maxEntries * 2))
  const table = new Int32Array(slots).fill(-1)
  const hashes = new Int32Array(maxEntries)
  const scopes = new Int32Array(maxEntries)
  const starts = new Int32Array(maxEntries + 1)
  const arena = Buffer.allocUnsafe(maxEntries * MEAN_HREF_BYTES)
  let links: NamedLink[] = []
  const scopeIds = new Map<string, number>()
  let origin = ''
  let directory = ''
  let originScope = 0
  let directoryScope = 0
  let asked = 0
  let hits = 0

  function scopeId(name: string): number {
    const known = scopeIds.get(name)
    if (known !== undefined) return known
    const id = scopeIds.size + 1
    scopeIds.set(name, id)
    return id
  }

  function enterScopes(): void {
    originScope = scopeId(origin)
    directoryScope = scopeId(directory)
  }

  function forget(): void {
    table.fill(-1)
    links = []
    scopeIds.clear()
    enterScopes()
  }

  /** -1 for links that depend on more of the page than its folder, or that are not worth keeping. */
  function scopeOf(bytes: Uint8Array, start: number, end: number): number {
    const first = bytes[start]!
    if (end - start > MAX_HREF_BYTES || first === QUESTION) return -1
    if (first === SLASH) return originScope
    for (let at = start; at < end && at < start + 8; at++) if (bytes[at] === COLON) return EVERYWHERE
    return directoryScope
  }

  function slotOf(bytes: Uint8Array, start: number, end: number, hash: number, scope: number): number {
    const length = end - start
    let slot = hash & (slots - 1)
    for (let entry = table[slot]!; entry !== -1; entry = table[slot]!) {
      if (hashes[entry] === hash && scopes[entry] === scope && starts[entry + 1]! - starts[entry]! === length) {
        const from = starts[entry]!
        let at = 0
        while (at < length && arena[from + at] === bytes[start + at]) at++
        if (at === length) return slot
      }
      slot = (slot + 1) & (slots - 1)
    }
    return slot
  }

  /** Counts the questions; sleeps for a while where few of them have an answer. */
  function isWorthIt(): boolean {
    if (++asked === TRIAL) {
      asked = hits * 2 < TRIAL ? -SLEEP : 0
      hits = 0
    }
    return asked >= 0
  }

  return {
    enter(newOrigin, newDirectory) {
      origin = newOrigin
      directory = newDirectory
      if (scopeIds.size > maxEntries) forget()
      else enterScopes()
    },
    recall(bytes, start, end) {
      if (!isWorthIt()) return undefined
      const scope = scopeOf(bytes, start, end)
      if (scope === -1) return undefined
      const entry = table[slotOf(bytes, start, end, hashOf(bytes, start, end, scope), scope)]!
      if (entry === -1) return undefined
      hits++
      return links[entry]
    },
    keep(href, named) {
      if (asked < 0 || href.length > MAX_HREF_BYTES || !plainAscii.test(href)) return
      const entry = links.length
      const start = entry === 0 ? 0 : starts[entry]!
      if (entry >= maxEntries || start + href.length > arena.length) return forget()
      const end = start + arena.write(href, start, 'latin1')
      const scope = scopeOf(arena, start, end)
      if (scope === -1) return
      const hash = hashOf(arena, start, end, scope)
      const slot = slotOf(arena, start, end, hash, scope)
      if (table[slot] !== -1) return
      starts[entry] = start
      starts[entry + 1] = end
      hashes[entry] = hash
      scopes[entry] = scope
      table[slot] = entry
      links.push(named)
    },
  }
}

/** Spread is all that is asked of it: bytes are compared in the end. */
function hashOf(bytes: Uint8Array, start: number, end: number, scope: number): number {
  let hash = Math.imul(scope + 1, 0x9e3779b1)
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}

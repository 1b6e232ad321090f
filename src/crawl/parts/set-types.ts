import type { FingerprintCache } from '../../core/url/fingerprint-cache.ts'

/**
 * The in-memory URL set of a thread, in front of the exact one in the store: links that it knows are not offered. A link is a pair of
 * 32-bit numbers, stored with the depth at which it was offered.
 */
export type UrlSet = FingerprintCache

/** Decides whether the content of a page was met before at another URL. */
export type DocumentSet = {
  /** `isStored`: whether the archive already had the same bytes. `digest`: SHA-256 of the body. */
  isCopy(page: { url: string; digest: Uint8Array }, isStored: boolean): boolean
}

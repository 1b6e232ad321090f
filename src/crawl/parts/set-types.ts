import type { FingerprintCache } from '../../core/url/fingerprint-cache.ts'

/**
 * The URL set in the memory of a thread, in front of the one in the store, which is exact: links that it knows are not offered. A link is two
 * numbers of 32 bits; what is kept with it is the depth it was offered with.
 */
export type UrlSet = FingerprintCache

/** Whether the content of a page was met before at another URL. */
export type DocumentSet = {
  /** `isStored`: whether the archive had the same bytes already. The digest is a SHA-256 of the body. */
  isCopy(page: { url: string; digest: Uint8Array }, isStored: boolean): boolean
}

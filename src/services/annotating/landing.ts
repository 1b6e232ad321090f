import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'

export type LandingDeps = {
  versions: Pick<VersionStore, 'document'>
  /** The key under which a URL is filed; null for what is none. */
  keyOf(url: string): DocumentKey | null
}

/** As many as any crawl follows; also the end of redirects in a circle. */
const MAX_REDIRECTS = 20

/**
 * Where a source redirects to, by what is kept of it; null where it stays. A redirect is kept before anything behind it is
 * fetched, so whoever holds a version from there finds the way to it, though the check may not be over yet.
 */
export function createLanding({ versions, keyOf }: LandingDeps): (uri: string) => Promise<string | null> {
  return async (uri) => {
    let url = uri
    for (let n = 0; n < MAX_REDIRECTS; n++) {
      const key = keyOf(url)
      const document = key === null ? null : await versions.document(key)
      if (document === null || document.location === '') break
      url = document.location
    }
    return url === uri ? null : url
  }
}

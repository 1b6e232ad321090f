import type { Config } from '../../config/config.ts'
import { isAppError } from '../../core/errors.ts'
import { hostKey } from '../../core/url/partition.ts'
import { createFingerprinter } from '../../core/url/url-key.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import { namingOf } from './naming.ts'
import { createSourceNaming } from './source-naming.ts'

/** Returns the keys that a crawl with these settings gives to documents; null for invalid URLs. */
export function createKeys({ crawl }: Config, seed: readonly [number, number]): (url: string) => DocumentKey | null {
  const nameOf = createSourceNaming(namingOf(crawl))
  const fingerprinter = createFingerprinter(seed)
  return (url) => {
    try {
      const { key } = nameOf(url)
      return { host: hostKey(key), fp: fingerprinter.toBigInt(key) }
    } catch (error) {
      if (isAppError(error, 'url-invalid')) return null
      throw error
    }
  }
}

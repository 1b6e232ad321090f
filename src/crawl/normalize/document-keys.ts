import type { Config } from '../../config/config.ts'
import { hostKey } from '../../core/url/partition.ts'
import { createFingerprinter } from '../../core/url/url-key.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import { namingOf } from './naming.ts'
import { createNormaliser } from './normaliser.ts'

/** The keys that a crawl with these settings gives its documents. */
export function createKeys({ crawl }: Config, seed: readonly [number, number]): (url: string) => DocumentKey | null {
  const normalise = createNormaliser(namingOf(crawl))
  const fingerprinter = createFingerprinter(seed)
  return (url) => {
    if (!URL.canParse(url)) return null
    const named = normalise(new URL(url).href)
    return named.kind === 'rejected' ? null : { host: hostKey(named.key), fp: fingerprinter.toBigInt(named.key) }
  }
}

import type { Config } from '../../config/config.ts'
import { parseHostRules } from './host-rules.ts'
import type { NormaliserOptions } from './normaliser.ts'

/**
 * The rules by which a configuration names URLs. They must be the same in the frontier, the archive, profiles and
 * explanations: otherwise a page is fetched under one name and looked up under another. `hostRules` is the text of the
 * file, or null.
 */
export function namingOf(crawl: Config['crawl'], hostRules: string | null = null): NormaliserOptions {
  const { maxUrlLength, trackingParameters, sortQuery, lowercasePaths, collapseSlashes, dropIndexNames } = crawl
  return {
    ...{ maxUrlLength, trackingParameters, sortParameters: sortQuery },
    // Only if they differ from the defaults, so that kept lists of links stay valid (see `namingNumber`).
    ...(lowercasePaths ? { lowercasePaths } : {}),
    ...(collapseSlashes ? {} : { collapseSlashes }),
    ...(dropIndexNames ? { dropIndexNames } : {}),
    ...(hostRules === null ? {} : { hostRules: parseHostRules(hostRules) }),
  }
}

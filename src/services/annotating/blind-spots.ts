import type { Blocks } from '../../core/change/change.ts'
import type { Clock } from '../../core/clock.ts'
import { blindSpot } from '../../core/text/blind-spot.ts'
import type { UrdMarks } from '../../store/contracts/profiles.ts'
import type { Version } from '../../store/contracts/versions.ts'
import type { Recipient } from './recipients.ts'
import type { Content } from './source-blocks.ts'

export type BlindSpotDeps = { setUrds(ids: readonly number[], marks: UrdMarks): Promise<void>; clock: Clock }

/**
 * Detects pages that hide their content from us: behind a script, a cookie notice, a captcha or a sign-in. The source is marked from
 * its first check on, until a version shows more. Sources with selectors are skipped: their mark says whether the selectors match.
 */
export function createBlindSpots({ setUrds, clock }: BlindSpotDeps) {
  return (version: Version, content: Content | null) => {
    /** Of the whole page, computed once. */
    let kind: ReturnType<typeof kindOf> | undefined
    return async ({ urd, source }: Recipient, page: Blocks | null): Promise<void> => {
      if (source.select.length > 0 || page === null || content === null) return
      kind ??= kindOf(page, content, version.url)
      if (urd.selected === kind) return
      const mark = { selected: kind, selectedSince: clock.now(), selectedVersion: version.id } as const
      await setUrds([urd.id], mark)
      // The next version may come before the profile is read again.
      Object.assign(urd, mark)
    }
  }
}

function kindOf(page: Blocks, { body }: Content, url: string) {
  return blindSpot(page, { body, url })?.kind ?? ''
}

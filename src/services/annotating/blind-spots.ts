import type { Blocks } from '../../core/change/change.ts'
import type { Clock } from '../../core/clock.ts'
import { blindSpot } from '../../core/text/blind-spot.ts'
import type { UrdMarks } from '../../store/contracts/profiles.ts'
import type { Version } from '../../store/contracts/versions.ts'
import type { Recipient } from './recipients.ts'
import type { Content } from './source-blocks.ts'

export type BlindSpotDeps = { setUrds(ids: readonly number[], marks: UrdMarks): Promise<void>; clock: Clock }

/**
 * Whether a page hides its content from us: behind a script, a cookie notice, a captcha or a sign-in. The source says so from its
 * first check on, until a version shows more. A source that watches a part says whether that part is there.
 */
export function createBlindSpots({ setUrds, clock }: BlindSpotDeps) {
  return (version: Version, content: Content | null) => {
    /** Of the whole page, once for all. */
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

import type { Blocks } from '../../core/change/change.ts'
import type { Source } from '../../core/profile.ts'
import { readBlocks } from '../../core/text/blocks.ts'
import type { OmitRules } from '../../core/text/omit-rules.ts'

/** The body of a version. */
export type Content = {
  readonly body: Uint8Array
  readonly contentType: string | undefined
  readonly omit: OmitRules | null
}

/** Sources with the same key see the same part of every page. */
export function partOf(_source: Source): string {
  return ''
}

/** What a source watches of a page, block by block; null where the media type has no text. */
export function sourceBlocks({ body, contentType, omit }: Content, _source: Source): Blocks | null {
  return readBlocks(body, { contentType, omit })
}

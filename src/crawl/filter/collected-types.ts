import { createIgnoredTypes, defaultIgnoredSuffixes, type IgnoredTypes, parseIgnoreTypes } from './ignored-types.ts'
import { createMediaTypes, defaultMediaTypes, type MediaTypes, parseMimeTypes } from './media-types.ts'

/** Contents of the two files; null for the built-in lists. */
export type TypeFiles = { mimeTypes: string | null; ignoreTypes: string | null }

/**
 * Decides what is collected: before a request by the suffix of its URL, and after it by the media type of the response. A
 * suffix named in `mime.types` is removed from the built-in list of ignored ones; an ignore file always takes precedence.
 */
export function readCollectedTypes({ mimeTypes, ignoreTypes }: TypeFiles): MediaTypes & IgnoredTypes {
  const media = mimeTypes === null ? createMediaTypes(defaultMediaTypes) : parseMimeTypes(mimeTypes)
  const ignored =
    ignoreTypes === null
      ? createIgnoredTypes(defaultIgnoredSuffixes.filter((suffix) => !media.suffixes.has(suffix)))
      : parseIgnoreTypes(ignoreTypes)
  return { ...media, ...ignored }
}

import type { Parser } from 'htmlparser2'

/** Browsers go no deeper either. The parser looks through all open elements at each end tag, so depth is time. */
export const maxDepth = 512

const pieceLength = 16_384

/** In pieces, so that a page that is too much is not read to its end. False where it was. */
export function parseBounded(parser: Parser, source: string, isTooMuch: () => boolean): boolean {
  for (let at = 0; at < source.length && !isTooMuch(); at += pieceLength)
    parser.write(source.slice(at, at + pieceLength))
  if (!isTooMuch()) parser.end()
  return !isTooMuch()
}

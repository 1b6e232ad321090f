import { foldUnspaced } from './fold.ts'

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })
/** The dictionaries look at a run as a whole; a page without any space shall not become one. */
const MAX_RUN = 2_000
/** Finding words by dictionary costs a hundred times what it costs by spaces; what lies beyond is not looked at. */
export const MAX_SEGMENTED = 200_000

/** Calls back for each word of a run of characters that have no space between words, with its place in the run. */
export function eachSegment(run: string, found: (term: string, start: number, end: number) => void): void {
  for (let from = 0; from < run.length; from += MAX_RUN) {
    for (const { index, segment, isWordLike } of segmenter.segment(run.slice(from, from + MAX_RUN))) {
      if (isWordLike === true) found(foldUnspaced(segment), from + index, from + index + segment.length)
    }
  }
}

/** The channel on which new annotations are told. */
export const annotationChannel = 'annotations'

/** A payload ends at 8,000 bytes. */
const MAX_TOLD = 400

/** The payload for these ids. Of too many it says only that there are some. */
export function newsOf(ids: readonly number[]): string {
  return ids.length > MAX_TOLD ? '' : ids.join(',')
}

/** The ids that a payload tells; null where they were too many. */
export function readNews(payload: string): number[] | null {
  if (!/^\d{1,16}(,\d{1,16})*$/.test(payload)) return null
  return payload.split(',').map(Number)
}

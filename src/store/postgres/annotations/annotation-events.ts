/** The channel on which new annotations are told, when their transaction is done. */
export const annotationChannel = 'annotations'

/** A payload ends at 8,000 bytes. Of more than these it says only that there are some. */
export const MAX_TOLD_IDS = 400

/** The ids that a payload tells; null where they were too many. */
export function readAnnotationEvents(payload: string): number[] | null {
  if (!/^\d{1,16}(,\d{1,16})*$/.test(payload)) return null
  return payload.split(',').map(Number)
}

import type { Version } from '../api/types.ts'

export const reasonWords: Record<Version['reason'], string> = {
  new: 'first seen',
  changed: 'changed',
  gone: 'gone',
  back: 'back again',
}

/** Why there is nothing to show of a version; null where there is. */
export function absenceOf({ body, reason, status, location }: Version): string | null {
  if (reason === 'gone')
    return location === ''
      ? `At that time the page was not there: the server answered ${status}.`
      : `At that time the page had moved to ${location}.`
  if (body === 'dropped')
    return 'The content of this version was not kept: nobody needed it any more when old versions were cleared.'
  if (body === 'lost') return 'The content of this version is damaged in the archive. The next check fetches it again.'
  if (body === 'none') return 'This version has no content.'
  return null
}

export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const units = ['KB', 'MB', 'GB']
  let size = bytes
  let unit = -1
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

export function perSecond(value: number): string {
  return `${value < 10 ? value.toFixed(1) : whole(value)}/s`
}

export function sizeOf(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}

export function sizePerSecond(bytes: number): string {
  return `${sizeOf(bytes)}/s`
}

/** In hundredths, but never "100 %" while something is missing. */
export function share(part: number, total: number): string {
  if (total === 0) return '–'
  const hundredths = (100 * part) / total
  return `${part === total ? 100 : Math.min(99.9, Math.floor(hundredths * 10) / 10)} %`
}

/** Null where it is so long that a time says more. */
export function lagWords(ms: number): string | null {
  return ms < 60_000 ? `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s` : null
}

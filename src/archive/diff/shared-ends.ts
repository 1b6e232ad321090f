/** Compared at once: far cheaper than one by one. */
const chunk = 64

/** How many characters two texts begin with in common. */
export function sharedStart(a: string, b: string): number {
  const max = Math.min(a.length, b.length)
  let at = 0
  while (at + chunk <= max && a.startsWith(b.slice(at, at + chunk), at)) at += chunk
  while (at < max && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at
}

/** How many they end with, `max` at most. */
export function sharedEnd(a: string, b: string, max: number): number {
  let length = 0
  while (length + chunk <= max && a.endsWith(b.slice(b.length - length - chunk, b.length - length), a.length - length))
    length += chunk
  while (length < max && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++
  return length
}

/** The key of a set-up link, which is its fragment. Accepts the whole link or the key alone. */
export function setupKeyOf(text: string): string {
  const link = text.trim()
  const key = link.slice(link.lastIndexOf('#') + 1)
  try {
    return decodeURIComponent(key)
  } catch {
    // Not percent-encoded: use it as typed; the server checks it.
    return key
  }
}

/** The key of a set-up link, which is its fragment. People paste the whole link as well as the key alone. */
export function setupKeyOf(text: string): string {
  const link = text.trim()
  const key = link.slice(link.lastIndexOf('#') + 1)
  try {
    return decodeURIComponent(key)
  } catch {
    // Not encoded, so it is what was typed; the server says whether it is the key.
    return key
  }
}

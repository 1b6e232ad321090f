/**
 * Pasted addresses: separated by white space, bare hosts completed, without duplicates, in order. Any other word stays as
 * it is, so that the server can reject it.
 */
export function splitAddresses(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  return [...new Set(words.map(completeAddress))]
}

/**
 * `example.org/news` gets a scheme; `feed:…` and `localhost:8080` differ in what follows the colon. A word without dot,
 * port or slash is no host name, except `localhost`.
 */
function completeAddress(word: string): string {
  const bare = word.replace(/^<|>$/g, '')
  const isHostWithPort = /^[^/:]+:\d+(?:[/?#]|$)/.test(bare)
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(bare) && !isHostWithPort
  const isHost = isHostWithPort || /[./]/.test(bare) || bare.toLowerCase() === 'localhost'
  return hasScheme || !isHost ? bare : `https://${bare.replace(/^\/+/, '')}`
}

/** Escapes characters that would end the address in a line of a list. */
export function asListLine(address: string): string {
  return address.replace(/["'`|\\^{}<>]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

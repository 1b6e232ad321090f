/**
 * Addresses that somebody pasted: separated by white space, a bare host completed, each once and in order. Any other word stays
 * as it is, for the server to say that it is none.
 */
export function splitAddresses(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  return [...new Set(words.map(completeAddress))]
}

/**
 * `example.org/news` gets a scheme; `feed:…` and `localhost:8080` are told apart by what follows the colon. A word without dot,
 * port or slash names no host but this very machine.
 */
function completeAddress(word: string): string {
  const bare = word.replace(/^<|>$/g, '')
  const isHostWithPort = /^[^/:]+:\d+(?:[/?#]|$)/.test(bare)
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(bare) && !isHostWithPort
  const isPlace = isHostWithPort || /[./]/.test(bare) || bare.toLowerCase() === 'localhost'
  return hasScheme || !isPlace ? bare : `https://${bare.replace(/^\/+/, '')}`
}

/** As a line of a list, in which such a sign would end the address. */
export function asListLine(address: string): string {
  return address.replace(/["'`|\\^{}<>]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

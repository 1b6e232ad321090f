/** Addresses that somebody pasted: separated by white space, a bare host completed, each once and in order. */
export function splitAddresses(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  return [...new Set(words.map(completeAddress))]
}

/** `example.org/news` gets a scheme; `feed:…` and `localhost:8080` are told apart by what follows the colon. */
function completeAddress(word: string): string {
  const bare = word.replace(/^<|>$/g, '')
  const isHostWithPort = /^[^/:]+:\d+(?:[/?#]|$)/.test(bare)
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(bare) && !isHostWithPort
  return hasScheme ? bare : `https://${bare.replace(/^\/+/, '')}`
}

/** A word that every index entry has among its sites, so that "not" has something to subtract from. */
export const EVERY = '\ue000'
const MAX_LABELS = 12
const MAX_HOST_CHARS = 500

/** A word for the host and one for each domain above it, so that `site:` is one look-up. */
export function siteWords(host: string): string[] {
  const name = host.slice(0, MAX_HOST_CHARS)
  const words = [EVERY, siteWord(name)]
  if (name.includes(':') || /^[\d.]+$/.test(name)) return words
  const labels = name.split('.')
  for (let from = Math.max(1, labels.length - MAX_LABELS); from < labels.length; from++)
    words.push(siteWord(labels.slice(from).join('.')))
  return words
}

/** Replaces dots and hyphens, which would end a word or be parsed as query syntax, with private-use characters, which no host has. */
export function siteWord(host: string): string {
  return `\ue001${host.replace(/[^a-z0-9]/g, (char) => String.fromCharCode(0xe100 + (char.charCodeAt(0) & 0xff)))}`
}

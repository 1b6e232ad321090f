/** Control characters, lone surrogates and direction marks don't belong in a readable name. */
const steering = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/gu
/** Characters with a meaning to some file system. */
const meaningful = /[\\/:*?"<>|%]/g
/** Names that some systems treat as devices. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

const MAX_CHARS = 100

/** A file name that is safe on every system, from any text; it keeps its extension. */
export function fileName(text: string, fallback: string): string {
  const plain = text
    .slice(0, 10 * MAX_CHARS)
    .normalize('NFC')
    .replace(steering, '')
    .replace(meaningful, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ~-]+|[. ]+$/g, '')
  const letters = [...plain]
  const name =
    letters.length <= MAX_CHARS ? plain : [...letters.slice(0, MAX_CHARS - 20), ...letters.slice(-20)].join('')
  if (name === '') return fallback
  return devices.test(name) ? `_${name}` : name
}

/** `Content-Disposition` of a download (RFC 6266), with an ASCII fallback for the name. */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*!]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return ascii === name
    ? `attachment; filename="${ascii}"`
    : `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

const extensions: readonly (readonly [RegExp, string])[] = [
  [/^text\/html/, '.html'],
  [/^application\/xhtml\+xml/, '.xhtml'],
  [/^text\/plain/, '.txt'],
  [/\bjson$/, '.json'],
  [/\bxml$/, '.xml'],
  [/^application\/pdf/, '.pdf'],
  [/^image\/png/, '.png'],
  [/^image\/jpeg/, '.jpg'],
  [/^image\/gif/, '.gif'],
  [/^image\/webp/, '.webp'],
]

/** The file name for a URL: the last part of its path, or its host. */
export function nameOfUrl(url: string, type: string): string {
  const parsed = URL.parse(url)
  const last = parsed?.pathname.split('/').at(-1) ?? ''
  const name = fileName(decoded(last) || (parsed?.hostname ?? ''), 'document')
  if (last !== '' && /\.[a-z0-9]{1,8}$/i.test(name)) return name
  const media = type.slice(0, 200).split(';', 1)[0]!.trim().toLowerCase()
  return name + (extensions.find(([pattern]) => pattern.test(media))?.[1] ?? '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

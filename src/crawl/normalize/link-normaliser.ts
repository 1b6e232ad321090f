import { type ParsedBase, resolve } from '../../core/url/url.ts'
import { createNormaliser, defaultMaxUrlLength, type Normalised, type NormaliserOptions } from './normaliser.ts'
import { createQueryRules, endOfPlainTail, queryOptions } from './query-parameters.ts'

/**
 * Resolves and normalises the links of one page after the other. The result is the same as that of `resolve` followed by
 * `createNormaliser`, but about twice as fast for plain links: what they share with the page is processed once per page,
 * and each link's own characters are read only once.
 */
export type LinkNormaliser = { onPage(base: ParsedBase): (href: string) => Normalised }

const slash = 0x2f
const dot = 0x2e
/** Links with more `../` take the slow path. */
const maxLevels = 8
const maxPrefixes = 1000
const invalid: Normalised = { kind: 'rejected', reason: 'invalid' }

export function createLinkNormaliser(options: NormaliserOptions = {}): LinkNormaliser {
  const normalise = createNormaliser(options)
  const query = createQueryRules(queryOptions(options))
  const maxUrlLength = options.maxUrlLength ?? defaultMaxUrlLength

  /** The key of a URL prefix that ends in a slash; null if normalisation would change the prefix itself. */
  function keyOfBeginning(url: string): string | null {
    const result = normalise(url)
    return result.kind === 'ok' && result.url === url && result.key.endsWith('/') ? result.key : null
  }

  /** Appends the part of `href` after `from` to a prefix whose key is known. */
  function join(head: string, keyHead: string, href: string, from: number): Normalised | null {
    const end = endOfPlainTail(href, from, query)
    if (end < 0 || head.length + end - from > maxUrlLength) return null
    const tail = from === 0 && end === href.length ? href : href.slice(from, end)
    const url = head + tail
    return { kind: 'ok', url, key: keyHead === head ? url : keyHead + tail }
  }

  function sameHost(prefix: string, keyPrefix: string, href: string): Normalised | null {
    const end = endOfPlainTail(href, prefix.length, query)
    if (end < 0 || end > maxUrlLength) return null
    const url = end === href.length ? href : href.slice(0, end)
    return { kind: 'ok', url, key: keyPrefix === prefix ? url : keyPrefix + url.slice(prefix.length) }
  }

  // Keys of `https://host:port`, for hosts met in links. Pages keep linking to the same few hosts.
  const prefixes = new Map<string, string | null>()

  function keyOfPrefix(prefix: string): string | null {
    const known = prefixes.get(prefix)
    if (known !== undefined) return known
    const key = keyOfBeginning(`${prefix}/`)?.slice(0, -1) ?? null
    if (prefixes.size >= maxPrefixes) prefixes.clear()
    prefixes.set(prefix, key)
    return key
  }

  /** An absolute link whose prefix is known to be spelt as the parser spells it. */
  function absolute(href: string): Normalised | null {
    if (!href.startsWith('http')) return null
    const end = href.indexOf('/', 8)
    if (end < 0) return null
    const prefix = href.slice(0, end)
    const keyPrefix = keyOfPrefix(prefix)
    return keyPrefix === null ? null : sameHost(prefix, keyPrefix, href)
  }

  return {
    onPage(base) {
      const { prefix, directory } = base
      // Index names need the whole path, and capitals are common; with those options every link takes the slow path.
      const short = base.plain && options.dropIndexNames !== true && options.lowercasePaths !== true
      const keyPrefix = short ? keyOfPrefix(prefix) : null
      const root = `${prefix}/`
      // The page's folder and its ancestors with their keys, as far up as links have needed them.
      const folders: { url: string; key: string | null }[] = []

      function folder(levelsUp: number): { url: string; key: string | null } {
        while (folders.length <= levelsUp) {
          const below = folders.at(-1)
          const url = below === undefined ? directory : above(below.url, root)
          folders.push({ url, key: url === root && keyPrefix !== null ? `${keyPrefix}/` : keyOfBeginning(url) })
        }
        return folders[levelsUp]!
      }

      function below(levelsUp: number, href: string, from: number): Normalised | null {
        const { url, key } = folder(levelsUp)
        return key === null ? null : join(url, key, href, from)
      }

      /** One or more `../`; what follows must start like a name. */
      function upward(href: string): Normalised | null {
        let levels = 0
        while (levels < maxLevels && href.startsWith('../', levels * 3)) levels++
        return levels > 0 && isLetterOrDigit(href.charCodeAt(levels * 3)) ? below(levels, href, levels * 3) : null
      }

      function shortCut(href: string): Normalised | null {
        const first = href.charCodeAt(0)
        if (first === slash) return keyPrefix === null ? null : join(prefix, keyPrefix, href, 0)
        if (!short) return null
        if (first === dot) return upward(href)
        if (!isLetterOrDigit(first)) return null
        // A colon may end a scheme; a link with one is absolute or takes the slow path.
        return href.includes(':') ? absolute(href) : below(0, href, 0)
      }

      return (href) => {
        const result = shortCut(href)
        if (result !== null) return result
        const url = resolve(href, base)
        return url === null ? invalid : normalise(url)
      }
    },
  }
}

function isLetterOrDigit(c: number): boolean {
  const letter = c | 0x20
  return (letter >= 0x61 && letter <= 0x7a) || (c >= 0x30 && c <= 0x39)
}

/** The parent of a folder; the root is its own parent. */
function above(folder: string, root: string): string {
  return folder === root ? root : folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
}

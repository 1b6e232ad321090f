import { addresses, productToken } from './agent-token.ts'

/** What a page asks of crawlers, by `meta` and by `X-Robots-Tag`. */
export type PageDirectives = { noindex: boolean; nofollow: boolean; noarchive: boolean }

export type PageDirectiveSources = {
  metas: readonly { name: string; content: string }[]
  /** The values of the header, one per field line; comma-joined ones work too. */
  xRobotsTag: readonly string[]
  agent: string
}

const maxValueChars = 4096
/** Directives with a value after a colon, which look like a scope. */
const valued = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview'])
const scope = /^\s*([\p{L}\p{N}_.*-]+)\s*:/u

/** Combines all directives that apply: general ones and those for our agent both count, and the stricter wins. */
export function pageDirectives({ metas, xRobotsTag, agent }: PageDirectiveSources): PageDirectives {
  const directives = { noindex: false, nofollow: false, noarchive: false }
  if (metas.length === 0 && xRobotsTag.length === 0) return directives
  const product = productToken(agent)
  for (const { name, content } of metas) {
    const addressee = name.trim().toLowerCase()
    if (addressee !== 'robots' && !addresses(addressee, product)) continue
    for (const word of content.slice(0, maxValueChars).split(/[\s,;]+/)) apply(directives, word)
  }
  for (const value of xRobotsTag) applyHeader(directives, value.slice(0, maxValueChars), product)
  return directives
}

/**
 * `googlebot: noindex, nofollow`: a scope applies to the directives after it, up to the next scope in the same value. Commas separate
 * directives, but semicolons and spaces are in use too, as in `meta`.
 */
function applyHeader(directives: PageDirectives, value: string, product: string): void {
  let concerned = true
  for (const item of value.split(/[,;]/)) {
    const prefix = scope.exec(item)
    const name = prefix?.[1]?.toLowerCase() ?? ''
    if (valued.has(name)) continue
    if (prefix !== null) concerned = name === '*' || name === 'robots' || addresses(name, product)
    if (concerned) applyWords(directives, item.slice(prefix?.[0].length ?? 0))
  }
}

/** Up to a directive with a value: `noindex max-image-preview: none` isn't `none`. */
function applyWords(directives: PageDirectives, text: string): void {
  for (const word of text.split(/\s+/)) {
    if (word.includes(':')) return
    apply(directives, word)
  }
}

function apply(directives: PageDirectives, word: string): void {
  switch (word.toLowerCase()) {
    case 'none':
      directives.noindex = true
      directives.nofollow = true
      return
    case 'noindex':
      directives.noindex = true
      return
    case 'nofollow':
      directives.nofollow = true
      return
    case 'noarchive':
    case 'nocache':
      directives.noarchive = true
  }
}

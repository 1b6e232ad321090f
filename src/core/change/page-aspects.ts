import type { Aspect } from '../profile.ts'
import { createPageTree, type PageElement, type PageNode } from '../text/page-tree.ts'

/**
 * What a page has besides its text: links to documents, pictures, its description, structured data, and response metadata. Each is a list
 * of named values, so that two versions can be compared value by value.
 */
export type AspectValue = {
  readonly aspect: Exclude<Aspect, 'text' | 'title'>
  /** Its identity in both versions: the text of a link, the name of a header. */
  readonly name: string
  readonly value: string
}

/** Files that people download. */
const documentPath =
  /\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|tsv|epub|mobi|ps|tex|txt|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|img|jar|ics|xml|json|mp3|mp4)$/i
/** Parameters whose values differ on each visit. */
const fleeting =
  /^(?:s|sid|session.*|.*sessid|jsessionid|token|sig.*|expires?|key|t|ts|time|timestamp|rnd|rand|random|r|cb|nocache|_|count|hits|views|ref|utm_.*|fbclid|gclid|msclkid|yclid|igshid|mc_[ce]id|cachebust(?:er)?|bust|cache|nonce|_[a-z]{1,3}|x-amz-.*)$/i
/** Parameters that may name a real version as well; values that are dates, times or hashes don't. */
const versioned = /^(?:v|ver|version|rev|h|hash|mtime|m|d|build|etag)$/i
const cacheValue = /^(?:\d{8,20}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,64})$/i
/** Elements around the main content. */
const around = new Set(['nav', 'header', 'footer', 'aside'])
const maxName = 200
const maxValue = 1000
const maxData = 500

export function readPageAspects(
  source: string,
  url: string,
  wanted: readonly ('links' | 'images' | 'description' | 'data')[],
): AspectValue[] {
  const root = createPageTree(source, false)
  if (root === null) return []
  const values: AspectValue[] = []
  const baseOf = (href: string | undefined): string => (href === undefined ? url : (URL.parse(href, url)?.href ?? url))
  let base = url
  const add = (aspect: AspectValue['aspect'], name: string, value: string): void => {
    if (value !== '') values.push({ aspect, name: flat(name).slice(0, maxName), value: flat(value).slice(0, maxValue) })
  }

  function readElement(element: PageElement, isAround: boolean): void {
    const { name } = element
    const attribute = (key: string): string | undefined =>
      Object.hasOwn(element.attributes, key) ? element.attributes[key] : undefined
    if (name === 'base') base = baseOf(attribute('href'))
    else if (name === 'a' && wanted.includes('links') && !isAround) {
      const target = documentTarget(attribute('href'), attribute('download') !== undefined, base)
      if (target !== null) add('links', textOf(element) || attribute('title') || '', target)
    } else if (name === 'img' && wanted.includes('images') && !isAround) {
      const target = URL.parse(attribute('src') ?? attribute('data-src') ?? '', base)
      if (target !== null && /^https?:$/.test(target.protocol)) add('images', attribute('alt') ?? '', lasting(target))
    } else if (name === 'meta') readMeta(attribute)
    else if (name === 'script' && wanted.includes('data') && /ld\+json/i.test(attribute('type') ?? ''))
      for (const [path, value] of jsonValues(textOf(element))) add('data', path, value)
    const prop = attribute('itemprop')
    if (prop !== undefined && wanted.includes('data'))
      add('data', prop, attribute('content') ?? attribute('datetime') ?? attribute('href') ?? textOf(element))
  }

  function readMeta(attribute: (key: string) => string | undefined): void {
    const key = (attribute('name') ?? attribute('property') ?? '').toLowerCase()
    const content = attribute('content') ?? ''
    if (key === 'description' && wanted.includes('description')) add('description', '', content)
    else if (/^(?:og|product|article|book|twitter):/.test(key) && wanted.includes('data')) add('data', key, content)
  }

  const pending: { node: PageNode; isAround: boolean }[] = [{ node: root, isAround: false }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node } = next
    if (node.kind === 'text') continue
    const isAround = next.isAround || (node.kind === 'element' && around.has(node.name))
    if (node.kind === 'element') readElement(node, isAround)
    for (let at = node.children.length - 1; at >= 0; at--) pending.push({ node: node.children[at]!, isAround })
  }
  return values
}

/** Null for a link to a page, or without a target. */
function documentTarget(href: string | undefined, isDownload: boolean, base: string): string | null {
  const target = href === undefined ? null : URL.parse(href.trim(), base)
  if (target === null || !/^(?:https?|ftp):$/.test(target.protocol)) return null
  return isDownload || documentPath.test(withoutSession(target.pathname)) ? lasting(target) : null
}

/** The URL without the parts that change from visit to visit. */
function lasting(target: URL): string {
  const query = [...target.searchParams].filter(
    ([name, value]) => !fleeting.test(name) && !(versioned.test(name) && cacheValue.test(value)),
  )
  query.sort(([one], [other]) => (one < other ? -1 : 1))
  const rest = new URLSearchParams(query).toString()
  return `${target.origin}${withoutSession(target.pathname)}${rest === '' ? '' : `?${rest}`}`
}

function withoutSession(path: string): string {
  return path.replace(/;[^/]*/g, '')
}

function textOf(element: PageElement): string {
  const parts: string[] = []
  let length = 0
  const pending: PageNode[] = [...element.children].reverse()
  for (let next = pending.pop(); next !== undefined && length < 1_000_000; next = pending.pop()) {
    if (next.kind === 'text') {
      parts.push(next.text)
      length += next.text.length
    } else for (let at = next.children.length - 1; at >= 0; at--) pending.push(next.children[at]!)
  }
  return flat(parts.join(''))
}

/** The values of linked data with their paths, without array positions. */
function jsonValues(text: string): [path: string, value: string][] {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return []
  }
  const found: [string, string][] = []
  const pending: { path: string; value: unknown }[] = [{ path: '', value: document }]
  for (let next = pending.pop(); next !== undefined && found.length < maxData; next = pending.pop()) {
    const { path, value } = next
    if (Array.isArray(value)) for (const each of value.slice(0, maxData).reverse()) pending.push({ path, value: each })
    else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value).slice(0, maxData).reverse())
        if (!key.startsWith('@')) pending.push({ path: path === '' ? key : `${path} › ${key}`, value: each })
    } else if (value !== null && path.length < maxName) found.push([path, String(value)])
  }
  return found
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

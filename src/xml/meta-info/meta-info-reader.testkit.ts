import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createDtdValidator } from '../xml-grammar.ts'
import { unbackslashed } from '../xml-text.ts'
import { createXmlTokens, InvalidXmlError, type XmlError, type XmlToken, type XmlTokens } from '../xml-tokens.ts'
import { type MetaDocument, type MetaVersion, versionTexts } from './meta-info.ts'

/** Reads what `writeMetaInfo` and `writeMetaDocument` write, one document at a time. The validator checks the grammar. */
export async function* readMetaInfo(
  source: XmlSource,
  limits: Partial<ReadLimits> = {},
): AsyncGenerator<MetaDocument, void, undefined> {
  const grammar = { root: 'webrace:metainfo', item: 'webrace:document' }
  const all = { maxItemChars: 256 * 1024 * 1024, maxDepth: 16, ...limits }
  for await (const element of readItems(source, grammar, all)) yield documentOf(element)
}

function documentOf(element: XmlElement): MetaDocument {
  const { attributes, children } = element
  const text = (name: string): string => textOf(element, `webrace:${name}`) ?? ''
  const number = (value: string | null | undefined): number | null => (value == null ? null : Number(value))
  const time = (name: string): number | null => (attributes.has(name) ? Date.parse(attributes.get(name)!) : null)
  return {
    current: number(attributes.get('current')),
    firstSeen: time('first-seen'),
    lastChecked: time('last-checked'),
    status: number(attributes.get('status')),
    url: text('url'),
    ip: text('ip'),
    kbytes: number(textOf(element, 'webrace:kbytes')),
    ifModifiedSince: number(textOf(element, 'webrace:ifmodifiedsince')),
    header: text('header'),
    links: linksOf(element) ?? [],
    parent: text('parent'),
    outcome: text('outcome'),
    location: text('location'),
    versions: children.filter(({ name }) => name === 'webrace:version').map(versionOf),
  }
}

function versionOf(element: XmlElement): MetaVersion {
  const attribute = (name: string): string => element.attributes.get(name)!
  return {
    number: Number(attribute('number')),
    reason: attribute('reason') as MetaVersion['reason'],
    body: attribute('body') as MetaVersion['body'],
    firstSeen: Date.parse(attribute('first-seen')),
    lastSeen: Date.parse(attribute('last-seen')),
    status: Number(attribute('status')),
    bytes: Number(attribute('bytes')),
    ...(Object.fromEntries(versionTexts.map(([name, key]) => [key, textOf(element, name) ?? ''])) as Record<
      (typeof versionTexts)[number][1],
      string
    >),
    header: textOf(element, 'webrace:header'),
    links: linksOf(element),
  }
}

function linksOf({ children }: XmlElement): string[] | null {
  return children.find(({ name }) => name === 'webrace:links')?.children.map(ownText) ?? null
}

function textOf({ children }: XmlElement, name: string): string | null {
  const child = children.find((each) => each.name === name)
  return child === undefined ? null : ownText(child)
}

function ownText({ attributes, text }: XmlElement): string {
  return attributes.get('escaped') === 'yes' ? unbackslashed(text)! : text
}

/** An element with all that is in it. `text` is what stands directly in it. */
export type XmlElement = {
  name: string
  attributes: ReadonlyMap<string, string>
  line: number
  children: XmlElement[]
  text: string
  /** Whether the text is nothing but the white space between its children. */
  isBlank: boolean
}

export type XmlSource = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

export type ReadLimits = {
  /** Characters of one item, markup included. */
  maxItemChars: number
  maxDepth: number
}

export type ItemGrammar = {
  /** What a file of many items begins with. */
  root: string
  /** What stands in it, or alone. */
  item: string
}

/** Items of a file, one in memory at a time. Throws an `InvalidXmlError` at the first thing that is wrong. */
export async function* readItems(
  source: XmlSource,
  grammar: ItemGrammar,
  limits: ReadLimits,
): AsyncGenerator<XmlElement, void, undefined> {
  const { maxItemChars, maxDepth } = limits
  const tokens = createXmlTokens({ maxTokenChars: maxItemChars, maxDepth })
  const builder = createItemBuilder(tokens, grammar, maxItemChars)
  for await (const text of growingTexts(source, () => tokens.left())) {
    if (text === null) tokens.end()
    else tokens.push(text)
    for (let token = tokens.next(); token !== 'more' && token !== null; token = tokens.next()) {
      const item = builder.add(token)
      if (item !== null) yield item
    }
  }
}

function createItemBuilder(tokens: XmlTokens, { root, item }: ItemGrammar, maxItemChars: number) {
  const open: XmlElement[] = []
  let inRoot = false
  let startedAt = 0

  function begin(token: Extract<XmlToken, { kind: 'start' }>): void {
    const { name, attributes, line } = token
    const isOutermost = open.length === 0 && !inRoot
    if (isOutermost && name === root) {
      inRoot = true
      return
    }
    if (open.length === 0) {
      if (name !== item) throw invalidXml(line, `<${name}> where <${item}>${inRoot ? '' : ` or <${root}>`} is expected`)
      startedAt = tokens.used()
    }
    const element: XmlElement = { name, attributes, line, children: [], text: '', isBlank: true }
    open.at(-1)?.children.push(element)
    open.push(element)
  }

  return {
    /** The item that the token completes. */
    add(token: XmlToken): XmlElement | null {
      if (open.length > 0 && tokens.used() - startedAt > maxItemChars)
        throw invalidXml(open[0]!.line, `<${item}> has more than ${maxItemChars} characters`)
      if (token.kind === 'start') begin(token)
      else if (token.kind === 'text') {
        const element = open.at(-1)
        if (element === undefined) {
          if (!token.isBlank) throw invalidXml(token.line, `text in <${root}>`)
          return null
        }
        element.text += token.text
        if (!token.isBlank) element.isBlank = false
      } else {
        const element = open.pop()
        if (element !== undefined && open.length === 0) return element
      }
      return null
    },
  }
}

function invalidXml(line: number, message: string): InvalidXmlError {
  return new InvalidXmlError({ line, message })
}

const minTextChars = 64 * 1024

/** The source as text, in pieces at least as long as what is left over of those before; null at the end. */
async function* growingTexts(source: XmlSource, left: () => number): AsyncGenerator<string | null> {
  let waiting: string[] = []
  let length = 0
  for await (const text of texts(typeof source === 'string' ? [source] : source)) {
    waiting.push(text)
    length += text.length
    if (length < Math.max(minTextChars, left())) continue
    yield waiting.join('')
    waiting = []
    length = 0
  }
  if (length > 0) yield waiting.join('')
  yield null
}

async function* texts(source: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const isUtf8 = (work: () => string): string => {
    try {
      return work()
    } catch {
      throw invalidXml(1, 'the bytes are not UTF-8')
    }
  }
  let half = ''
  for await (const chunk of source) {
    let text = half + (typeof chunk === 'string' ? chunk : isUtf8(() => decoder.decode(chunk, { stream: true })))
    // A pair that was cut in two is no fault of the text.
    half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : ''
    if (half !== '') text = text.slice(0, -1)
    yield text
  }
  yield half + isUtf8(() => decoder.decode())
}

export const metaInfoDtdPath = fileURLToPath(new URL('../meta-info.dtd', import.meta.url))

let validate: ((xml: string | Uint8Array) => XmlError[]) | null = null

/** All that a validator finds wrong with meta-information, with lines; nothing when it follows its document type. */
export function validateMetaInfo(xml: string | Uint8Array): XmlError[] {
  validate ??= createDtdValidator(readFileSync(metaInfoDtdPath, 'utf8'))
  return validate(xml)
}

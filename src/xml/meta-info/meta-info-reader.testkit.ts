import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createDtdValidator } from '../xml-grammar.ts'
import { unbackslashed } from '../xml-text.ts'
import { createXmlTokens, InvalidXmlError, type XmlError, type XmlToken, type XmlTokens } from '../xml-tokens.ts'
import {
  bodyStates,
  type MetaDocument,
  type MetaVersion,
  namespace,
  versionReasons,
  versionTexts,
} from './meta-info.ts'

const limitsOfFiles: ReadLimits = { maxItemChars: 256 * 1024 * 1024, maxDepth: 16 }

/**
 * Reads what `writeMetaInfo` and `writeMetaDocument` write, and whatever else follows the grammar. One document is in memory at a
 * time. Strict: the first thing that is wrong ends the reading with an `InvalidXmlError` that has the line.
 */
export async function* readMetaInfo(
  source: XmlSource,
  limits: Partial<ReadLimits> = {},
): AsyncGenerator<MetaDocument, void, undefined> {
  const grammar = { root: 'webrace:metainfo', item: 'webrace:document', checkRoot }
  for await (const element of readItems(source, grammar, { ...limitsOfFiles, ...limits })) yield documentOf(element)
}

function checkRoot({ name, attributes, line }: Pick<XmlElement, 'name' | 'attributes' | 'line'>): void {
  const uri = attributes.get('xmlns:webrace')
  if (uri !== namespace)
    throw new InvalidXmlError({ line, message: `xmlns:webrace is ${uri ?? 'missing'}, not ${namespace}` })
  if (name !== 'webrace:metainfo') return
  for (const each of attributes.keys())
    if (each !== 'xmlns:webrace') throw new InvalidXmlError({ line, message: `unknown attribute ${each}` })
}

function documentOf(element: XmlElement): MetaDocument {
  const fields = createElementFields(element)
  fields.fixed('xmlns:webrace', namespace)
  const document: MetaDocument = {
    current: fields.optional('current', fields.integer),
    firstSeen: fields.optional('first-seen', fields.time),
    lastChecked: fields.optional('last-checked', fields.time),
    status: fields.optional('status', fields.integer),
    url: fields.text('webrace:url') ?? fields.fail('webrace:url is missing'),
    ip: fields.text('webrace:ip') ?? '',
    kbytes: fields.number('webrace:kbytes'),
    ifModifiedSince: fields.number('webrace:ifmodifiedsince'),
    header: fields.text('webrace:header') ?? '',
    links: linksOf(fields) ?? [],
    parent: fields.text('webrace:parent') ?? '',
    outcome: fields.text('webrace:outcome') ?? '',
    location: fields.text('webrace:location') ?? '',
    versions: fields.all('webrace:version').map(versionOf),
  }
  fields.end()
  return document
}

function versionOf(element: XmlElement): MetaVersion {
  const fields = createElementFields(element)
  const attributes = {
    number: fields.required('number', fields.integer),
    reason: fields.required('reason', fields.oneOf(versionReasons)),
    body: fields.required('body', fields.oneOf(bodyStates)),
    firstSeen: fields.required('first-seen', fields.time),
    lastSeen: fields.required('last-seen', fields.time),
    status: fields.required('status', fields.integer),
    bytes: fields.required('bytes', fields.integer),
  }
  const texts = Object.fromEntries(versionTexts.map(([name, key]) => [key, fields.text(name) ?? '']))
  const header = fields.text('webrace:header')
  const links = linksOf(fields)
  fields.end()
  return { ...attributes, ...(texts as Record<(typeof versionTexts)[number][1], string>), header, links }
}

function linksOf(fields: ElementFields): string[] | null {
  const list = fields.child('webrace:links')
  if (list === null) return null
  const listFields = createElementFields(list)
  const links = listFields.texts('webrace:link')
  listFields.end()
  return links
}

/**
 * Takes an element apart in the order of its grammar: each call takes what may come next, and `end` sees to it that nothing is
 * left over. Every fault has the line it is on.
 */
export type ElementFields = ReturnType<typeof createElementFields>

export function createElementFields(element: XmlElement) {
  const { children, attributes } = element
  const known = new Set<string>()
  let next = 0

  function fail(message: string, line = element.line): never {
    throw new InvalidXmlError({ line, message: `<${element.name}>: ${message}` })
  }

  function attribute<T>(name: string, read: (text: string, name: string) => T): T | null {
    known.add(name)
    const text = attributes.get(name)
    // Values that are one token may stand between blanks.
    return text === undefined ? null : read(text.trim(), name)
  }

  function child(name: string): XmlElement | null {
    return children[next]?.name === name ? children[next++]! : null
  }

  return {
    fail,
    child,
    optional: attribute,
    required: <T>(name: string, read: (text: string, name: string) => T): T =>
      attribute(name, read) ?? fail(`the attribute ${name} is missing`),
    fixed(name: string, value: string): void {
      if ((attribute(name, (text) => text) ?? value) !== value) fail(`${name} is not ${value}`)
    },
    integer(text: string, name: string): number {
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
      return Number.isSafeInteger(value) ? value : fail(`${name} is no whole number: ${shown(text)}`)
    },
    time(text: string, name: string): number {
      const value = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN
      return Number.isNaN(value) ? fail(`${name} is no time: ${shown(text)}`) : value
    },
    oneOf<T extends string>(values: readonly T[]): (text: string, name: string) => T {
      return (text, name) =>
        values.find((value) => value === text) ?? fail(`${name} is none of ${values.join(', ')}: ${shown(text)}`)
    },
    /** The text of the next element, if it has that name. */
    text(name: string): string | null {
      const found = child(name)
      return found === null ? null : textOf(found)
    },
    number(name: string): number | null {
      const found = child(name)
      if (found === null) return null
      const text = textOf(found, false).trim()
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
      return Number.isSafeInteger(value) ? value : fail(`${name} is no whole number: ${shown(text)}`, found.line)
    },
    all(name: string): XmlElement[] {
      const from = next
      while (children[next]?.name === name) next++
      return children.slice(from, next)
    },
    texts(name: string): string[] {
      return this.all(name).map((each) => textOf(each))
    },
    end(): void {
      const rest = children[next]
      if (rest !== undefined) fail(`<${rest.name}> is unknown or stands in the wrong place`, rest.line)
      if (!element.isBlank) fail('there is text between its elements')
      for (const name of attributes.keys()) if (!known.has(name)) fail(`unknown attribute ${name}`)
    },
  }
}

function textOf({ name, line, attributes, children, text }: XmlElement, mayEscape = true): string {
  const fail = (message: string): never => {
    throw new InvalidXmlError({ line, message: `<${name}>: ${message}` })
  }
  if (children.length > 0) fail('there are elements where text is expected')
  for (const [key, value] of attributes) {
    if (key !== 'escaped' || !mayEscape) fail(`unknown attribute ${key}`)
    if (value.trim() !== 'yes') fail(`escaped is not yes: ${shown(value)}`)
  }
  if (attributes.size === 0) return text
  return unbackslashed(text) ?? fail('a backslash that begins no escape')
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60))
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
  /** Throws for a root that is not as it should be. */
  checkRoot(root: Pick<XmlElement, 'name' | 'attributes' | 'line'>): void
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

function createItemBuilder(tokens: XmlTokens, { root, item, checkRoot }: ItemGrammar, maxItemChars: number) {
  const open: XmlElement[] = []
  let inRoot = false
  let startedAt = 0

  function begin(token: Extract<XmlToken, { kind: 'start' }>): void {
    const { name, attributes, line } = token
    const isOutermost = open.length === 0 && !inRoot
    if (isOutermost) checkRoot({ name, attributes, line })
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

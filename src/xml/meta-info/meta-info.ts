import { attributeList, bareTextElement, inChunks, textElement, timeText } from '../xml-writing.ts'

/**
 * Meta-information about documents as XML: WebRACE's file for each document (its Table 3), plus the versions of the document.
 * The grammar, and what each element means, is in `meta-info.dtd`. Times are milliseconds since 1970; an empty text means unknown.
 */
export type MetaDocument<Versions = MetaVersion[]> = {
  url: string
  // Fields of the paper, for the current version.
  ip: string
  kbytes: number | null
  ifModifiedSince: number | null
  /** Lines end with a line feed; one character per octet. */
  header: string
  links: readonly string[]
  // Further fields of the document.
  parent: string
  outcome: string
  location: string
  firstSeen: number | null
  lastChecked: number | null
  status: number | null
  /** Number of the current version. */
  current: number | null
  versions: Versions
}

export const versionReasons = ['new', 'changed', 'links', 'gone', 'back'] as const
export const bodyStates = ['kept', 'dropped', 'lost', 'none'] as const

export type MetaVersion = {
  number: number
  reason: (typeof versionReasons)[number]
  body: (typeof bodyStates)[number]
  firstSeen: number
  lastSeen: number
  status: number
  bytes: number
  ip: string
  type: string
  digest: string
  textDigest: string
  etag: string
  lastModified: string
  truncated: string
  location: string
  title: string
  /** Null if unknown, and for the current version, whose header and links are in the document. */
  header: string | null
  links: readonly string[] | null
}

/** Versions are streamed, as they may not fit into memory. */
export type WritableMetaDocument = MetaDocument<Iterable<MetaVersion> | AsyncIterable<MetaVersion>>

export const namespace = 'urn:erace:webrace'

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
const namespaceAttribute = ` xmlns:webrace="${namespace}"`

/** Writes a file of many documents, with one version in memory at a time. */
export function writeMetaInfo(
  documents: Iterable<WritableMetaDocument> | AsyncIterable<WritableMetaDocument>,
): AsyncGenerator<string, void, undefined> {
  return inChunks(manyDocuments(documents))
}

/** Writes a file of one document, as its root element. */
export function writeMetaDocument(document: WritableMetaDocument): AsyncGenerator<string, void, undefined> {
  return inChunks(oneDocument(document))
}

async function* manyDocuments(documents: Iterable<WritableMetaDocument> | AsyncIterable<WritableMetaDocument>) {
  yield `${declaration}<webrace:metainfo${namespaceAttribute}>\n`
  for await (const document of documents) yield* documentPieces(document, '')
  yield '</webrace:metainfo>\n'
}

async function* oneDocument(document: WritableMetaDocument) {
  yield declaration
  yield* documentPieces(document, namespaceAttribute)
}

async function* documentPieces(document: WritableMetaDocument, rootAttribute: string) {
  yield documentHead(document, rootAttribute)
  for await (const version of document.versions) yield versionText(version)
  yield '</webrace:document>\n'
}

function documentHead(document: WritableMetaDocument, rootAttribute: string): string {
  const { firstSeen, lastChecked, kbytes, ifModifiedSince, header, links } = document
  const attributes = attributeList({
    current: document.current,
    'first-seen': firstSeen === null ? null : timeText(firstSeen),
    'last-checked': lastChecked === null ? null : timeText(lastChecked),
    status: document.status,
  })
  let text = `<webrace:document${rootAttribute}${attributes}>\n  ${bareTextElement('webrace:url', document.url)}\n`
  text += textElement('webrace:ip', document.ip, '  ')
  if (kbytes !== null) text += `  <webrace:kbytes>${kbytes}</webrace:kbytes>\n`
  if (ifModifiedSince !== null) text += `  <webrace:ifmodifiedsince>${ifModifiedSince}</webrace:ifmodifiedsince>\n`
  text += textElement('webrace:header', header, '  ')
  if (links.length > 0) text += linkList(links, '  ')
  text += textElement('webrace:parent', document.parent, '  ')
  text += textElement('webrace:outcome', document.outcome, '  ')
  return text + textElement('webrace:location', document.location, '  ')
}

function versionText(version: MetaVersion): string {
  const attributes = attributeList({
    number: version.number,
    reason: version.reason,
    body: version.body,
    'first-seen': timeText(version.firstSeen),
    'last-seen': timeText(version.lastSeen),
    status: version.status,
    bytes: version.bytes,
  })
  let text = `  <webrace:version${attributes}>\n`
  for (const [name, key] of versionTexts) text += textElement(name, version[key], '    ')
  if (version.header !== null) text += `    ${bareTextElement('webrace:header', version.header)}\n`
  if (version.links !== null) text += linkList(version.links, '    ')
  return `${text}  </webrace:version>\n`
}

/** Texts of a version, omitted if empty, in the order of the grammar. */
export const versionTexts = [
  ['webrace:ip', 'ip'],
  ['webrace:type', 'type'],
  ['webrace:digest', 'digest'],
  ['webrace:textdigest', 'textDigest'],
  ['webrace:etag', 'etag'],
  ['webrace:lastmodified', 'lastModified'],
  ['webrace:truncated', 'truncated'],
  ['webrace:location', 'location'],
  ['webrace:title', 'title'],
] as const

function linkList(links: readonly string[], indent: string): string {
  let text = `${indent}<webrace:links>\n`
  for (const link of links) text += `${indent}  ${bareTextElement('webrace:link', link)}\n`
  return `${text}${indent}</webrace:links>\n`
}

import {
  bodyStates,
  type MetaDocument,
  type MetaVersion,
  namespace,
  versionReasons,
  versionTexts,
} from './meta-info.ts'
import { type ReadLimits, readItems, type XmlElement, type XmlSource } from './xml-elements.ts'
import { InvalidXmlError } from './xml-error.ts'
import { createElementFields, type ElementFields } from './xml-fields.ts'

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

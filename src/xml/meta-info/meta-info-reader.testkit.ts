import { createGrammar } from '../xml-grammar.ts'
import { attributeOf, childOf, childrenOf, textOf, treeLimits, type XmlNode } from '../xml-tree.ts'
import { type MetaDocument, type MetaVersion, versionTexts } from './meta-info.ts'

/** Reads meta-information back, for tests: the product only writes it. */

const grammar = createGrammar({ dtd: './meta-info.dtd', root: 'webrace:metainfo', item: 'webrace:document' })
const limits = { ...treeLimits, maxBytes: 256 * 1024 * 1024, maxElements: 10_000_000 }

export const metaInfoDtdPath = grammar.dtdPath
export const validateMetaInfo = grammar.validate

export function readMetaInfo(xml: string | Uint8Array): MetaDocument[] {
  const { items, errors } = grammar.read(xml, limits)
  if (errors.length > 0) throw new Error(`line ${errors[0]!.line}: ${errors[0]!.message}`)
  return items.map(documentOf)
}

const text = (node: XmlNode, name: string): string => textOf(childOf(node, name)) ?? ''
const numberOf = (value: string | null | undefined): number | null => (value == null ? null : Number(value))
const timeOf = (value: string | undefined): number | null => (value === undefined ? null : Date.parse(value))

function linksOf(node: XmlNode): string[] | null {
  const list = childOf(node, 'webrace:links')
  if (list === undefined) return null
  const links = childrenOf(list).map((link) => textOf(link)!)
  return links.length > 0 ? links : (textOf(list) ?? '').split(/\s+/).filter((line) => line !== '')
}

function documentOf(node: XmlNode): MetaDocument {
  return {
    current: numberOf(attributeOf(node, 'current')),
    firstSeen: timeOf(attributeOf(node, 'first-seen')),
    lastChecked: timeOf(attributeOf(node, 'last-checked')),
    status: numberOf(attributeOf(node, 'status')),
    url: text(node, 'webrace:url'),
    ip: text(node, 'webrace:ip'),
    kbytes: numberOf(textOf(childOf(node, 'webrace:kbytes'))),
    ifModifiedSince: numberOf(textOf(childOf(node, 'webrace:ifmodifiedsince'))),
    header: text(node, 'webrace:header'),
    links: linksOf(node) ?? [],
    parent: text(node, 'webrace:parent'),
    outcome: text(node, 'webrace:outcome'),
    location: text(node, 'webrace:location'),
    versions: childrenOf(node, 'webrace:version').map(versionOf),
  }
}

function versionOf(node: XmlNode): MetaVersion {
  const texts = Object.fromEntries(versionTexts.map(([name, key]) => [key, text(node, name)]))
  return {
    ...(texts as Record<(typeof versionTexts)[number][1], string>),
    number: Number(attributeOf(node, 'number')),
    reason: attributeOf(node, 'reason') as MetaVersion['reason'],
    body: attributeOf(node, 'body') as MetaVersion['body'],
    firstSeen: timeOf(attributeOf(node, 'first-seen'))!,
    lastSeen: timeOf(attributeOf(node, 'last-seen'))!,
    status: Number(attributeOf(node, 'status')),
    bytes: Number(attributeOf(node, 'bytes')),
    header: textOf(childOf(node, 'webrace:header')) ?? null,
    links: linksOf(node),
  }
}

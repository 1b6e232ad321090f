import {
  controlPlain,
  interestsPlain,
  type Note,
  type PlainItem,
  plainItem,
  processWord,
  scopePlain,
  truthOf,
  uriText,
  windowPlain,
} from './profile-parts-reader.ts'
import type { XmlError } from './xml-error.ts'
import { createGrammar } from './xml-grammar.ts'
import { attributeOf, childOf, childrenOf, numberOrText } from './xml-node.ts'
import type { TreeLimits, XmlNode } from './xml-tree.ts'

export const profileGrammar = createGrammar({ dtd: './profile.dtd', root: 'profiles', item: 'profile' })

/** The profiles of a file and all that a validator finds wrong with it. Their values are not checked yet. */
export function readProfiles(
  xml: string | Uint8Array,
  limits?: TreeLimits,
): { profiles: PlainItem[]; errors: XmlError[] } {
  const { items, errors } = profileGrammar.read(xml, limits)
  return { profiles: items.map((node) => plainItem(node, profilePlain)), errors }
}

function profilePlain(node: XmlNode, note?: Note): Record<string, unknown> {
  const data = childOf(node, 'data')
  const control = childOf(node, 'control')
  const frequency = childOf(control, 'frequency')
  note?.('name', node, 'name')
  note?.('owner', node, 'owner')
  note?.('id', node, 'id')
  note?.('sources', data, 'data')
  return {
    name: attributeOf(node, 'name'),
    paused: truthOf(attributeOf(node, 'paused')),
    sources: childrenOf(data, 'source').map((source, index) =>
      sourcePlain(source, frequency, `sources[${index}]`, note),
    ),
    interests: interestsPlain(childOf(node, 'interests'), note),
    ...controlPlain(control, note),
  }
}

/** What a source does not say about its interval stands in `frequency`. */
function sourcePlain(source: XmlNode, frequency: XmlNode | undefined, at: string, note?: Note): unknown {
  const uri = childOf(source, 'uri')
  const timed = attributeOf(source, 'every') === undefined && frequency !== undefined ? frequency : source
  note?.(at, source, 'source')
  note?.(`${at}.uri`, uri, 'uri')
  note?.(`${at}.every`, timed, 'every')
  note?.(`${at}.everyMax`, attributeOf(source, 'max') === undefined ? timed : source, 'max')
  note?.(`${at}.depth`, source, 'depth')
  return {
    uri: uriText(uri),
    arguments: childrenOf(source, 'argument').map((argument, index) => {
      note?.(`${at}.arguments[${index}]`, argument, 'argument')
      return { name: attributeOf(argument, 'name'), value: attributeOf(argument, 'value') }
    }),
    every: attributeOf(timed, 'every'),
    everyMax: attributeOf(source, 'max') ?? attributeOf(timed, 'max'),
    depth: numberOrText(attributeOf(source, 'depth')),
    scope: scopePlain(childOf(source, 'scope'), `${at}.scope`, note),
    process: processWord(attributeOf(source, 'process')),
    window: windowPlain(childOf(source, 'window'), `${at}.window`, note),
  }
}

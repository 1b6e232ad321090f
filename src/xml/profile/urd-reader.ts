import { createGrammar } from '../xml-grammar.ts'
import type { XmlError } from '../xml-tokens.ts'
import { attributeOf, childOf, numberOrText, type TreeLimits, type XmlNode } from '../xml-tree.ts'
import {
  controlPlain,
  interestsPlain,
  type Note,
  type PlainItem,
  partPlain,
  plainItem,
  processWord,
  scopePlain,
  truthOf,
  typePlain,
  uriText,
  windowPlain,
} from './profile-reader.ts'

export const urdGrammar = createGrammar({ dtd: 'urd.dtd', root: 'urds', item: 'urd' })

/** A description in the plain shape of a profile with one source, plus the fields that only a description has. */
export type PlainUrd = PlainItem & {
  readonly profile: string
  readonly protocol: string
  /** A string if it isn't a number; undefined if missing. */
  readonly port: number | string | undefined
  readonly lastCheckedAt: number | string | undefined
}

/** Reads the descriptions of a file, and all errors a validator finds in it. The values are not checked yet. */
export function readUrds(xml: string | Uint8Array, limits?: TreeLimits): { urds: PlainUrd[]; errors: XmlError[] } {
  const { items, errors } = urdGrammar.read(xml, limits)
  return { urds: items.map(plainUrd), errors }
}

function plainUrd(node: XmlNode): PlainUrd {
  const uri = childOf(node, 'uri')
  const type = childOf(node, 'type')
  return {
    ...plainItem(node, urdPlain),
    profile: attributeOf(node, 'profile') ?? '',
    protocol: attributeOf(type, 'protocol')?.trim() ?? '',
    port: numberOrText(attributeOf(uri, 'port')),
    lastCheckedAt: numberOrText(attributeOf(uri, 'lastcheck')),
  }
}

function urdPlain(node: XmlNode, note?: Note): Record<string, unknown> {
  const uri = childOf(node, 'uri')
  const type = childOf(node, 'type')
  const depth = childOf(node, 'depth')
  const at = 'sources[0]'
  note?.('owner', node, 'owner')
  note?.(`${at}.uri`, uri, 'uri')
  note?.(`${at}.every`, uri, 'timing')
  note?.(`${at}.everyMax`, uri, 'maxtiming')
  note?.('port', uri, 'port')
  note?.('lastCheckedAt', uri, 'lastcheck')
  note?.('protocol', type, 'protocol')
  note?.(`${at}.depth`, depth, 'level')
  return {
    paused: truthOf(attributeOf(node, 'paused')),
    sources: [
      {
        uri: uriText(uri),
        every: numberOrText(attributeOf(uri, 'timing')),
        everyMax: numberOrText(attributeOf(uri, 'maxtiming')),
        depth: numberOrText(attributeOf(depth, 'level')),
        scope: scopePlain(childOf(node, 'scope'), `${at}.scope`, note),
        process: processWord(attributeOf(type, 'processtype')),
        ...typePlain(type, at, note),
        // Checked by a rule of its own.
        protocol: undefined,
        window: windowPlain(childOf(node, 'window'), `${at}.window`, note),
        ...partPlain(node, at, note),
      },
    ],
    interests: interestsPlain(node, note),
    ...controlPlain(node, note),
  }
}

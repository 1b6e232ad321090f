import { createGrammar } from '../xml-grammar.ts'
import type { XmlError } from '../xml-tokens.ts'
import {
  attributeOf,
  childOf,
  childrenOf,
  numberOrText,
  type TreeLimits,
  textOf,
  wordOf,
  type XmlNode,
} from '../xml-tree.ts'
import { amounts, matches, methods, processTypes, renders, scopeKinds, truths } from './profile.ts'

export const profileGrammar = createGrammar({ dtd: 'profile.dtd', root: 'profiles', item: 'profile' })

/** Reads the profiles of a file, and all errors a validator finds in it. The values are not checked yet. */
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

/** The interval of a source defaults to that in `frequency`. */
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
    ...typePlain(childOf(source, 'type'), at, note),
    ...partPlain(source, at, note),
  }
}

/** How a source is accessed. */
export function typePlain(node: XmlNode | undefined, at: string, note?: Note): Record<string, unknown> {
  for (const name of ['protocol', 'method', 'render', 'credentials']) note?.(`${at}.${name}`, node, name)
  return {
    protocol: attributeOf(node, 'protocol'),
    method: wordOf(attributeOf(node, 'method'), methods),
    render: wordOf(attributeOf(node, 'render'), renders),
    credentials: attributeOf(node, 'credentials'),
  }
}

/**
 * Readers return profiles in the plain shape of JSON, with values parsed as far as their text allows. So one set of rules
 * checks both; errors name a place in that shape, and `locate` finds it in the file.
 */
export type PlainItem = {
  /** '' if the file has none. */
  readonly id: string
  readonly owner: string
  readonly line: number
  readonly plain: Readonly<Record<string, unknown>>
  locate(place: string): Location
}

/** `name` is what the value is called in the file. */
export type Location = { readonly line: number; readonly name: string }

/** Receives the position of each value. Omitted until there is an error: positions take more memory than the values. */
export type Note = (place: string, node: XmlNode | undefined, name: string) => void

export function plainItem(node: XmlNode, toPlain: (node: XmlNode, note?: Note) => Record<string, unknown>): PlainItem {
  let places: Map<string, Location> | null = null

  function allPlaces(): Map<string, Location> {
    const found = new Map<string, Location>()
    toPlain(node, (place, at, name) => at !== undefined && found.set(place, { line: at.line, name }))
    return found
  }

  return {
    id: attributeOf(node, 'id') ?? '',
    owner: attributeOf(node, 'owner') ?? '',
    line: node.line,
    plain: toPlain(node),
    locate(place) {
      places ??= allPlaces()
      // A value without its own position is reported at its nearest parent.
      for (let at = place; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.'), at.lastIndexOf('[')))) {
        const found = places.get(at)
        if (found !== undefined) return found
      }
      return { line: node.line, name: node.name }
    },
  }
}

/** Null for an invalid escape, which no rule accepts as a text. */
export function uriText(node: XmlNode | undefined): string | null | undefined {
  return textOf(node)?.trim()
}

/** A fixed scope is a plain word, a pattern is an object. */
export function scopePlain(node: XmlNode | undefined, at: string, note?: Note): unknown {
  note?.(at, node, 'scope')
  const kind = wordOf(attributeOf(node, 'kind'), scopeKinds)
  return kind === 'pattern' ? { pattern: textOf(node) } : kind
}

export function windowPlain(node: XmlNode | undefined, at: string, note?: Note): unknown {
  if (node === undefined) return undefined
  note?.(at, node, 'window')
  for (const name of ['zone', 'days', 'from', 'to']) note?.(`${at}.${name}`, node, name)
  const days = attributeOf(node, 'days')?.trim()
  return {
    zone: attributeOf(node, 'zone'),
    days: days === undefined ? undefined : days.split(/\s+/).map((day) => numberOrText(day)),
    from: attributeOf(node, 'from'),
    to: attributeOf(node, 'to'),
  }
}

/** `node` contains selectors, aspects and conditions of a source. */
export function partPlain(node: XmlNode, at: string, note?: Note): Record<string, unknown> {
  const texts = (name: string, field: string) =>
    childrenOf(node, name).map((each, index) => {
      if (index === 0) note?.(`${at}.${field}`, each, name)
      note?.(`${at}.${field}[${index}]`, each, name)
      return textOf(each)
    })
  const aspects = childOf(node, 'aspects')
  note?.(`${at}.aspects`, aspects, 'aspects')
  return {
    select: texts('select', 'select'),
    omit: texts('omit', 'omit'),
    aspects: attributeOf(aspects, 'kinds')?.trim().split(/\s+/),
    conditions: texts('condition', 'conditions'),
  }
}

/** `node` contains the parts of the interests. */
export function interestsPlain(node: XmlNode | undefined, note?: Note): Record<string, unknown> {
  const at = 'interests'
  const keywords = childrenOf(childOf(node, 'keywords'), 'keyword')
  const exclude = childrenOf(node, 'exclude')
  const expression = childOf(node, 'expression')
  const threshold = childOf(node, 'threshold')
  const stemming = childOf(node, 'stemming')
  const scorer = childOf(node, 'scorer')
  const ignore = childrenOf(node, 'ignore')
  const match = childOf(node, 'match')
  note?.(at, node, 'interests')
  note?.(`${at}.keywords`, childOf(node, 'keywords'), 'keywords')
  note?.(`${at}.exclude`, exclude[0], 'exclude')
  note?.(`${at}.expression`, expression, 'expression')
  note?.(`${at}.threshold`, threshold, 'threshold')
  note?.(`${at}.stemming`, stemming, 'stemming')
  note?.(`${at}.scorer`, scorer, 'scorer')
  note?.(`${at}.ignore`, ignore[0], 'ignore')
  note?.(`${at}.match`, match, 'match')
  return {
    keywords: keywords.map((keyword, index) => {
      note?.(`${at}.keywords[${index}]`, keyword, 'keyword')
      note?.(`${at}.keywords[${index}].key`, keyword, 'key')
      note?.(`${at}.keywords[${index}].weight`, keyword, 'weight')
      return { key: attributeOf(keyword, 'key'), weight: numberOrText(attributeOf(keyword, 'weight')) }
    }),
    exclude: exclude.map((each, index) => {
      note?.(`${at}.exclude[${index}]`, each, 'exclude')
      return attributeOf(each, 'key')
    }),
    expression: textOf(expression),
    threshold: numberOrText(attributeOf(threshold, 'relevance')),
    stemming: attributeOf(stemming, 'language'),
    scorer: attributeOf(scorer, 'name'),
    ignore: ignore.map((each, index) => {
      note?.(`${at}.ignore[${index}]`, each, 'ignore')
      return textOf(each)
    }),
    match: wordOf(attributeOf(match, 'on'), matches),
  }
}

/** `node` contains amount, urgency and delivery. */
export function controlPlain(node: XmlNode | undefined, note?: Note): Record<string, unknown> {
  const urgency = childOf(node, 'urgency')
  const amount = childOf(node, 'amount')
  const delivery = childOf(node, 'delivery')
  note?.('urgency', urgency, 'urgent')
  note?.('amount', amount, 'size')
  note?.('delivery', delivery, 'delivery')
  note?.('delivery.cadence', delivery, 'cadence')
  note?.('delivery.perHour', delivery, 'perhour')
  note?.('delivery.urgentFrom', delivery, 'urgentfrom')
  return {
    urgency: numberOrText(attributeOf(urgency, 'urgent')),
    amount: wordOf(attributeOf(amount, 'size'), amounts),
    delivery: delivery && {
      cadence: attributeOf(delivery, 'cadence'),
      channels: childrenOf(delivery, 'channel').map((channel, index) => {
        note?.(`delivery.channels[${index}]`, channel, 'channel')
        return attributeOf(channel, 'name')
      }),
      perHour: numberOrText(attributeOf(delivery, 'perhour')),
      urgentFrom: numberOrText(attributeOf(delivery, 'urgentfrom')),
      quiet: quietPlain(childOf(delivery, 'quiet'), note),
      escalation: escalationPlain(childOf(delivery, 'escalation'), note),
    },
  }
}

function quietPlain(node: XmlNode | undefined, note?: Note): Record<string, unknown> | undefined {
  for (const name of ['zone', 'from', 'to']) note?.(`delivery.quiet.${name}`, node, name)
  return node && { zone: attributeOf(node, 'zone'), from: attributeOf(node, 'from'), to: attributeOf(node, 'to') }
}

function escalationPlain(node: XmlNode | undefined, note?: Note): Record<string, unknown> | undefined {
  for (const name of ['channel', 'after', 'urgency']) note?.(`delivery.escalation.${name}`, node, name)
  return (
    node && {
      channel: attributeOf(node, 'channel'),
      after: attributeOf(node, 'after'),
      urgency: numberOrText(attributeOf(node, 'urgency')),
    }
  )
}

export function processWord(text: string | undefined): string | undefined {
  return wordOf(text, processTypes)
}

export function truthOf(text: string | undefined): boolean | undefined {
  const word = wordOf(text, truths)
  return word === undefined ? undefined : word === 'true'
}

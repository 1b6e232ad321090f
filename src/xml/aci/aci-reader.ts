import { createGrammar } from '../xml-grammar.ts'
import { unbackslashed } from '../xml-text.ts'
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
import {
  type Aci,
  type AciChange,
  type AciChanges,
  type AciExplanation,
  type AciPlace,
  type AciSummary,
  aciKinds,
  changeKindNames,
  pieceKindNames,
  targetNames,
} from './aci.ts'

export const aciGrammar = createGrammar({ dtd: 'aci.dtd', root: 'acis', item: 'aci' })

/** Returns a file's annotations and all its errors. Use the annotations only if there are no errors. */
export function readAcis(xml: string | Uint8Array, limits?: TreeLimits): { acis: Aci[]; errors: XmlError[] } {
  const { items, errors } = readAciItems(xml, limits)
  return { acis: items.map(({ aci }) => aci), errors }
}

/** Same, with the line of each annotation. */
export function readAciItems(
  xml: string | Uint8Array,
  limits?: TreeLimits,
): { items: { aci: Aci; line: number }[]; errors: XmlError[] } {
  const { items, errors } = aciGrammar.read(xml, limits)
  const values = createXmlValues()
  const read = items.map((node) => ({ aci: aciOf(node, values), line: node.line }))
  return { items: read, errors: [...errors, ...values.errors].sort((a, b) => a.line - b.line) }
}

function aciOf(node: XmlNode, values: XmlValues): Aci {
  const expired = childOf(node, 'expired')
  const explanation = childOf(node, 'explanation')
  return {
    owner: attributeOf(node, 'owner') ?? '',
    extension: attributeOf(node, 'extension') ?? '',
    format: attributeOf(node, 'format') ?? '',
    relevance: values.number(node, 'relevance'),
    updatedAt: values.count(node, 'updatetime'),
    bytes: values.count(node, 'filesize'),
    uri: values.text(childOf(node, 'uri')).trim(),
    urgency: values.number(childOf(node, 'urgency'), 'urgent'),
    docbase: values.text(childOf(node, 'docbase')),
    isExpired: values.truth(expired, 'expir'),
    expiresAt: attributeOf(expired, 'time') === undefined ? null : values.count(expired, 'time'),
    summary: summaryOf(childOf(node, 'summary'), values),
    id: attributeOf(node, 'id') ?? '',
    profile: attributeOf(node, 'profile') ?? '',
    document: attributeOf(node, 'document') ?? '',
    version: attributeOf(node, 'version') ?? '',
    kind: wordOf(attributeOf(node, 'kind'), aciKinds) ?? 'new',
    isBacklog: values.truth(node, 'backlog'),
    title: values.text(childOf(node, 'title')),
    alsoAt: childrenOf(node, 'alsoat').map((each) => values.text(each).trim()),
    explanation: explanation === undefined ? null : explanationOf(explanation, values),
    changes: changesOf(childOf(node, 'changes'), values),
    entry: attributeOf(node, 'entry') ?? '',
    link: attributeOf(node, 'link') ?? '',
    channel: attributeOf(node, 'channel') ?? '',
  }
}

function summaryOf(node: XmlNode | undefined, values: XmlValues): AciSummary {
  const marks: [number, number][] = []
  let text = ''
  const isEscaped = attributeOf(node, 'escaped') === 'yes'
  for (const each of node?.content ?? []) {
    const bare = typeof each === 'string' ? each : (textOf(each) ?? '')
    const plain = isEscaped ? unbackslashed(bare) : bare
    if (plain === null) values.addError(node, 'a backslash that starts no escape')
    else if (plain !== '') {
      if (typeof each !== 'string') marks.push([text.length, text.length + plain.length])
      text += plain
    }
  }
  return { text, marks }
}

function explanationOf(node: XmlNode, values: XmlValues): AciExplanation {
  const expression = childOf(node, 'expression')
  return {
    threshold: values.number(node, 'threshold'),
    scorer: attributeOf(node, 'scorer') ?? '',
    terms: childrenOf(node, 'term').map((term) => ({
      key: attributeOf(term, 'key') ?? '',
      weight: values.number(term, 'weight'),
      worth: values.number(term, attributeOf(term, 'worth') === undefined ? 'weight' : 'worth'),
      count: values.count(term, 'count'),
      inTitle: values.count(term, 'intitle'),
      places: placesOf(term, values),
    })),
    further: { terms: values.count(node, 'furtherterms'), worth: values.number(node, 'furtherworth') },
    missing: values.count(node, 'missing'),
    exclusions: childrenOf(node, 'excluded').map((each) => attributeOf(each, 'key') ?? ''),
    expression: expression === undefined ? null : expressionOf(expression, values),
  }
}

function changesOf(node: XmlNode | undefined, values: XmlValues): AciChanges {
  if (node === undefined) return { list: [], more: 0 }
  return {
    list: childrenOf(node, 'change').map((change) => changeOf(change, values)),
    more: values.count(node, 'more'),
  }
}

function changeOf(node: XmlNode, values: XmlValues): AciChange {
  const textOfChild = (name: 'title' | 'before' | 'after') => {
    const child = childOf(node, name)
    return child === undefined ? {} : { [name]: values.text(child) }
  }
  const link = attributeOf(node, 'link')
  const pieces = node.content.flatMap((each) => {
    const kind = typeof each === 'string' ? undefined : wordOf(each.name, pieceKindNames)
    return typeof each === 'string' || kind === undefined ? [] : [{ kind, text: values.text(each) }]
  })
  return {
    kind: wordOf(attributeOf(node, 'kind'), changeKindNames) ?? 'changed',
    path: values.text(childOf(node, 'path')),
    ...textOfChild('title'),
    ...textOfChild('before'),
    ...textOfChild('after'),
    ...(pieces.length === 0 ? {} : { pieces }),
    ...(link === undefined ? {} : { link }),
  }
}

function expressionOf(node: XmlNode, values: XmlValues): AciExplanation['expression'] {
  const parts = childrenOf(node, 'part').map((part) => ({
    text: attributeOf(part, 'text') ?? '',
    isThere: values.truth(part, 'there'),
    isNegated: values.truth(part, 'negated'),
    count: values.count(part, 'count'),
    places: placesOf(part, values),
  }))
  return { source: attributeOf(node, 'source') ?? '', parts }
}

function placesOf(node: XmlNode, values: XmlValues): AciPlace[] {
  return childrenOf(node, 'place').map((place) => {
    const start = values.count(place, 'start')
    const end = values.count(place, 'end')
    if (end < start) values.addError(place, 'ends before it starts')
    const change = attributeOf(place, 'change') === undefined ? {} : { change: values.count(place, 'change') }
    return { where: wordOf(attributeOf(place, 'where'), targetNames) ?? 'body', ...change, start, end }
  })
}

const maxErrors = 100

/** Reads values and collects all errors. Missing values are 0, false or ''. */
type XmlValues = {
  readonly errors: readonly XmlError[]
  addError(node: XmlNode | undefined, message: string): void
  number(node: XmlNode | undefined, name: string): number
  /** A non-negative integer. */
  count(node: XmlNode | undefined, name: string): number
  truth(node: XmlNode | undefined, name: string): boolean
  text(node: XmlNode | undefined): string
}

function createXmlValues(): XmlValues {
  const errors: XmlError[] = []

  function addError(node: XmlNode | undefined, message: string): void {
    if (errors.length < maxErrors) errors.push({ line: node?.line ?? 1, message: `<${node?.name}>: ${message}` })
  }

  function read(node: XmlNode | undefined, name: string, expected: string, isRight: (value: number) => boolean) {
    const text = attributeOf(node, name)
    if (text === undefined) return 0
    const value = numberOrText(text)
    if (typeof value === 'number' && isRight(value)) return value
    addError(node, `${name}: expected ${expected}, not ${JSON.stringify(text.slice(0, 60))}`)
    return 0
  }

  return {
    errors,
    addError,
    number: (node, name) => read(node, name, 'a number', Number.isFinite),
    count: (node, name) =>
      read(node, name, 'a non-negative whole number', (value) => Number.isSafeInteger(value) && value >= 0),
    truth: (node, name) => attributeOf(node, name)?.trim() === 'true',
    text(node) {
      const text = textOf(node)
      if (text === null) addError(node, 'a backslash that starts no escape')
      return text ?? ''
    },
  }
}

import { backslashed, canBeXml, escapeText } from '../xml-text.ts'
import { attributes, bareTextElement, declaration, textElement, writeItems } from '../xml-writing.ts'

/** An annotation as XML, as in the papers. The grammar, and what each element means, is in `aci.dtd`. Times are milliseconds since 1970. */
export type Aci = {
  readonly owner: string
  readonly extension: string
  readonly format: string
  readonly relevance: number
  readonly updatedAt: number
  readonly bytes: number
  readonly uri: string
  readonly urgency: number
  /** Location of the cached content. */
  readonly docbase: string
  readonly isExpired: boolean
  /** Null for never. */
  readonly expiresAt: number | null
  readonly summary: AciSummary
  /** Names are '' if unknown. */
  readonly id: string
  readonly profile: string
  readonly document: string
  readonly version: string
  readonly kind: (typeof aciKinds)[number]
  readonly isBacklog: boolean
  readonly title: string
  readonly alsoAt: readonly string[]
  readonly explanation: AciExplanation | null
  readonly changes: AciChanges
  /** For a feed: id and link of the entry, and the title of the feed; '' for everything else. */
  readonly entry: string
  readonly link: string
  readonly channel: string
}

export const changeKindNames = ['added', 'removed', 'changed', 'moved'] as const
export const pieceKindNames = ['same', 'removed', 'added'] as const

export type AciChanges = { readonly list: readonly AciChange[]; readonly more: number }

export type AciChange = {
  readonly kind: (typeof changeKindNames)[number]
  readonly path: string
  readonly before?: string
  readonly after?: string
  readonly pieces?: readonly { readonly kind: (typeof pieceKindNames)[number]; readonly text: string }[]
  readonly title?: string
  readonly link?: string
}

export const aciKinds = ['new', 'changed', 'gone', 'back'] as const
export const targetNames = ['title', 'body', 'change', 'path'] as const

/** `marks` are non-empty, non-overlapping ranges of the text, in order. */
export type AciSummary = { readonly text: string; readonly marks: readonly (readonly [from: number, to: number])[] }

export type AciExplanation = {
  readonly threshold: number
  readonly scorer: string
  readonly terms: readonly AciTerm[]
  readonly further: { readonly terms: number; readonly worth: number }
  readonly missing: number
  readonly exclusions: readonly string[]
  readonly expression: { readonly source: string; readonly parts: readonly AciPart[] } | null
}

export type AciTerm = {
  readonly key: string
  readonly weight: number
  readonly worth: number
  readonly count: number
  readonly inTitle: number
  readonly places: readonly AciPlace[]
}

export type AciPart = {
  readonly text: string
  readonly isThere: boolean
  readonly isNegated: boolean
  readonly count: number
  readonly places: readonly AciPlace[]
}

/** `change` identifies the change, for a place in its new text or its path. */
export type AciPlace = {
  readonly where: (typeof targetNames)[number]
  readonly change?: number
  readonly start: number
  readonly end: number
}

/** Writes a file of many annotations, one in memory at a time. */
export function writeAcis(acis: Iterable<Aci> | AsyncIterable<Aci>): AsyncGenerator<string, void, undefined> {
  return writeItems('acis', acis, aciElement)
}

/** Writes a file of one annotation, as its root element. */
export function writeAci(aci: Aci): string {
  return declaration + aciElement(aci)
}

/** The element alone, for a file of several. */
export function aciElement(aci: Aci): string {
  const list = attributes({
    owner: aci.owner,
    extension: aci.extension,
    format: aci.format,
    relevance: aci.relevance,
    updatetime: aci.updatedAt,
    filesize: aci.bytes,
    id: aci.id || null,
    profile: aci.profile || null,
    document: aci.document || null,
    version: aci.version || null,
    kind: aci.kind === 'new' ? null : aci.kind,
    backlog: aci.isBacklog || null,
    entry: aci.entry || null,
    link: aci.link || null,
    channel: aci.channel || null,
  })
  let text = `<aci${list}>\n  ${bareTextElement('uri', aci.uri)}\n  <urgency${attributes({ urgent: aci.urgency })}/>\n`
  text += `  ${bareTextElement('docbase', aci.docbase)}\n`
  text += `  <expired${attributes({ expir: aci.isExpired, time: aci.expiresAt })}/>\n`
  text += `  ${summaryElement(aci.summary)}\n${textElement('title', aci.title, '  ')}`
  for (const uri of aci.alsoAt) text += `  ${bareTextElement('alsoat', uri)}\n`
  if (aci.explanation !== null) text += explanationElement(aci.explanation)
  if (aci.changes.list.length > 0) text += changesElement(aci.changes)
  return `${text}</aci>\n`
}

/** A mark may split a surrogate pair. XML can't hold the halves, so each piece is checked, and escaped if need be. */
function summaryElement({ text, marks }: AciSummary): string {
  const pieces: { text: string; isHit: boolean }[] = []
  let end = 0
  for (const [from, to] of marks) {
    pieces.push({ text: text.slice(end, from), isHit: false }, { text: text.slice(from, to), isHit: true })
    end = to
  }
  pieces.push({ text: text.slice(end), isHit: false })
  const isSound = pieces.every((piece) => canBeXml(piece.text))
  let inner = ''
  for (const piece of pieces) {
    const written = escapeText(isSound ? piece.text : backslashed(piece.text))
    inner += piece.isHit ? `<hit>${written}</hit>` : written
  }
  if (inner === '') return '<summary/>'
  return `<summary${isSound ? '' : ' escaped="yes"'}>${inner}</summary>`
}

function explanationElement({ threshold, scorer, terms, further, missing, exclusions, expression }: AciExplanation) {
  const list = attributes({
    scorer,
    threshold,
    missing,
    furtherterms: further.terms || null,
    furtherworth: further.worth || null,
  })
  let text = `  <explanation${list}>\n`
  for (const { key, weight, count, worth, inTitle, places } of terms)
    text += placedElement('term', attributes({ key, weight, count, worth, intitle: inTitle }), places, '    ')
  for (const key of exclusions) text += `    <excluded${attributes({ key })}/>\n`
  if (expression !== null) {
    text += `    <expression${attributes({ source: expression.source })}>\n`
    for (const { text: words, isThere, isNegated, count, places } of expression.parts) {
      const part = attributes({ text: words, there: isThere, negated: isNegated, count })
      text += placedElement('part', part, places, '      ')
    }
    text += '    </expression>\n'
  }
  return `${text}  </explanation>\n`
}

function changesElement({ list, more }: AciChanges): string {
  let text = `  <changes${attributes({ more: more || null })}>\n`
  for (const { kind, path, title, link, before, after, pieces } of list) {
    text += `    <change${attributes({ kind, link: link ?? null })}>\n`
    text += `      ${bareTextElement('path', path)}\n`
    if (title !== undefined) text += `      ${bareTextElement('title', title)}\n`
    if (before !== undefined) text += `      ${bareTextElement('before', before)}\n`
    if (after !== undefined) text += `      ${bareTextElement('after', after)}\n`
    for (const piece of pieces ?? []) text += `      ${bareTextElement(piece.kind, piece.text)}\n`
    text += '    </change>\n'
  }
  return `${text}  </changes>\n`
}

function placedElement(name: string, list: string, places: readonly AciPlace[], indent: string): string {
  if (places.length === 0) return `${indent}<${name}${list}/>\n`
  let text = `${indent}<${name}${list}>`
  for (const { where, change = null, start, end } of places)
    text += `<place${attributes({ where, change, start, end })}/>`
  return `${text}</${name}>\n`
}

import { attributes, bareTextElement, declaration, writeItems } from '../xml-writing.ts'
import {
  accessAttributes,
  amountElement,
  deliveryElement,
  interestElements,
  keywordsElement,
  partElements,
  scopeElement,
  type WrittenAmount,
  type WrittenDelivery,
  type WrittenInterests,
  type WrittenSource,
  windowElement,
} from './profile.ts'

/** A unified resource description as XML, as in the papers. The grammar, and what each element means, is in `urd.dtd`. */
export type WrittenUrd = {
  /** Omitted if ''; so are owner and profile. */
  readonly id: string
  readonly owner: string
  readonly profile: string
  readonly paused: boolean
  readonly source: WrittenSource
  readonly interests: WrittenInterests
  readonly urgency: number
  readonly amount: WrittenAmount
  readonly delivery: WrittenDelivery
  readonly protocol: string
  /** Null for a protocol that has none. */
  readonly port: number | null
  /** Milliseconds since 1970; 0 for never. */
  readonly lastCheckedAt: number
}

/** Writes a file of many descriptions, one in memory at a time. */
export function writeUrds(
  urds: Iterable<WrittenUrd> | AsyncIterable<WrittenUrd>,
): AsyncGenerator<string, void, undefined> {
  return writeItems('urds', urds, urdElement)
}

/** Writes a file of one description, as its root element. */
export function writeUrd(urd: WrittenUrd): string {
  return declaration + urdElement(urd)
}

export function urdElement(urd: WrittenUrd): string {
  const { id, owner, profile, paused, source, interests } = urd
  const { everyMs, everyMaxMs, process } = source
  const names = { id: id || null, owner: owner || null, profile: profile || null, paused: paused || null }
  const timing = attributes({
    timing: everyMs,
    maxtiming: everyMaxMs === everyMs ? null : everyMaxMs,
    lastcheck: urd.lastCheckedAt,
    port: urd.port,
  })
  const type = attributes({
    ...{ protocol: urd.protocol, method: source.method, processtype: process },
    ...accessAttributes(source),
  })
  let text = `<urd${attributes(names)}>\n  ${bareTextElement('uri', source.template || source.uri).replace('<uri', () => `<uri${timing}`)}\n`
  text += `  <type${type}/>\n${keywordsElement(interests, '  ')}`
  text += `  <depth${attributes({ level: source.depth })}/>\n  <urgency${attributes({ urgent: urd.urgency })}/>\n`
  text += scopeElement(source.scope, '  ') + windowElement(source.window, '  ')
  text += partElements(source, '  ') + interestElements(interests, '  ')
  return `${text}${amountElement(urd.amount, '  ')}${deliveryElement(urd.delivery, '  ')}</urd>\n`
}

import { minuteText, plainLine, shortened } from '../../core/text/plain-text.ts'
import { DECK_BYTES, type WmlPost, wmlCard, wmlDo, wmlLink, wmlPost, wmlText } from '../../xml/wml.ts'

/**
 * WML 1.1 decks for devices with a few lines of text. Such a device takes about 1,400 bytes: a list ends when its deck is
 * full and links to the rest, and an annotation comes in parts.
 */
export type WmlListItem = { id: number; title: string; url: string; source: string; read: boolean; link: string }

export type WmlList = {
  title: string
  items: readonly WmlListItem[]
  /** The link to the rest after an item, or after all of them; null at the end. */
  nextAfter(item: WmlListItem): string
  next: string | null
  /** The start page, if there is one. */
  home?: string
}

/** An action on an annotation. */
export type WmlMark = WmlPost & { label: string }

export type WmlAnnotation = {
  title: string
  url: string
  source: string
  at: number
  kind: string
  profileName: string
  summary: string
  links: { list: string; original: string; newer: string | null; older: string | null }
  /** The link to a part of this annotation. */
  partLink(part: number): string
  /** Actions shown on its last part. */
  marks?: readonly WmlMark[]
}

const TITLE_CHARS = 40
const ITEM_TITLE_CHARS = 80
/** A part gets at least this much, even if URLs take up all the space. */
const MIN_PART_BYTES = 200
const MAX_ADDRESS_BYTES = 300

/** As many items as fit, at least one; `shown` is their number. */
export function wmlList({ title, items, nextAfter, next, home }: WmlList): { deck: string; shown: number } {
  const rows = items.map(
    ({ title: words, url, source, read, link }) =>
      `<p>${read ? '' : '* '}<a href="${wmlText(link)}">${shown(words || url, TITLE_CHARS)}</a><br/>` +
      `<small>${shown(source, TITLE_CHARS)}</small></p>\n`,
  )
  const deckOf = (count: number): string => {
    const on = count < items.length ? nextAfter(items[count - 1]!) : next
    const body = count === 0 ? '<p>Nothing here.</p>\n' : rows.slice(0, count).join('')
    const more = on === null ? '' : wmlLink('More', on)
    return card(
      'list',
      title,
      (on === null ? '' : wmlDo('More', on)) + body + more + (home === undefined ? '' : wmlLink('Home', home)),
    )
  }
  let count = rows.length
  let deck = deckOf(count)
  while (count > 1 && Buffer.byteLength(deck) > DECK_BYTES) deck = deckOf(--count)
  return { deck, shown: count }
}

/** One part of an annotation; numbers past the end give the last part. */
export function wmlAnnotation(annotation: WmlAnnotation, wanted: number): string {
  const { title, url, source, at, kind, profileName, links, partLink, marks = [] } = annotation
  const facts = [source, kind, minuteText(at), profileName].filter((each) => each !== '')
  const deckOf = (part: number, text: string, isLast: boolean): string => {
    const next = isLast ? null : partLink(part + 1)
    const top =
      part > 1
        ? ''
        : `<p><b>${shown(title || url, ITEM_TITLE_CHARS)}</b><br/><small>${facts.map((fact) => shown(fact, TITLE_CHARS)).join(', ')}</small></p>\n`
    const marking = marks.map((mark) => `<anchor>${mark.label}${wmlPost(mark)}</anchor>`)
    const ways = [
      isLast && marking.length > 0 ? `<p>${marking.join('<br/>')}</p>\n` : '',
      next === null ? '' : wmlLink('More', next),
      part > 1 ? wmlLink('Back', partLink(part - 1)) : '',
      links.newer === null ? '' : wmlLink('Previous', links.newer),
      links.older === null ? '' : wmlLink('Next', links.older),
      // A URL may be longer than a deck.
      isLast && bytesOf(wmlText(links.original)) <= MAX_ADDRESS_BYTES ? wmlLink('Original', links.original) : '',
      wmlLink('Inbox', links.list),
    ]
    const keys = wmlDo(next === null ? 'Inbox' : 'More', next ?? links.list)
    return card('item', title || url, `${keys}${top}${text === '' ? '' : `<p>${text}</p>\n`}${ways.join('')}`)
  }
  const room = (part: number): number =>
    Math.max(
      MIN_PART_BYTES,
      DECK_BYTES - Math.max(bytesOf(deckOf(part, '', false)), bytesOf(deckOf(part, '', true))) - 10,
    )
  const [first, further] = [room(1), room(2)]
  const parts = inParts(plainLine(annotation.summary), (part) => (part === 1 ? first : further))
  const part = Math.min(wanted, parts.length)
  return deckOf(part, parts[part - 1]!, part === parts.length)
}

/** Escaped parts that fit into the available bytes, cut between words if possible. */
function inParts(text: string, roomOf: (part: number) => number): string[] {
  const parts: string[] = []
  let part = ''
  let bytes = 0
  const close = (): void => {
    parts.push(part.trim())
    part = ''
    bytes = 0
  }
  for (const word of text.split(/(?<= )/)) {
    const escaped = wmlText(word)
    const size = bytesOf(escaped)
    if (bytes > 0 && bytes + size > roomOf(parts.length + 1)) close()
    if (size <= roomOf(parts.length + 1)) {
      part += escaped
      bytes += size
      continue
    }
    for (const character of word) {
      const piece = wmlText(character)
      const width = bytesOf(piece)
      if (bytes + width > roomOf(parts.length + 1)) close()
      part += piece
      bytes += width
    }
  }
  if (part !== '' || parts.length === 0) close()
  return parts
}

function card(id: string, title: string, inner: string): string {
  return wmlCard(id, shown(title, TITLE_CHARS / 2), inner)
}

/** Escapes and shortens a text to at most three bytes per character of `maxChars`, escapes included. */
export function shown(text: string, maxChars: number): string {
  for (let chars = maxChars; ; chars = Math.ceil(chars / 2)) {
    const short = wmlText(shortened(text, chars))
    if (bytesOf(short) <= maxChars * 3 || chars === 1) return short
  }
}

const bytesOf = (text: string): number => Buffer.byteLength(text)

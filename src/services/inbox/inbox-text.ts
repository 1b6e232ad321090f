import { minuteText, plainLine, wrapText } from '../../core/text/plain-text.ts'

/** An annotation in a digest. */
export type DigestItem = {
  id: number
  title: string
  url: string
  source: string
  at: number
  kind: string
  urgency: number
  profileName: string
  read: boolean
  starred: boolean
  summary: string
  alsoAt: readonly string[]
  /** Link to the annotation. */
  link: string
}

export type Digest = { title: string; items: readonly DigestItem[]; next: string | null }

const COLUMNS = 72
const INDENT = '   '
const MAX_ALSO_AT = 5

/** Plain text for any display. No line exceeds 72 columns, except URLs, which must not be broken. */
export function digestText({ title, items, next }: Digest): string {
  const head = plainLine(title)
  const parts = [`${head}\n${'='.repeat(Math.min(COLUMNS, head.length))}\n`]
  if (items.length === 0) parts.push('Nothing here.\n')
  for (const item of items) parts.push(itemText(item))
  if (next !== null) parts.push(`More:\n${next}\n`)
  return parts.join('\n')
}

export function itemText(item: DigestItem): string {
  const { title, url, source, at, kind, urgency, profileName, read, starred, summary, alsoAt, link } = item
  const facts = [
    plainLine(source),
    kind,
    minuteText(at),
    plainLine(profileName),
    urgency === 1 ? '' : `urgency ${urgency}`,
    read ? '' : 'unread',
    starred ? 'starred' : '',
  ].filter((fact) => fact !== '')
  const lines = [
    ...wrapText(`* ${plainLine(title) || plainLine(url)}`, { columns: COLUMNS, further: '  ' }),
    ...wrapText(facts.join(', '), { columns: COLUMNS, first: INDENT, further: INDENT }),
    ...wrapText(plainLine(summary), { columns: COLUMNS, first: INDENT, further: INDENT }),
    INDENT + plainLine(url),
    ...alsoAt.slice(0, MAX_ALSO_AT).map((each) => INDENT + plainLine(each)),
    ...(alsoAt.length > MAX_ALSO_AT ? [`${INDENT}and at ${alsoAt.length - MAX_ALSO_AT} more`] : []),
    INDENT + link,
  ]
  return `${lines.join('\n')}\n`
}

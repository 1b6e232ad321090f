import type { LinePart } from '../../core/change/change-line.ts'
import { beginning } from '../../core/change/shown-text.ts'
import { escapeHtml } from '../../core/html/escape.ts'
import { zoneClock } from '../../core/time/zone-offset.ts'
import { changeText, isTurned, markedPart, partsOf } from './change-words.ts'
import { screenStyles, styles } from './html-styles.ts'
import { lineOf } from './lines.ts'
import {
  byProfile,
  countText,
  itemLine,
  kindOf,
  type Message,
  type MessageItem,
  moreText,
  nameOf,
  onlyItem,
  othersOf,
  reasonText,
  type Shown,
  type ShownChange,
  shownOf,
  subjectOf,
  summaryLine,
  waysOf,
} from './message.ts'

/**
 * A page for mail programs: styles are inline, since many drop style sheets; the one in the head only fits them to
 * small and dark screens. Nothing is loaded from anywhere. Text from pages is escaped, and only http addresses become links.
 */
export function messageHtml(message: Message): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(subjectOf(message))}</title><style>${screenStyles}</style></head>
<body class="page" style="${styles.page}"><div style="${styles.preview}">${escapeHtml(previewText(message))}</div>
${outlookOpen}<div style="${styles.column}">
<p class="brand" style="${styles.brand}">eRACE</p>
${bodyHtml(message)}
${footHtml(message)}
</div>${outlookClose}</body></html>
`
}

/** Outlook on Windows supports only the widths of tables. Other programs see comments. */
const outlookOpen = '<!--[if mso]><table role="presentation" width="600" align="center"><tr><td><![endif]-->'
const outlookClose = '<!--[if mso]></td></tr></table><![endif]-->'

const MAX_PREVIEW = 200

/** Preview that mail programs list after the subject, which already has the most important part of a single change. */
function previewText(message: Message): string {
  const item = onlyItem(message)
  if (item === null) return beginning(message.items.map((each) => itemLine(each)).join(' · '), MAX_PREVIEW)
  const changes = item.changes.slice(0, 5).map(changeText).join(' · ')
  return beginning(item.kind === 'changed' && changes !== '' ? changes : summaryLine(item), MAX_PREVIEW)
}

function bodyHtml(message: Message): string {
  const { kind, items, leftOut, amount, at } = message
  if (kind === 'test') return card(`<p style="${styles.line}">This is a test. Messages of eRACE will arrive here.</p>`)
  if (kind === 'single')
    return items.map((item) => card(titleHtml(item, 'h1') + itemHtml(item, { amount, form: 'alone' }))).join('\n')
  const groups = byProfile(items).map(({ profile, items: own }) => {
    const rows = own.map((item, i) => {
      const inner = titleHtml(item, 'h3') + itemHtml(item, { amount, form: 'listed' })
      return i === 0 ? inner : `<div class="next" style="${styles.next}">${inner}</div>`
    })
    return `<h2 style="${styles.group}" dir="auto">${text(profile)}</h2>\n${card(rows.join('\n'))}`
  })
  const head = `<div style="${styles.top}"><h1 style="${styles.heading}">${countText(items.length + leftOut)}</h1><p class="soft" style="${styles.soft}">${timeText(at, items[0]?.zone ?? 'UTC', 'withYear')}</p></div>`
  return [head, ...groups, restHtml(message)].join('\n')
}

function restHtml({ leftOut, links }: Message): string {
  if (leftOut === 0) return ''
  return `<p style="${styles.rest}">${button(links.inbox, `See ${leftOut} more in your inbox`, 'main')}</p>`
}

function footHtml(message: Message): string {
  const { links } = message
  const reason = reasonText(message)
  const ways = [
    link(links.inbox, 'Inbox'),
    link(links.settings, 'Settings'),
    ...(links.unsubscribe === null ? [] : [link(links.unsubscribe, 'Unsubscribe')]),
  ]
  return `<p class="soft" style="${styles.foot}">${reason === '' ? '' : `${escapeHtml(reason)}<br>`}${ways.join(' · ')}</p>`
}

const card = (inner: string): string => `<div class="card" style="${styles.card}">${inner}</div>`

function titleHtml(item: MessageItem, element: 'h1' | 'h3'): string {
  const style = element === 'h1' ? styles.heading : styles.title
  return `<${element} style="${style}" dir="auto">${link(item.url, nameOf(item), styles.titleLink)}</${element}>\n`
}

/** Alone in a mail, one of several, or in a feed, which has no footer with the reason. */
type ItemForm = { amount: Message['amount']; form: 'alone' | 'listed' | 'feed' }

/** The content of an item below its title. */
export function itemHtml(item: MessageItem, { amount, form }: ItemForm): string {
  const { kind, summary, parts } = item
  const shown = shownOf(item, amount)
  const pill = `<span class="${kind}" style="${styles.pill}${styles[kind]}">${kindOf(item)}</span>`
  const line =
    parts.length > 0 ? parts.map((part) => partHtml(part)).join('') : `<span dir="auto">${text(summary)}</span>`
  return [
    `<p class="soft" style="${styles.soft}">${pill} ${factsHtml(item, form)}</p>`,
    shown.isInLine && summary !== '' ? `<p style="${styles.line}">${line}</p>` : '',
    changesHtml(item, shown, form),
    wholeHtml(shown.text),
    alsoHtml(item),
    waysHtml(item, form),
  ]
    .filter((each) => each !== '')
    .join('\n')
}

function factsHtml({ source, at, zone, profile }: MessageItem, form: ItemForm['form']): string {
  // A mail doesn't need the year.
  const time = timeText(at, zone, form === 'feed' ? 'withYear' : 'short').replaceAll(' ', '&nbsp;')
  const facts = [text(source), time, form === 'feed' ? text(profile) : '']
  return facts.filter((fact) => fact !== '').join(' · ')
}

/** The changes, each below the heading it is under on the page. */
function changesHtml({ links }: MessageItem, { changes, more }: Shown, form: ItemForm['form']): string {
  const rows = changes.map((change, i) => {
    const isNew = change.path !== '' && change.path !== changes[i - 1]?.path
    const head = isNew ? `<p class="soft" style="${styles.path}" dir="auto">${text(change.path)}</p>` : ''
    return head + changeHtml(change, form === 'alone' && isShort(change))
  })
  if (more > 0) rows.push(`<p class="soft" style="${styles.soft}">${link(links.change, moreText(more))}</p>`)
  return rows.join('\n')
}

const MAX_SHORT = 40

/** A price, a number, a word or two, without text around them. */
function isShort({ kind, before = '', after = '' }: ShownChange): boolean {
  return kind === 'changed' && before.length + after.length <= MAX_SHORT
}

function changeHtml(change: ShownChange, isLarge: boolean): string {
  const isTurnedText = isTurned(change)
  const words = partsOf(change).map((part) => partHtml(part, isTurnedText))
  const style = styles.row + styles[`${change.kind}Row`] + (isLarge ? styles.large : '')
  return `<p class="row ${change.kind}-row" style="${style}"${isTurnedText ? ' dir="rtl"' : ''}>${words.join('')}</p>`
}

/** In right-to-left text, the arrow is reversed. */
function partHtml(part: LinePart, isTurnedText = false): string {
  return markedPart(part, (words) => {
    const inner = escapeHtml(words)
    if (part.kind === 'added') return `<ins style="${styles.added}">${inner}</ins>`
    if (part.kind === 'removed') return `<del style="${styles.removed}">${inner}</del>`
    return isTurnedText && part.kind === 'sign' ? inner.replace('→', '←') : inner
  })
}

function wholeHtml(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const paragraphs = lines.map((line) => `<p style="${styles.text}" dir="auto">${text(line)}</p>`)
  return `<p class="soft" style="${styles.path}">Full text</p><div class="whole" style="${styles.whole}">${paragraphs.join('')}</div>`
}

function alsoHtml(item: MessageItem): string {
  const { shown, more } = othersOf(item)
  if (shown.length === 0) return ''
  const links = shown.map(({ label, address }) => link(address, label)).join(', ')
  return `<p class="soft" style="${styles.soft}">Also at ${links}${more === 0 ? '' : ` and ${more} more`}</p>`
}

function waysHtml(item: MessageItem, form: ItemForm['form']): string {
  const ways = waysOf(item)
  if (form !== 'alone')
    return `<p style="${styles.ways}">${ways.map(({ label, address }) => link(address, label)).join(' · ')}</p>`
  const buttons = ways.map(({ label, address }, i) => button(address, label, i === 0 ? 'main' : 'other'))
  return `<p style="${styles.ways}">${buttons.join(' ')}</p>`
}

const minute = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' } as const
const times = {
  short: new Intl.DateTimeFormat('en-GB', minute),
  withYear: new Intl.DateTimeFormat('en-GB', { ...minute, year: 'numeric' }),
}

function timeText(at: number, zone: string, form: keyof typeof times = 'short'): string {
  const { offsetAt, nameAt } = zoneClock(zone)
  return `${times[form].format(at + offsetAt(at))} ${nameAt(at)}`
}

function text(words: string): string {
  return escapeHtml(lineOf(words))
}

function button(address: string, words: string, kind: 'main' | 'other'): string {
  return link(address, words, styles.button + styles[kind], ` class="${kind}"`)
}

const MAX_ADDRESS = 2000

function link(address: string, words: string, style: string = styles.link, more = ''): string {
  if (!/^https?:\/\//i.test(address) || address.length > MAX_ADDRESS) return text(words)
  return `<a href="${escapeHtml(address.toWellFormed())}" style="${style}"${more}>${text(words)}</a>`
}

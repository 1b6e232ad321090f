import type { LinePart } from '../../core/change/change-line.ts'
import { escapeHtml } from '../../core/html/escape.ts'
import { minuteText } from '../../core/text/plain-text.ts'
import {
  byProfile,
  kindOf,
  leftOutText,
  lineOf,
  type Message,
  type MessageItem,
  nameOf,
  pieceOf,
  type ShownChange,
  subjectOf,
  textLines,
} from './message.ts'

/**
 * A page for mail programs: styles are inline, since many drop style sheets; the one in the head only darkens the colours where the
 * reader's screen is dark. Nothing is loaded from anywhere. All that comes from pages is escaped, and only http addresses become links.
 */
export function messageHtml(message: Message): string {
  const { items, links, kind } = message
  const body =
    kind === 'test'
      ? card(`<p style="${styles.line}">This is a test. Messages of eRACE will arrive here.</p>`)
      : byProfile(items)
          .map(({ profile, items: own }) => {
            const head = kind === 'digest' ? `<h2 style="${styles.group}">${text(profile)}</h2>` : ''
            return head + own.map((item) => card(titleHtml(item) + itemHtml(item, formOf(message)))).join('\n')
          })
          .join('\n')
  const rest = leftOutText(message)
  const foot = [
    rest === '' ? '' : `<p style="${styles.rest}">… ${link(links.inbox, rest)}</p>`,
    `<p class="soft" style="${styles.foot}">${link(links.inbox, 'Inbox')} · ${link(links.settings, 'Settings')}${
      links.unsubscribe === null ? '' : ` · ${link(links.unsubscribe, 'Unsubscribe')}`
    }</p>`,
  ]
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${text(subjectOf(message))}</title><style>${darkStyles}</style></head>
<body class="page" style="${styles.page}"><div style="${styles.column}">
${body}
${foot.join('')}
</div></body></html>
`
}

const styles = {
  page: 'margin:0;padding:16px;background:#f1f3f6;color:#1c2230;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif',
  column: 'max-width:600px;margin:0 auto;overflow-wrap:anywhere',
  card: 'background:#ffffff;border:1px solid #dde1e8;border-radius:8px;padding:16px 20px;margin:0 0 12px',
  group: 'font-size:16px;line-height:1.3;margin:24px 4px 8px',
  title: 'font-size:18px;line-height:1.3;margin:0 0 4px',
  soft: 'color:#5b6475;font-size:14px;margin:4px 0',
  line: 'margin:8px 0',
  text: 'margin:8px 0;padding-left:12px;border-left:3px solid #dde1e8',
  added: 'background:#d7f5dd;color:#0b3d17;text-decoration:none;padding:0 2px;border-radius:3px',
  removed: 'background:#ffe0e0;color:#5c1a1a;padding:0 2px;border-radius:3px',
  ways: 'font-size:14px;margin:12px 0 0',
  rest: 'margin:16px 4px',
  foot: 'color:#5b6475;font-size:13px;margin:16px 4px',
  link: 'color:#1a56c4',
}

/** Over the inline ones, in mail programs that know dark screens. */
const darkStyles =
  '@media (prefers-color-scheme:dark){.page{background:#14161b!important;color:#e4e7ee!important}.card{background:#1e2128!important;border-color:#343a46!important}' +
  '.soft{color:#a3abba!important}.text{border-color:#343a46!important}a{color:#8ab4ff!important}ins{background:#17452a!important;color:#c5f2d2!important}del{background:#5a2328!important;color:#ffd0d0!important}}'

type ItemForm = { amount: Message['amount']; showsProfile: boolean }

const formOf = ({ amount, kind }: Message): ItemForm => ({ amount, showsProfile: kind !== 'digest' })

const card = (inner: string): string => `<div class="card" style="${styles.card}">${inner}</div>`

function titleHtml(item: MessageItem): string {
  return `<h3 style="${styles.title}">${link(item.url, nameOf(item))}</h3>\n`
}

/** What there is to say of an item below its title. */
export function itemHtml(item: MessageItem, { amount, showsProfile }: ItemForm): string {
  const { source, at, profile, summary, parts, changes, moreChanges, alsoAt, links } = item
  const facts = [kindOf(item), source, minuteText(at), showsProfile ? profile : ''].filter((fact) => fact !== '')
  const line = parts.length > 0 ? parts.map(partHtml).join('') : text(summary)
  const showsChanges = amount !== 'summary' && changes.length > 0
  const others = alsoAt.slice(0, 5).map((other) => link(other, other))
  return [
    `<p class="soft" style="${styles.soft}">${text(facts.join(' · '))}</p>`,
    showsChanges ? changesHtml(changes, moreChanges) : `<p style="${styles.line}">${line}</p>`,
    amount === 'full'
      ? textLines(item)
          .map((each) => `<p class="text" style="${styles.text}">${text(each)}</p>`)
          .join('')
      : '',
    others.length === 0 ? '' : `<p class="soft" style="${styles.soft}">Also at ${others.join(', ')}</p>`,
    `<p style="${styles.ways}">${link(links.change, 'What changed')} · ${link(links.cached, 'Saved copy')} · ${link(links.open, 'Open in the inbox')}</p>`,
  ].join('\n')
}

function changesHtml(changes: readonly ShownChange[], more: number): string {
  let path = ''
  const rows = changes.map((change) => {
    const isNew = change.path !== path && change.path !== ''
    const head = isNew ? `<p class="soft" style="${styles.soft}">${text(change.path)}</p>` : ''
    path = change.path
    return `${head}<p style="${styles.line}">${changeHtml(change)}</p>`
  })
  if (more > 0)
    rows.push(`<p class="soft" style="${styles.soft}">and ${more} more ${more === 1 ? 'change' : 'changes'}</p>`)
  return rows.join('')
}

function changeHtml({ kind, before, after, pieces }: ShownChange): string {
  if (kind === 'changed' && pieces !== undefined) return pieces.map((piece) => partHtml(piece)).join('')
  if (kind === 'changed') return `${removed(before ?? '')} → ${added(after ?? '')}`
  if (kind === 'added') return added(after ?? '')
  return kind === 'removed' ? removed(before ?? '') : `moved: ${text(after ?? before ?? '')}`
}

function partHtml({ kind, text: words }: LinePart): string {
  const piece = pieceOf(words)
  if ((kind !== 'added' && kind !== 'removed') || piece.trim() === '') return escapeHtml(piece)
  const before = piece.startsWith(' ') ? ' ' : ''
  // What went and what came must not run together.
  const after = piece.endsWith(' ') || kind === 'removed' ? ' ' : ''
  return before + (kind === 'added' ? added(piece) : removed(piece)) + after
}

const added = (words: string): string => `<ins style="${styles.added}">${text(words)}</ins>`
const removed = (words: string): string => `<del style="${styles.removed}">${text(words)}</del>`

function text(words: string): string {
  return escapeHtml(lineOf(words))
}

const MAX_ADDRESS = 2000

export function link(address: string, words: string): string {
  if (!/^https?:\/\//i.test(address) || address.length > MAX_ADDRESS) return text(words)
  return `<a href="${escapeHtml(address.toWellFormed())}" style="${styles.link}">${text(words)}</a>`
}

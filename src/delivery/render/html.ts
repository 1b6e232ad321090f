import type { LinePart } from '../../core/change/change-line.ts'
import { escapeHtml } from '../../core/html/escape.ts'
import { minuteText, plainLine } from '../../core/text/plain-text.ts'
import { byProfile, kindOf, leftOutText, type Message, type MessageItem, nameOf, type ShownChange } from './message.ts'

/**
 * A page for mail programs: styles are inline, since many drop style sheets, and nothing is loaded from anywhere. All that comes from
 * pages is escaped, and only http addresses become links.
 */
export function messageHtml(message: Message): string {
  const { items, links, kind } = message
  const body =
    kind === 'test'
      ? '<p>This is a test. Messages of eRACE will arrive here.</p>'
      : byProfile(items)
          .map(({ profile, items: own }) => {
            const head = kind === 'digest' ? `<h2 style="${styles.group}">${text(profile)}</h2>` : ''
            return head + own.map((item) => itemHtml(item, message)).join('\n')
          })
          .join('\n')
  const rest = leftOutText(message)
  const foot = [
    rest === '' ? '' : `<p>… ${link(links.inbox, rest)}</p>`,
    `<p style="${styles.soft}">${link(links.inbox, 'Inbox')} · ${link(links.settings, 'Settings')}${
      links.unsubscribe === null ? '' : ` · ${link(links.unsubscribe, 'Unsubscribe')}`
    }</p>`,
  ]
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>
<body style="${styles.page}">
${body}
<hr style="${styles.rule}">
${foot.join('')}
</body></html>
`
}

const styles = {
  page: 'font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:0 auto;padding:1em;overflow-wrap:anywhere',
  group: 'font-size:1.1em;margin:1.5em 0 .5em',
  title: 'font-size:1.05em;margin:1em 0 0',
  soft: 'color:#667;font-size:.875em;margin:.25em 0',
  line: 'margin:.5em 0',
  added: 'background:#d7f5dd;color:#0b3d17;text-decoration:none',
  removed: 'background:#ffe0e0;color:#5c1a1a',
  rule: 'border:0;border-top:1px solid #ccd;margin:2em 0 1em',
}

function itemHtml(item: MessageItem, { amount, kind }: Message): string {
  const { url, source, at, profile, summary, parts, changes, moreChanges, alsoAt, links } = item
  const facts = [kindOf(item), source, minuteText(at), kind === 'digest' ? '' : profile].filter((fact) => fact !== '')
  const line = parts.length > 0 ? parts.map(partHtml).join('') : text(summary)
  const showsChanges = amount !== 'summary' && changes.length > 0
  const others = alsoAt.slice(0, 5).map((other) => link(other, other))
  return [
    `<h3 style="${styles.title}">${link(url, nameOf(item))}</h3>`,
    `<p style="${styles.soft}">${text(facts.join(' · '))}</p>`,
    showsChanges ? changesHtml(changes, moreChanges) : `<p style="${styles.line}">${line}</p>`,
    amount === 'full' && item.text !== ''
      ? item.text
          .split('\n')
          .map((each) => `<p>${text(each)}</p>`)
          .join('')
      : '',
    others.length === 0 ? '' : `<p style="${styles.soft}">Also at ${others.join(', ')}</p>`,
    `<p style="${styles.soft}">${link(links.change, 'What changed')} · ${link(links.cached, 'Saved copy')} · ${link(links.open, 'Open in the inbox')}</p>`,
  ].join('\n')
}

function changesHtml(changes: readonly ShownChange[], more: number): string {
  let path = ''
  const rows = changes.map((change) => {
    const head = change.path !== path && change.path !== '' ? `<p style="${styles.soft}">${text(change.path)}</p>` : ''
    path = change.path
    return `${head}<p style="${styles.line}">${changeHtml(change)}</p>`
  })
  if (more > 0) rows.push(`<p style="${styles.soft}">and ${more} more ${more === 1 ? 'change' : 'changes'}</p>`)
  return rows.join('')
}

function changeHtml({ kind, before, after, pieces }: ShownChange): string {
  if (kind === 'changed' && pieces !== undefined) return pieces.map((piece) => partHtml(piece)).join('')
  if (kind === 'changed') return `${removed(before ?? '')} → ${added(after ?? '')}`
  if (kind === 'added') return added(after ?? '')
  return kind === 'removed' ? removed(before ?? '') : `moved: ${text(after ?? before ?? '')}`
}

function partHtml({ kind, text: words }: LinePart): string {
  if (kind === 'added') return added(words)
  return kind === 'removed' ? removed(words) : text(words)
}

const added = (words: string): string => `<ins style="${styles.added}">${text(words)}</ins>`
const removed = (words: string): string => `<del style="${styles.removed}">${text(words)}</del>`

function text(words: string): string {
  return escapeHtml(plainLine(words))
}

function link(address: string, words: string): string {
  return /^https?:\/\//i.test(address) ? `<a href="${escapeHtml(address)}">${text(words)}</a>` : text(words)
}

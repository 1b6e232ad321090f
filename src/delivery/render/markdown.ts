import { minuteText, plainLine } from '../../core/text/plain-text.ts'
import { byProfile, kindOf, leftOutText, type Message, type MessageItem, nameOf, type ShownChange } from './message.ts'

/** Markdown as chats understand it: bold, struck through, links and lists. What comes from pages marks nothing up. */
export function messageMarkdown(message: Message): string {
  const { kind, items, links } = message
  if (kind === 'test')
    return `This is a test. Messages of eRACE will arrive here. [Settings](${address(links.settings)})\n`
  const parts = byProfile(items).map(({ profile, items: own }) => {
    const texts = own.map((item) => itemMarkdown(item, message))
    return kind === 'digest' ? `**${escaped(profile)}**\n\n${texts.join('\n')}` : texts.join('\n')
  })
  const rest = leftOutText(message)
  return `${parts.join('\n')}${rest === '' ? '' : `\n[${rest}](${address(links.inbox)})\n`}`
}

function itemMarkdown(item: MessageItem, { amount }: Message): string {
  const { url, source, at, summary, parts, changes, moreChanges, links } = item
  const line =
    parts.length > 0
      ? parts.map(({ kind, text }) => (kind === 'removed' ? struck(text) : escaped(text, false))).join('')
      : escaped(summary)
  const shown = amount === 'summary' || changes.length === 0 ? [line] : changes.map(changeMarkdown)
  const more = amount !== 'summary' && moreChanges > 0 ? [`and ${moreChanges} more`] : []
  return [
    `**[${escaped(nameOf(item))}](${address(url)})** (${kindOf(item)}, ${escaped(source)}, ${minuteText(at)})`,
    ...[...shown, ...more].map((each) => `- ${each}`),
    `[What changed](${address(links.change)}) · [Saved copy](${address(links.cached)})`,
    '',
  ].join('\n')
}

function changeMarkdown({ kind, path, before, after }: ShownChange): string {
  const place = path === '' ? '' : `_${escaped(path)}_: `
  switch (kind) {
    case 'added':
      return `${place}**+** ${escaped(after ?? '')}`
    case 'removed':
      return place + struck(before ?? '')
    case 'moved':
      return `${place}moved: ${escaped(after ?? before ?? '')}`
    case 'changed':
      return `${place}${struck(before ?? '')} → ${escaped(after ?? '')}`
  }
}

/** Spaces at the ends would end the marks. */
function struck(text: string): string {
  const line = plainLine(text)
  return line === '' ? '' : `~~${escaped(line)}~~`
}

function escaped(text: string, trims = true): string {
  const line = trims ? plainLine(text) : text.replace(/[\r\n]+/g, ' ')
  return line.replace(/[\\`*_{}[\]()#+!|~<>&-]/g, '\\$&').replace(/@/g, '@\u200b')
}

/** Parentheses and spaces would end the link. */
function address(url: string): string {
  if (!/^https?:\/\//i.test(url)) return '#'
  return url.replace(/[\s()<>\\]/g, (sign) => encodeURIComponent(sign).replace('(', '%28').replace(')', '%29'))
}

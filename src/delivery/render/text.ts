import { minuteText, wrapText } from '../../core/text/plain-text.ts'
import {
  byProfile,
  changeText,
  kindOf,
  leftOutText,
  lineOf,
  type Message,
  type MessageItem,
  nameOf,
  textLines,
} from './message.ts'

const COLUMNS = 72
const INDENT = '  '

/** Plain text, as for mail: no line is longer than 72 columns, but for addresses, which must not be broken. */
export function messageText(message: Message): string {
  const { kind, items, links } = message
  if (kind === 'test') return testText(message)
  const parts = byProfile(items).map(({ profile, items: own }) => {
    const texts = own.map((item) => itemText(item, message))
    return kind === 'digest' ? `${headline(profile)}${texts.join('\n')}` : texts.join('\n')
  })
  const rest = leftOutText(message)
  const foot = [
    ...(rest === '' ? [] : [`… ${rest}: ${links.inbox}`]),
    `Settings: ${links.settings}`,
    ...(links.unsubscribe === null ? [] : [`Unsubscribe: ${links.unsubscribe}`]),
  ]
  return `${parts.join('\n')}\n-- \n${foot.join('\n')}\n`
}

function testText({ links }: Message): string {
  return `This is a test. Messages of eRACE will arrive here.\n\n-- \nSettings: ${links.settings}\n`
}

function headline(profile: string): string {
  const name = lineOf(profile)
  return `${name}\n${'='.repeat(Math.min(COLUMNS, [...name].length))}\n\n`
}

function itemText(item: MessageItem, { amount, kind }: Message): string {
  const { summary, changes, moreChanges, text, url, at, source, profile, alsoAt, links } = item
  const wrapped = (line: string, first = INDENT, further = first): string[] =>
    wrapText(lineOf(line), { columns: COLUMNS, first, further })
  const facts = [kindOf(item), lineOf(source), minuteText(at), kind === 'digest' ? '' : lineOf(profile)]
  const lines = [
    ...wrapText(nameOf(item), { columns: COLUMNS }),
    ...wrapped(facts.filter((fact) => fact !== '').join(', ')),
    ...(amount === 'summary' || changes.length === 0 ? wrapped(summary) : []),
  ]
  if (amount !== 'summary') {
    let path = ''
    for (const change of changes) {
      if (change.path !== path && change.path !== '') lines.push(...wrapped(`[${change.path}]`))
      path = change.path
      lines.push(...wrapped(changeText(change), INDENT, `${INDENT}  `))
    }
    if (moreChanges > 0) lines.push(`${INDENT}… and ${moreChanges} more ${moreChanges === 1 ? 'change' : 'changes'}`)
  }
  if (amount === 'full' && text !== '') lines.push('', ...textLines(item).flatMap((line) => wrapped(line, '')), '')
  lines.push(`${INDENT}${lineOf(url)}`)
  for (const other of alsoAt.slice(0, 5)) lines.push(`${INDENT}also at ${lineOf(other)}`)
  lines.push(`${INDENT}What changed: ${links.change}`, `${INDENT}Saved copy:   ${links.cached}`)
  return `${lines.join('\n')}\n`
}

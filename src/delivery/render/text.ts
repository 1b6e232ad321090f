import { columnsOf, minuteText, wrapText } from '../../core/text/plain-text.ts'
import { changeText } from './change-words.ts'
import { lineOf } from './lines.ts'
import {
  byProfile,
  kindOf,
  leftOutText,
  type Message,
  type MessageItem,
  moreText,
  nameOf,
  othersOf,
  reasonText,
  type Shown,
  shownOf,
  summaryLine,
  waysOf,
} from './message.ts'

const COLUMNS = 72
const INDENT = '  '

/** Plain text for mail: no line is longer than 72 columns, except URLs, which must not be broken. */
export function messageText(message: Message): string {
  const { kind, items, links } = message
  if (kind === 'test') return testText(message)
  const parts = byProfile(items).map(({ profile, items: own }) => {
    const texts = own.map((item) => itemText(item, message))
    return kind === 'digest' ? `${headline(profile)}${texts.join('\n')}` : texts.join('\n')
  })
  const rest = leftOutText(message)
  const foot = [
    ...wrapText(reasonText(message), { columns: COLUMNS }),
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
  return name === '' ? '' : `${name}\n${'='.repeat(Math.min(COLUMNS, columnsOf(name)))}\n\n`
}

function itemText(item: MessageItem, { amount }: Message): string {
  const { at, source, url, zone } = item
  const shown = shownOf(item, amount)
  const facts = [kindOf(item), lineOf(source), minuteText(at, zone)].filter((fact) => fact !== '').join(', ')
  const lines = [
    ...wrapText(nameOf(item), { columns: COLUMNS }),
    ...indented(facts),
    '',
    ...(shown.isInLine ? indented(summaryLine(item)) : changeLines(shown)),
    '',
    // Indented, so that nothing on a page passes for our own words.
    ...shown.text.flatMap((line) => [...indented(line, INDENT + INDENT), '']),
    INDENT + lineOf(url),
    ...alsoLines(item),
    ...waysOf(item).map(({ label, address }) => `${INDENT}${label}: ${address}`),
  ]
  return `${lines.filter((line, i) => line !== '' || lines[i - 1] !== '').join('\n')}\n`
}

function indented(line: string, first = INDENT, further = first): string[] {
  return wrapText(line, { columns: COLUMNS, first, further })
}

/** The changes, each below the heading it is under on the page. */
function changeLines({ changes, more }: Shown): string[] {
  const lines: string[] = []
  let path = ''
  for (const change of changes) {
    if (change.path !== path) lines.push('', ...indented(lineOf(change.path)))
    path = change.path
    const indent = path === '' ? INDENT : INDENT + INDENT
    lines.push(...indented(changeText(change), indent, indent + INDENT))
  }
  if (more > 0) lines.push(`${INDENT}… ${moreText(more)}`)
  return lines
}

function alsoLines(item: MessageItem): string[] {
  const { shown, more } = othersOf(item)
  const lines = shown.map(({ address }) => `${INDENT}also at ${lineOf(address)}`)
  return more === 0 ? lines : [...lines, `${INDENT}and at ${more} more`]
}

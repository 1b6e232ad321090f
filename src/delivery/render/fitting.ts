import { cutTo, oneLine } from './lines.ts'
import { MAX_TEXT, type Message, type MessageItem, type ShownChange } from './message.ts'

/** Fits messages into memory, however large a page is, and into the limits of a service. */

const MAX_LINE = 2000
const MAX_NAME = 300
const MAX_BRIEF = 300
const MAX_SUMMARY = 5000
const MAX_CHANGE = 10_000
const MAX_CHANGES = 200
const MAX_ALSO_AT = 20

/** The message with all texts and lists cut to their limits. Agents only get bounded messages. */
export function bounded(message: Message): Message {
  return { ...message, items: message.items.map(boundedItem) }
}

function boundedItem(item: MessageItem): MessageItem {
  const { title, url, source, profile, summary, parts, changes, moreChanges, text, alsoAt } = item
  return {
    ...item,
    title: cutTo(title, MAX_LINE),
    url: url.length <= MAX_LINE ? url : '',
    source: cutTo(source, MAX_NAME),
    profile: cutTo(profile, MAX_NAME),
    summary: cutTo(summary, MAX_SUMMARY),
    parts: summary.length <= MAX_SUMMARY ? parts : [],
    changes: changes.slice(0, MAX_CHANGES).map(boundedChange),
    moreChanges: moreChanges + Math.max(0, changes.length - MAX_CHANGES),
    text: cutTo(text, MAX_TEXT),
    alsoAt: alsoAt.filter((other) => other.length <= MAX_LINE).slice(0, MAX_ALSO_AT),
  }
}

function boundedChange({ kind, path, before, after, pieces }: ShownChange): ShownChange {
  const isShort = (before?.length ?? 0) <= MAX_CHANGE && (after?.length ?? 0) <= MAX_CHANGE
  return {
    ...{ kind, path: cutTo(path, MAX_LINE) },
    ...(before !== undefined && { before: cutTo(before, MAX_CHANGE) }),
    ...(after !== undefined && { after: cutTo(after, MAX_CHANGE) }),
    ...(pieces !== undefined && isShort && { pieces }),
  }
}

const amounts = ['full', 'change', 'summary'] as const

/**
 * Shortens a message until it fits: first less of each item, then fewer items. Omitted items are counted. At least one item always
 * stays.
 */
export function fitted(message: Message, fits: (smaller: Message) => boolean): Message {
  for (const amount of amounts.slice(amounts.indexOf(message.amount))) {
    const same = { ...message, amount }
    if (fits(same)) return same
  }
  const items = message.items.map((item) =>
    item.summary.length <= MAX_BRIEF ? item : { ...item, summary: oneLine(item.summary, MAX_BRIEF), parts: [] },
  )
  const first = (count: number): Message => {
    const leftOut = message.leftOut + items.length - count
    return { ...message, amount: 'summary', items: items.slice(0, count), leftOut }
  }
  let low = Math.min(1, items.length)
  let high = items.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(first(middle))) low = middle
    else high = middle - 1
  }
  return first(low)
}

/** Renders as much of a message as fits into `maxBytes` of UTF-8. */
export function fittedForm(message: Message, form: (smaller: Message) => string, maxBytes: number): string {
  let last: { message: Message; text: string } | null = null
  const shown = fitted(message, (smaller) => {
    last = { message: smaller, text: form(smaller) }
    return Buffer.byteLength(last.text) <= maxBytes
  })
  const { message: made, text } = last ?? { message: null, text: '' }
  return made === shown ? text : form(shown)
}

import type { Change } from '../../core/change/change.ts'
import type { LinePart } from '../../core/change/change-line.ts'
import type { AnnotationKind } from '../../store/contracts/annotations.ts'

/** What leaves at once on one channel: one annotation, or a digest of several. Each form has a renderer beside this file. */
export type Message = {
  /** Stays the same over repeats, so that a receiver can drop what it has seen. */
  readonly id: string
  readonly kind: 'single' | 'digest' | 'test'
  readonly at: number
  /** How much of each item: a line, what changed, or the whole text. */
  readonly amount: 'summary' | 'change' | 'full'
  /** In digests: by profile, the most relevant first. */
  readonly items: readonly MessageItem[]
  /** Items that had no room. */
  readonly leftOut: number
  readonly links: { readonly inbox: string; readonly settings: string; readonly unsubscribe: string | null }
}

export type MessageItem = {
  /** Of the annotation. */
  readonly id: number
  /** Messages about one document belong together. */
  readonly thread: string
  readonly kind: AnnotationKind
  /** '' where the page has none. */
  readonly title: string
  /** The page, or the entry of a feed. */
  readonly url: string
  readonly source: string
  readonly profile: string
  readonly at: number
  readonly urgency: number
  readonly relevance: number
  /** The line of the inbox, as text and in parts; parts are empty where it is no change. */
  readonly summary: string
  readonly parts: readonly LinePart[]
  readonly changes: readonly ShownChange[]
  /** Changes that had no room. */
  readonly moreChanges: number
  /** Only where the whole text is wanted. */
  readonly text: string
  /** Other pages with nearly the same text. */
  readonly alsoAt: readonly string[]
  readonly links: { readonly open: string; readonly change: string; readonly cached: string }
  /** Of the annotation, for programs: ids, and what kind of file the version is. */
  readonly record: {
    readonly owner: string
    readonly profile: string
    readonly document: number
    readonly version: number
    readonly extension: string
    readonly format: string
    readonly bytes: number
  }
}

export type ShownChange = Pick<Change, 'kind' | 'path' | 'before' | 'after' | 'pieces'>

const kindWords: Record<AnnotationKind, string> = { new: 'New', changed: 'Changed', gone: 'Gone', back: 'Back' }

const MAX_NAME = 300
const MAX_LINE = 2000
/** Of the whole text of a page. */
const MAX_TEXT = 50_000
const MAX_BRIEF = 300

export function nameOf({ title, url }: Pick<MessageItem, 'title' | 'url'>): string {
  return oneLine(title === '' ? url : title, MAX_NAME)
}

export function kindOf({ kind }: Pick<MessageItem, 'kind'>): string {
  return kindWords[kind]
}

/** The subject of a mail, the title of a notification. One line, whatever the page calls itself. */
export function subjectOf(message: Message, maxChars = 150): string {
  const { kind, items, leftOut } = message
  const [first] = items
  if (kind === 'test') return 'Test message from eRACE'
  if (first === undefined) return 'eRACE'
  const count = items.length + leftOut
  if (kind === 'digest') {
    const profiles = [...new Set(items.map(({ profile }) => profile))]
    const of = profiles.length === 1 ? `: ${profiles[0]}` : ''
    return oneLine(`${count} ${count === 1 ? 'change' : 'changes'}${of}`, maxChars)
  }
  return oneLine(`${kindOf(first)}: ${nameOf(first)}`, maxChars)
}

/** Never a line end or another control character: they would begin a header of their own. */
export function oneLine(text: string, maxChars: number): string {
  const line = text
    .slice(0, maxChars * 4)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .trim()
  const characters = [...line]
  return characters.length <= maxChars ? line : `${characters.slice(0, maxChars - 1).join('')}…`
}

/** A text of a page as one line of a message: no control characters, not endless. */
export function lineOf(text: string): string {
  return oneLine(text, MAX_LINE)
}

/** A piece of a line: blanks at its ends keep it apart from its neighbours. */
export function pieceOf(text: string): string {
  const line = lineOf(text)
  if (line === '') return text === '' ? '' : ' '
  return `${/^\s/.test(text) ? ' ' : ''}${line}${/\s$/.test(text) ? ' ' : ''}`
}

/** The whole text of an item in lines. */
export function textLines({ text }: Pick<MessageItem, 'text'>): string[] {
  const lines = cutTo(text, MAX_TEXT).split('\n')
  return lines.map(lineOf).filter((line) => line !== '')
}

const MAX_SUMMARY = 5000
const MAX_CHANGE = 10_000
const MAX_CHANGES = 200
const MAX_ALSO_AT = 20

/** The same message with no text longer than anybody reads, whatever a page brought along. Agents get nothing else. */
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
 * As much of a message as a form has room for: first less of each item, then fewer items. Those that have no room are counted. One
 * item always stays.
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

/** The items under the names of their profiles, in the order in which they come. */
export function byProfile(items: readonly MessageItem[]): { profile: string; items: MessageItem[] }[] {
  const groups = new Map<string, MessageItem[]>()
  for (const item of items) {
    const group = groups.get(item.profile)
    if (group === undefined) groups.set(item.profile, [item])
    else group.push(item)
  }
  return [...groups].map(([profile, group]) => ({ profile, items: group }))
}

/** A change in one line of text. */
export function changeText({ kind, before, after }: ShownChange): string {
  switch (kind) {
    case 'added':
      return `+ ${after ?? ''}`
    case 'removed':
      return `- ${before ?? ''}`
    case 'moved':
      return `moved: ${after ?? before ?? ''}`
    case 'changed':
      return `${before ?? ''} → ${after ?? ''}`
  }
}

export function leftOutText({ leftOut }: Message): string {
  return leftOut === 0 ? '' : `and ${leftOut} more in your inbox`
}

/** Not longer than a service takes. */
export function cutTo(text: string, max: number): string {
  return text.length <= max ? text.toWellFormed() : `${text.slice(0, max - 1).toWellFormed()}…`
}

/** Where a click leads: to the one annotation, or to the inbox. */
export function linkOf({ items, links }: Message): string {
  const [first] = items
  return items.length === 1 && first !== undefined ? first.links.open : links.inbox
}

export const urgencyLevels = ['low', 'normal', 'high', 'urgent'] as const
export type UrgencyLevel = (typeof urgencyLevels)[number]

/** That of the most urgent item, by the names that profiles have for it: 1 is normal, 2 high, and from 5 on it is urgent. */
export function urgencyOf({ items }: Pick<Message, 'items'>): UrgencyLevel {
  if (items.length === 0) return 'normal'
  const urgency = Math.max(...items.map((item) => item.urgency))
  if (urgency >= 5) return 'urgent'
  return urgency >= 2 ? 'high' : urgency >= 1 ? 'normal' : 'low'
}

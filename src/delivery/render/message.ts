import type { Change } from '../../core/change/change.ts'
import type { LinePart } from '../../core/change/change-line.ts'
import { beginning, isolated } from '../../core/change/shown-text.ts'
import { type Amount, amounts } from '../../core/profile.ts'
import type { AnnotationKind } from '../../store/contracts/annotations.ts'
import { cutTo, lineOf, oneLine, pieceOf } from './lines.ts'

/** One message on one channel: a single annotation, or a digest of several. Each form has a renderer in this folder. */
export type Message = {
  /** The same on every retry, so that a receiver can drop duplicates. */
  readonly id: string
  readonly kind: 'single' | 'digest' | 'test'
  readonly at: number
  /** Maximum amount of each item: a line, what changed, or the whole text. */
  readonly amount: Amount
  /** In digests: by profile, the most relevant first. */
  readonly items: readonly MessageItem[]
  /** Number of items that didn't fit. */
  readonly leftOut: number
  readonly links: { readonly inbox: string; readonly settings: string; readonly unsubscribe: string | null }
}

export type MessageItem = {
  /** Id of the annotation. */
  readonly id: number
  /** Groups the messages about one document. */
  readonly thread: string
  readonly kind: AnnotationKind
  /** '' if the page has none. */
  readonly title: string
  /** The page, or the entry of a feed. */
  readonly url: string
  readonly source: string
  readonly profile: string
  readonly at: number
  /** Amount that its profile wants. */
  readonly amount: Amount
  /** IANA name of the reader's time zone. */
  readonly zone: string
  readonly urgency: number
  readonly relevance: number
  /** The line of the inbox, as text and in parts; parts are empty if it isn't a change. */
  readonly summary: string
  readonly parts: readonly LinePart[]
  readonly changes: readonly ShownChange[]
  /** Number of changes that didn't fit. */
  readonly moreChanges: number
  /** Only if the whole text is wanted. */
  readonly text: string
  /** Other pages with nearly the same text. */
  readonly alsoAt: readonly string[]
  readonly links: { readonly open: string; readonly change: string; readonly cached: string }
  /** Details of the annotation for programs: ids, and the file type of the version. */
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
/** Maximum length of the whole text of a page. */
export const MAX_TEXT = 50_000

export function nameOf({ title, url }: Pick<MessageItem, 'title' | 'url'>): string {
  return oneLine(title === '' ? url : title, MAX_NAME) || 'Untitled page'
}

export function kindOf({ kind }: Pick<MessageItem, 'kind'>): string {
  return kindWords[kind]
}

const MAX_SUBJECT = 150
/** Leaves room for the change after it. */
const MAX_NAME_BEFORE_CHANGE = 70
const MAX_TITLE = 100

/** Subject in mails and in the log. For a single change, it says what changed. */
export function subjectOf(message: Message): string {
  const item = onlyItem(message)
  if (item === null) return headingOf(message)
  const summary = summaryLine(item)
  const isChange = item.kind === 'changed' && summary !== ''
  return beginning(isChange ? withSummary(item, summary) : withKind(item), MAX_SUBJECT)
}

/** Title of a notification whose text describes the change. */
export function titleOf(message: Message): string {
  const item = onlyItem(message)
  if (item === null) return beginning(headingOf(message), MAX_TITLE)
  const isSaidBelow = item.kind !== 'new' && summaryLine(item) !== ''
  return beginning(isSaidBelow ? nameOf(item) : withKind(item), MAX_TITLE)
}

/** An item in one line: its name and its summary. */
export function itemLine(item: MessageItem, maxName = MAX_NAME_BEFORE_CHANGE): string {
  const summary = summaryLine(item)
  if (summary === '') return withKind(item)
  const line = withSummary(item, summary, maxName)
  return item.kind === 'new' ? `New: ${line}` : line
}

const withKind = (item: MessageItem): string => `${kindOf(item)}: ${nameOf(item)}`

function withSummary(item: MessageItem, summary: string, maxName = MAX_NAME_BEFORE_CHANGE): string {
  return `${isolated(beginning(nameOf(item), maxName))}: ${summary}`
}

/** The item of a message about one item; null for others. */
export function onlyItem({ kind, items, leftOut }: Message): MessageItem | null {
  const [first] = items
  if (kind === 'test' || first === undefined) return null
  return kind === 'single' || items.length + leftOut === 1 ? first : null
}

function headingOf({ kind, items, leftOut }: Message): string {
  if (kind === 'test') return 'Test message from eRACE'
  if (items.length === 0) return 'eRACE'
  const profiles = [...new Set(items.map(({ profile }) => profile))]
  const of = profiles.length === 1 ? `: ${profiles[0]}` : ''
  return oneLine(`${countText(items.length + leftOut)}${of}`, MAX_SUBJECT)
}

export const countText = (count: number): string => `${count} ${count === 1 ? 'change' : 'changes'}`

export const moreText = (count: number): string => `and ${count} more ${count === 1 ? 'change' : 'changes'}`

export function leftOutText({ leftOut }: Pick<Message, 'leftOut'>): string {
  return leftOut === 0 ? '' : `and ${leftOut} more in your inbox`
}

const MAX_NAMED_PROFILES = 3

/** Why the owner gets the message; '' if unknown. */
export function reasonText({ items }: Pick<Message, 'items'>): string {
  const names = [...new Set(items.map(({ profile }) => oneLine(profile, 100)))].filter((name) => name !== '')
  if (names.length === 0) return ''
  if (names.length > MAX_NAMED_PROFILES) return `You get this because of ${names.length} of your profiles.`
  const quoted = names.map((name) => `“${isolated(name)}”`)
  const list = [quoted.slice(0, -1).join(', '), quoted.at(-1)!].filter((each) => each !== '').join(' and ')
  return `You get this because of your ${names.length === 1 ? 'profile' : 'profiles'} ${list}.`
}

/** The line of the inbox. */
export function summaryLine({ summary, parts }: Pick<MessageItem, 'summary' | 'parts'>): string {
  if (parts.length === 0) return lineOf(summary)
  return parts
    .map(({ text }) => isolated(pieceOf(text)))
    .join('')
    .trim()
}

/** What is shown of an item below its name. */
export type Shown = {
  /** Show the line of the inbox instead of the changes. */
  readonly isInLine: boolean
  readonly changes: readonly ShownChange[]
  /** Number of changes that didn't fit. */
  readonly more: number
  /** The whole text in lines. */
  readonly text: readonly string[]
}

/** Applies the amount. Forms for programs don't use it: they contain everything. */
export function shownOf({ changes, moreChanges, text, amount: wanted }: MessageItem, most: Amount): Shown {
  const amount = amounts.indexOf(wanted) < amounts.indexOf(most) ? wanted : most
  const lines = amount === 'full' ? cutTo(text, MAX_TEXT).split('\n') : []
  const whole = lines.map(lineOf).filter((line) => line !== '')
  const isInLine = amount === 'summary' || changes.length === 0
  return { isInLine, changes: isInLine ? [] : changes, more: isInLine ? 0 : moreChanges, text: whole }
}

/** Groups the items by profile, in their order. */
export function byProfile(items: readonly MessageItem[]): { profile: string; items: MessageItem[] }[] {
  const groups = new Map<string, MessageItem[]>()
  for (const item of items) {
    const group = groups.get(item.profile)
    if (group === undefined) groups.set(item.profile, [item])
    else group.push(item)
  }
  return [...groups].map(([profile, group]) => ({ profile, items: group }))
}

/** Links to the server's pages about an item, the most useful first. A new page has nothing to compare with. */
export function waysOf({ kind, links }: Pick<MessageItem, 'kind' | 'links'>): { label: string; address: string }[] {
  const first =
    kind === 'new'
      ? { label: 'Open in the inbox', address: links.open }
      : { label: 'See the change', address: links.change }
  return [first, { label: 'Saved copy', address: links.cached }]
}

const MAX_ALSO_AT = 5

/** Other pages with nearly the same text, cut to the number that is shown. */
export function othersOf({ alsoAt }: Pick<MessageItem, 'alsoAt'>): {
  shown: { label: string; address: string }[]
  more: number
} {
  const shown = alsoAt.slice(0, MAX_ALSO_AT).map((address) => {
    const label = oneLine(address.replace(/^https?:\/\//i, ''), 60).replace(/\/$/, '')
    return { label, address }
  })
  return { shown, more: alsoAt.length - shown.length }
}

/** Where a click leads: to the one annotation, or to the inbox. */
export function linkOf({ items, links }: Message): string {
  const [first] = items
  return items.length === 1 && first !== undefined ? first.links.open : links.inbox
}

export const urgencyLevels = ['low', 'normal', 'high', 'urgent'] as const
export type UrgencyLevel = (typeof urgencyLevels)[number]

/** Urgency of the most urgent item, by the names used in profiles: 1 is normal, 2 high, 5 and more urgent. */
export function urgencyOf({ items }: Pick<Message, 'items'>): UrgencyLevel {
  if (items.length === 0) return 'normal'
  const urgency = Math.max(...items.map((item) => item.urgency))
  if (urgency >= 5) return 'urgent'
  return urgency >= 2 ? 'high' : urgency >= 1 ? 'normal' : 'low'
}

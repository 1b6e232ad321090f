import { createHash } from 'node:crypto'
import type { Block, Change } from '../../core/change/change.ts'
import type { AnnotationKind } from '../../store/contracts/annotations.ts'
import type { Version } from '../../store/contracts/versions.ts'
import { webLink } from './annotation-changes.ts'
import type { ChangeView } from './change-view.ts'

/** Subject of one annotation: a page, or an entry of a feed. */
export type VersionItem = {
  /** Null for a page. */
  readonly entry: { readonly id: string; readonly link: string } | null
  readonly kind: AnnotationKind
  readonly title: string
  /** Its current content; null if its type has no text. */
  readonly blocks: readonly Block[] | null
  /** What changed in it; null if it is new as a whole. */
  readonly told: readonly Change[] | null
}

/** Maximum number of changed entries with an item of their own; the rest share one item. */
const MAX_ENTRIES = 200
/** Maximum number of entries of a new feed, newest first. */
const MAX_NEW_ENTRIES = 50
const MAX_ID = 200

/**
 * The items of a version, computed once per view; empty if only noise changed, or a feed only lost entries. On a recipient's first
 * visit everything is new.
 */
export function createItems(version: Version): (view: ChangeView, seen: Seen) => readonly VersionItem[] {
  const known = new Map<string, Map<unknown, VersionItem[]>>()
  return (view, { isNew, isMet }) => {
    const name = isNew ? 'new' : isMet ? 'met' : 'changed'
    const ofKind = known.get(name) ?? new Map<unknown, VersionItem[]>()
    known.set(name, ofKind)
    const seen = isNew ? view.page : view
    const found = ofKind.get(seen)
    if (found !== undefined) return found
    const items = itemsOf(isNew ? { page: view.page, change: null } : view, version, isMet)
    ofKind.set(seen, items)
    return items
  }
}

/** `isMet`: a condition on its price or number is met, which is news regardless of other changes. */
type Seen = { isNew: boolean; isMet: boolean }

function itemsOf(
  { page, change: seen }: Pick<ChangeView, 'page' | 'change'>,
  version: Version,
  isMet: boolean,
): VersionItem[] {
  const { reason, title } = version
  // A page that is back counts as new; a feed that is back only has its new entries.
  const change = reason === 'back' && page?.kind !== 'feed' ? null : seen
  if (page?.kind === 'feed')
    return change === null ? newEntries(page.blocks, version) : changedEntries(change.told, version)
  if ((reason === 'changed' || reason === 'links') && change?.told.length === 0 && !isMet) return []
  const kind = reason === 'links' ? 'changed' : reason
  return [
    {
      entry: null,
      kind,
      title,
      blocks: page === null ? null : page.blocks,
      told: change === null ? null : change.told,
    },
  ]
}

function newEntries(blocks: readonly Block[], { url }: Version): VersionItem[] {
  const entries = newestFirst(blocks.filter(({ kind }) => kind === 'entry'))
  return entries.slice(0, MAX_NEW_ENTRIES).map((block) => itemOf(block, url, 'new', null))
}

/** Feeds list the newest entries first, unless all dates say the opposite. */
function newestFirst(entries: readonly Block[]): readonly Block[] {
  const isBackwards = entries.every(({ at }, i) => at !== undefined && (i === 0 || entries[i - 1]!.at! <= at))
  return isBackwards ? entries.toReversed() : entries
}

/** Removed and moved entries are not news. */
function changedEntries(told: readonly Change[], { url, title }: Version): VersionItem[] {
  const changes = told.filter(({ kind, block }) => block === 'entry' && (kind === 'added' || kind === 'changed'))
  const items = changes.slice(0, MAX_ENTRIES).map((change): VersionItem => {
    const block = blockOf(change)
    return change.kind === 'added' ? itemOf(block, url, 'new', null) : itemOf(block, url, 'changed', [change])
  })
  const others = changes.slice(MAX_ENTRIES)
  if (others.length === 0) return items
  return [...items, { entry: null, kind: 'changed', title, blocks: others.map(blockOf), told: others }]
}

function itemOf(block: Block, url: string, kind: AnnotationKind, told: readonly Change[] | null): VersionItem {
  const { title = '', link = '', text } = block
  return {
    entry: { id: idOf(block), link: link === '' ? '' : webLink(link, url) },
    kind,
    title: title === '' ? text.slice(0, 100) : title,
    blocks: [block],
    told,
  }
}

/** The block as the profile sees it, without ignored text. */
function blockOf({ block: kind, key, place, title = '', link = '', after = '' }: Change): Block {
  return { kind, text: after, trail: [], key, place, level: 0, title, link }
}

/** Falls back to the link, then to the text, for feeds without entry ids. */
function idOf({ key, link = '', title = '', text }: Block): string {
  const id = key || link || `${title}\n${text}`
  return id.length <= MAX_ID && !id.includes('\n') ? id : createHash('sha256').update(id).digest('hex')
}

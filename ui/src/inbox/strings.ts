import type { Annotation } from '../api/types.ts'
import { formatCount as count } from '../kit/strings.ts'

type Kind = Annotation['kind']
type Mark = 'read' | 'starred' | 'archived'

const score = (n: number) => n.toLocaleString('en', { maximumFractionDigits: 2 })
const items = (n: number) => (n === 1 ? '1 item' : `${count(n)} items`)
const words = (n: number) => `${count(n)} ${n === 1 ? 'word' : 'words'}`

const MAX_REASON = 160

/** The remote server's message as a sentence, truncated; the settings show it in full. */
const cutReason = (reason: string) =>
  reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON).trimEnd()}…` : `${reason.replace(/\.$/, '')}.`

const marked: Record<Mark, { on: string; off: string }> = {
  read: { on: 'marked as read', off: 'marked as unread' },
  starred: { on: 'starred', off: 'unstarred' },
  archived: { on: 'archived', off: 'moved to inbox' },
}
const happened: Record<Kind, string> = {
  new: 'This page is new',
  changed: 'This page changed',
  gone: 'This page is gone',
  back: 'This page is back',
}

/** Texts of the inbox and its reading pane. */
export const strings = {
  inbox: 'Inbox',
  inboxWithUnread: (unread: number) => `Inbox (${unread})`,
  items: 'Items',
  loading: 'Loading inbox',
  loadingMore: 'Loading more',
  loadFailed: "Your inbox couldn't be loaded",
  allRead: 'No unread items. Showing everything.',
  offline: 'No connection. Showing saved items.',
  synced: (n: number) => (n === 1 ? '1 change synced.' : `${count(n)} changes synced.`),
  failed: (message: string) => `That didn't work: ${message}`,
  marked: (n: number, mark: Mark, isOn: boolean) => `${items(n)} ${isOn ? marked[mark].on : marked[mark].off}`,
  score,
  channels: {
    failing: (name: string, reason: string, nextTry: string | null) =>
      `The channel “${name}” is failing: ${cutReason(reason)}${nextTry === null ? '' : ` Next try at ${nextTry}.`}`,
    manyFailing: (names: readonly string[]) => `${names.length} channels are failing: ${names.join(', ')}.`,
    details: 'Details',
  },
  actions: {
    read: 'Mark as read',
    unread: 'Mark as unread',
    star: 'Star',
    unstar: 'Unstar',
    archive: 'Archive',
    unarchive: 'Move to inbox',
    refresh: 'Refresh',
    back: 'Back to list',
    previous: 'Previous',
    next: 'Next',
  },
  keys: {
    group: 'Inbox',
    next: 'Next item',
    previous: 'Previous item',
    open: 'Open',
    original: 'Open original',
    diff: 'Show changes',
    read: 'Mark as read or unread',
    star: 'Star or unstar',
    archive: 'Archive',
    select: 'Select',
    selectAll: 'Select all loaded items',
    selectNone: 'Clear selection',
    allRead: 'Mark all loaded items as read',
    search: 'Search inbox',
  },
  toolbar: {
    states: { label: 'Show', unread: 'Unread', all: 'All', starred: 'Starred', archived: 'Archived' },
    profile: 'Profile',
    allProfiles: 'All profiles',
    profileWithUnread: (name: string, unread: number) => `${name} (${unread})`,
    urgency: 'Urgency',
    anyUrgency: 'Any urgency',
    highAndUrgent: 'High and urgent',
    urgentOnly: 'Urgent only',
    search: 'Search inbox',
    allRead: 'Mark all read',
    selectAll: 'Select all',
    incoming: (n: number) => `${n} new`,
    incomingInFull: (n: number) => (n === 1 ? ' item' : ' items'),
  },
  selection: {
    label: 'Selected items',
    clear: 'Clear selection',
    count: (n: number) => `${count(n)} selected`,
    all: (n: number | null) => (n === null ? 'All matching items selected' : `All ${count(n)} matching items selected`),
    selectAll: (n: number | null) =>
      n === null ? 'Select all matching items' : `Select all ${count(n)} matching items`,
  },
  row: {
    select: (title: string) => `Select ${title}`,
    unread: 'Unread: ',
    count: (n: number) => count(n),
    changes: (n: number) => `${count(n)} changes`,
    profileSeparator: ', ',
  },
  kinds: {
    new: { label: 'New', title: "A page that wasn't there before" },
    changed: { label: 'Changed', title: 'The page changed' },
    gone: { label: 'Gone', title: 'The page is no longer there' },
    back: { label: 'Back', title: 'The page was gone and is back' },
  } satisfies Record<Kind, { label: string; title: string }>,
  urgency: {
    urgent: 'Urgent',
    high: 'High',
    low: 'Low',
    title: (label: string, urgency: number) => `${label} (urgency ${urgency})`,
  },
  empty: {
    filtered: 'Nothing matches',
    filteredAdvice: 'Try different words or another profile, or clear the filters.',
    clearFilters: 'Clear filters',
    starred: 'No starred items',
    starredAdvice: 'Star an item to find it here later.',
    archived: 'Your archive is empty',
    archivedAdvice: "Archive items you're done with. You can find them here later.",
    unread: 'All caught up',
    unreadAdvice: 'New items appear here automatically.',
    showAll: 'Show all items',
    nothing: 'Nothing here yet',
    nothingAdvice: 'When a page you watch changes, it will show up here.',
    watch: 'Watch something',
    watches: 'See your watches',
  },
  pane: {
    label: 'This item',
    chooseItem: 'Select an item to read it here.',
    hints: [
      ['j', 'next'],
      ['k', 'previous'],
      ['Enter', 'open'],
      ['?', 'all shortcuts'],
    ],
    loadFailed: "This item can't be shown",
    loadFailedWhy: "It may have been removed, or you don't have access to it.",
    original: 'Original',
    diff: 'What changed',
    saved: 'Saved copy',
    withKey: (label: string, key: string) => `${label} (${key})`,
    backlog: 'from before this profile was created',
    alsoAt: 'Also at',
    split: 'Not the same',
    splitPage: (url: string) => `Not the same: ${url}`,
    splitEffect:
      'These pages tell nearly the same, so you were notified once. A page that doesn’t gets its own item, now and in future.',
    splitDone: 'Split off: it has its own item now',
    earlier: 'Earlier changes',
    moreEarlier: 'Show more',
  },
  why: {
    title: 'Why did I get this?',
    profile: 'From your profile ',
    happened: (kind: Kind) => `${happened[kind]}.`,
    tracked: (kind: Kind) => `${happened[kind]}, and you track every change to it.`,
    trackedBy: 'You track every change to this page: ',
    added: (n: number) => `+${words(n)}`,
    removed: (n: number) => `−${words(n)}`,
    score: (kind: Kind, relevance: number, threshold: number) =>
      `${happened[kind]} and scores ${score(relevance)}. Your threshold is ${score(threshold)}.`,
    expression: 'It also meets your condition ',
    noExclusions: (excluded: readonly string[]) => `No excluded words found: ${excluded.join(', ')}.`,
    gone: (status: number) =>
      `This page is gone${status > 0 ? ` (the site responded with ${status})` : ''}. Its last version is saved.`,
    raise: 'Raise threshold…',
    mute: (source: string) => `Mute ${source}…`,
    term: 'Term',
    where: 'Where',
    weight: 'Weight',
    points: 'Points',
    termActions: 'Actions',
    inText: (n: number) => `${n}× in text`,
    inChange: (n: number) => `${n}× in the change`,
    inTitle: (n: number) => `${n}× in title`,
    inBoth: (n: number, inTitle: number) => `${n}×, ${inTitle} in title`,
    moreTerms: (n: number) => (n === 1 ? '1 more term' : `${n} more terms`),
    exclude: 'Exclude…',
    excludeTerm: (term: string) => `Exclude ${term}`,
  },
  tune: {
    exclude: (term: string) => `Exclude “${term}”`,
    excludeEffect: (term: string, profile: string) =>
      `Pages that contain “${term}” will no longer match ${profile}, and “${term}” is removed from its terms.`,
    excludeConfirm: 'Exclude',
    excluded: (term: string, profile: string) => `“${term}” excluded from ${profile}`,
    raise: 'Raise threshold',
    threshold: 'Threshold',
    itemScore: (n: number) => `This item scores ${score(n)}.`,
    raiseConfirm: (n: number) => `Set to ${Number.isNaN(n) ? '…' : n}`,
    raised: (profile: string) => `Threshold of ${profile} raised`,
    failed: (message: string) => `Couldn't save: ${message}`,
    previewing: 'Trying it on recent documents',
    previewFailed: (message: string) => `The effect can't be previewed: ${message}`,
    preview: (documents: number, matched: number, now: number) =>
      `Of ${documents === 1 ? '1 recent document' : `${count(documents)} recent documents`}, ${count(matched)} would match (now ${count(now)}).`,
    lost: 'These would no longer match:',
  },
  mute: {
    title: (source: string) => `Mute ${source}`,
    effect:
      "It is still checked, and every version is saved, but you won't be notified: new items go straight to the archive, marked as read. You can unmute it under Watches.",
    searching: 'Finding the source',
    which: (profile: string) => `Which source of ${profile}?`,
    noneUnread: 'It has no unread items.',
    unread: (n: number) =>
      n === 1 ? 'Its unread item stays in your inbox.' : `Its ${count(n)} unread items stay in your inbox.`,
    confirm: 'Mute',
    muted: (uri: string) => `${uri} muted`,
    failed: (message: string) => `Couldn't mute: ${message}`,
  },
}

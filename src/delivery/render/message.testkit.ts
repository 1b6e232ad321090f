import type { Message, MessageItem } from './message.ts'

const usualParts: MessageItem['parts'] = [
  { kind: 'removed', text: '€ 39.90' },
  { kind: 'sign', text: ' → ' },
  { kind: 'added', text: '€ 34.50' },
]

export function itemOf(parts: Partial<MessageItem> = {}): MessageItem {
  return {
    ...{ id: 7, thread: 'd3', kind: 'changed', title: 'Kettle', url: 'https://shop.example/kettle' },
    ...{
      source: 'shop.example',
      profile: 'Prices',
      at: Date.UTC(2026, 4, 3, 8),
      amount: 'full',
      zone: 'UTC',
      urgency: 1,
      relevance: 2,
    },
    summary: '€ 39.90 → € 34.50',
    // Joined, they are the summary.
    parts: parts.summary === undefined ? usualParts : [],
    changes: [
      { kind: 'changed', path: 'Shop › Kettle', before: '€ 39.90', after: '€ 34.50' },
      { kind: 'added', path: 'Shop › Kettle', after: 'Only 3 left' },
      { kind: 'removed', path: '', before: 'Free tea' },
      { kind: 'moved', path: '', after: 'About us' },
    ],
    ...{ moreChanges: 2, text: '', alsoAt: [] },
    links: { open: 'https://e.example/a/7', change: 'https://e.example/c/7', cached: 'https://e.example/v/7' },
    record: { owner: 'u1', profile: 'p1', document: 3, version: 9, extension: 'html', format: 'html', bytes: 1200 },
    ...parts,
  }
}

export function messageOf(parts: Partial<Message> = {}): Message {
  const links = { inbox: 'https://e.example/inbox', settings: 'https://e.example/settings', unsubscribe: null }
  const usual = { id: 'm1', kind: 'single', at: Date.UTC(2026, 4, 3, 8), amount: 'change', leftOut: 0 } as const
  return { ...usual, items: [itemOf()], links, ...parts }
}

/** A hostile title of a page. */
export const hostileText =
  'a\r\nBcc: eve@evil.example\u2028<script>alert(1)</script> [x](javascript:alert(1)) \u202e`*_~@here {{id}} <!channel>\ud800'

const noChange = { changes: [], moreChanges: 0 }

/** One item of each kind. */
export const sampleItems = {
  price: itemOf({
    changes: [
      {
        ...{ kind: 'changed', path: 'Shop › Kettle', before: '€ 39.90', after: '€ 34.50' },
        pieces: [
          { kind: 'removed', text: '€ 39.90' },
          { kind: 'added', text: '€ 34.50' },
        ],
      },
    ],
    moreChanges: 0,
  }),
  words: itemOf({
    summary: 'The bridge is open → closed to lorries',
    changes: [
      {
        ...{ kind: 'changed', path: 'News', before: 'The bridge is open to lorries.' },
        after: 'The bridge is closed to lorries at night.',
        pieces: [
          { kind: 'same', text: 'The bridge is ' },
          { kind: 'removed', text: 'open' },
          { kind: 'added', text: 'closed' },
          { kind: 'same', text: ' to lorries' },
          { kind: 'added', text: ' at night' },
          { kind: 'same', text: '.' },
        ],
      },
    ],
    moreChanges: 1,
  }),
  added: itemOf({
    summary: '+ Only 3 left',
    parts: [
      { kind: 'sign', text: '+ ' },
      { kind: 'added', text: 'Only 3 left' },
    ],
    changes: [{ kind: 'added', path: 'Shop › Kettle', after: 'Only 3 left' }],
    moreChanges: 0,
  }),
  removed: itemOf({
    summary: '− Free tea',
    parts: [
      { kind: 'sign', text: '− ' },
      { kind: 'removed', text: 'Free tea' },
    ],
    changes: [{ kind: 'removed', path: '', before: 'Free tea' }],
    moreChanges: 0,
  }),
  moved: itemOf({
    summary: 'moved: About us',
    parts: [
      { kind: 'sign', text: 'moved: ' },
      { kind: 'same', text: 'About us' },
    ],
    changes: [{ kind: 'moved', path: '', after: 'About us' }],
    moreChanges: 0,
  }),
  newPage: itemOf({
    ...{ kind: 'new', title: 'Bridge closed', url: 'https://news.example/bridge', source: 'news.example' },
    ...{ summary: 'The bridge at Juniper Ridge is closed.', ...noChange },
  }),
  entry: itemOf({
    ...{ kind: 'new', title: 'Version 2.1', url: 'https://blog.example/2.1', source: 'blog.example' },
    ...{ thread: 'd4.tag:2.1', summary: 'Faster, and with fewer bugs.', ...noChange },
  }),
  gone: itemOf({ kind: 'gone', summary: 'Gone: the server says 404 (not found)', ...noChange }),
  /** Pieces in right-to-left text. */
  hebrew: itemOf({
    title: 'קומקום',
    summary: '\u2068במלאי\u2069 → \u2068אזל\u2069',
    parts: [
      { kind: 'removed', text: '\u2068במלאי\u2069' },
      { kind: 'sign', text: ' → ' },
      { kind: 'added', text: '\u2068אזל\u2069' },
    ],
    changes: [
      {
        ...{ kind: 'changed', path: 'חנות', before: 'הקומקום במלאי', after: 'הקומקום אזל' },
        pieces: [
          { kind: 'same', text: 'הקומקום ' },
          { kind: 'removed', text: 'במלאי' },
          { kind: 'added', text: 'אזל' },
        ],
      },
    ],
    moreChanges: 0,
  }),
} as const satisfies Record<string, MessageItem>

/** Two profiles, pages with nearly the same text, and some items that didn't fit. */
export const sampleDigest = messageOf({
  kind: 'digest',
  items: [
    { ...sampleItems.price, alsoAt: ['https://outlet.example/kettle/', 'https://shop.example/de?a=1'] },
    { ...sampleItems.newPage, profile: 'News' },
    { ...sampleItems.gone, title: '', profile: 'News' },
  ],
  leftOut: 3,
})

import type { Message, MessageItem } from './message.ts'

export function itemOf(parts: Partial<MessageItem> = {}): MessageItem {
  return {
    ...{ id: 7, thread: 'd3', kind: 'changed', title: 'Kettle', url: 'https://shop.example/kettle' },
    ...{ source: 'shop.example', profile: 'Prices', at: Date.UTC(2026, 4, 3, 8), urgency: 1, relevance: 2 },
    summary: '€ 39.90 → € 34.50',
    parts: [
      { kind: 'removed', text: '€ 39.90' },
      { kind: 'sign', text: ' → ' },
      { kind: 'added', text: '€ 34.50' },
    ],
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

/** What a page may call itself. */
export const hostileText =
  'a\r\nBcc: eve@evil.example\u2028<script>alert(1)</script> [x](javascript:alert(1)) \u202e`*_~@here {{id}} <!channel>\ud800'

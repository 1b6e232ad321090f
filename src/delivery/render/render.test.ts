import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from 'parse5'
import { messageHtml } from './html.ts'
import { messageJson } from './json.ts'
import { messageMarkdown } from './markdown.ts'
import { type Message, type MessageItem, subjectOf } from './message.ts'
import { messageShort, shortLength } from './short.ts'
import { messageText } from './text.ts'

function item(parts: Partial<MessageItem> = {}): MessageItem {
  return {
    ...{
      id: 7,
      thread: 'd3',
      kind: 'changed',
      title: 'Kettle',
      url: 'https://shop.example/kettle',
      source: 'shop.example',
    },
    ...{ profile: 'Prices', at: Date.UTC(2026, 4, 3, 8), urgency: 1, relevance: 2, summary: '€ 39.90 → € 34.50' },
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
    ...parts,
  }
}

function message(parts: Partial<Message> = {}): Message {
  const links = { inbox: 'https://e.example/inbox', settings: 'https://e.example/settings', unsubscribe: null }
  return {
    id: 'm1',
    kind: 'single',
    at: Date.UTC(2026, 4, 3, 8),
    amount: 'change',
    items: [item()],
    leftOut: 0,
    links,
    ...parts,
  }
}

const hostile =
  'a\r\nBcc: eve@evil.example\u2028<script>alert(1)</script> [x](javascript:alert(1)) \u202e`*_~@here\ud800'

describe('messages', () => {
  test('as text say what changed, old and new, with links', () => {
    const text = messageText(message())
    for (const words of [
      'Kettle',
      '[Shop › Kettle]',
      '€ 39.90 → € 34.50',
      '+ Only 3 left',
      '- Free tea',
      'moved: About us',
      'and 2 more changes',
      'https://e.example/c/7',
    ])
      assert.ok(text.includes(words), `${words} in ${text}`)
    const lines = messageText(message({ items: [item({ summary: 'word '.repeat(200) })], amount: 'summary' })).split(
      '\n',
    )
    assert.ok(lines.every((line) => line.length <= 72 || line.includes('https://')))
  })

  test('as HTML are a whole page without anything to load or run', () => {
    const page = messageHtml(message())
    const errors: string[] = []
    parse(page, { onParseError: ({ code }) => errors.push(code) })
    assert.deepEqual(errors, [])
    assert.match(page, /<del [^>]*>€ 39\.90<\/del> → <ins [^>]*>€ 34\.50<\/ins>/)
    assert.doesNotMatch(page, /<(?:script|img|link|iframe)|src=/)
  })

  test('as Markdown strike through what went', () => {
    const text = messageMarkdown(message({ amount: 'summary' }))
    assert.match(text, /~~€ 39\\?\.90~~ → € 34/)
    assert.match(text, /\*\*\[Kettle\]\(https:\/\/shop\.example\/kettle\)\*\*/)
  })

  test('digests are grouped by profile and say what was left out', () => {
    const digest = message({
      kind: 'digest',
      items: [item(), item({ id: 8, profile: 'News', title: 'Bridge' })],
      leftOut: 3,
    })
    assert.equal(subjectOf(digest), '5 changes')
    for (const text of [messageText(digest), messageHtml(digest), messageMarkdown(digest)]) {
      assert.ok(text.indexOf('Prices') < text.indexOf('News'))
      assert.match(text, /3 more/)
    }
  })

  test('what pages call themselves begins no header, no markup and no link', () => {
    const evil = message({
      kind: 'digest',
      items: [
        item({
          title: hostile,
          url: 'javascript:alert(1)',
          profile: hostile,
          summary: hostile,
          parts: [],
          changes: [{ kind: 'added', path: hostile, after: hostile }],
        }),
      ],
    })
    for (const subject of [subjectOf(evil), subjectOf({ ...evil, kind: 'single' })])
      assert.doesNotMatch(subject, /[\r\n\u2028\u202e]/)
    assert.doesNotMatch(messageHtml(evil), /<script|href="javascript/i)
    assert.doesNotMatch(messageMarkdown(evil), /\]\(javascript|(?<!\\)<script|@here/)
    assert.doesNotMatch(messageText(evil), /\u202e|^Bcc/m)
    assert.ok(JSON.stringify(messageJson(evil)).isWellFormed())
    assert.ok([...subjectOf(message({ items: [item({ title: 'x'.repeat(10_000_000) })] }))].length <= 150)
  })

  test('short messages fit: 160 of the GSM alphabet, 70 of another', () => {
    assert.equal(messageShort(message()), 'Kettle: € 39.90 -> € 34.50 https://e.example/a/7')
    const long = messageShort(message({ items: [item({ title: 'A very long title '.repeat(30) })] }))
    assert.ok(shortLength(long).length <= 160 && long.endsWith('... https://e.example/a/7'), long)
    const greek = messageShort(message({ items: [item({ title: 'Καλημέρα κόσμε '.repeat(10) })] }))
    assert.equal(shortLength(greek).room, 70)
    assert.ok(shortLength(greek).length <= 70, greek)
    const emoji = messageShort(message({ items: [item({ title: '💡'.repeat(100) })] }))
    assert.ok(shortLength(emoji).length <= 70 && emoji.isWellFormed())
    assert.deepEqual(shortLength('€[]'), { length: 6, room: 160 })
  })

  test('as JSON have the names of the API', () => {
    const { data, type } = messageJson(message()) as {
      type: string
      data: { changes: unknown[]; summary: { text: string } }[]
    }
    assert.equal(type, 'annotation.created')
    assert.deepEqual(data[0]!.changes[0], {
      kind: 'changed',
      path: 'Shop › Kettle',
      before: '€ 39.90',
      after: '€ 34.50',
    })
    assert.equal(data[0]!.summary.text, '€ 39.90 → € 34.50')
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readAcis } from '../../xml/aci/aci-reader.ts'
import { checkDecks } from '../../xml/wml-dtd.testkit.ts'
import { xmllintSkip } from '../../xml/xmllint.testkit.ts'
import { messageChatHtml } from './chat-html.ts'
import { bounded } from './fitting.ts'
import { forms } from './forms.ts'
import { messageHtml } from './html.ts'
import { messageJson } from './json.ts'
import { messageMarkdown } from './markdown.ts'
import { hostileText, itemOf, messageOf, sampleDigest, sampleItems } from './message.testkit.ts'
import { type Message, type MessageItem, subjectOf, titleOf } from './message.ts'
import { messageText } from './text.ts'
import { messageWml } from './wml.ts'
import { messageXml } from './xml.ts'

const amounts = ['summary', 'change', 'full'] as const
const kinds = ['single', 'digest'] as const

/** All forms in all amounts, of a single item and of a digest. */
function rendered(item: MessageItem): [name: string, text: string][] {
  return kinds.flatMap((kind) =>
    amounts.flatMap((amount) => {
      const message = bounded(messageOf({ kind, amount, items: kind === 'single' ? [item] : [item, item] }))
      const own = Object.entries(forms).map(([name, { render }]): [string, string] => [name, render(message)])
      return [
        ...own,
        ['chat', messageChatHtml(message, '\n')],
        ['subject', subjectOf(message)],
        ['title', titleOf(message)],
      ]
    }),
  )
}

describe('items of a digest', () => {
  const both = (parts: Partial<MessageItem>): Message =>
    messageOf({
      kind: 'digest',
      amount: 'full',
      items: [itemOf(parts), itemOf({ id: 8, title: 'Lamp', text: 'All of it' })],
    })

  test('show the amount that their own profile asks for', () => {
    const message = both({ amount: 'summary', text: 'Not asked for' })
    for (const text of [
      messageText(message),
      messageHtml(message),
      messageMarkdown(message),
      messageChatHtml(message, '\n'),
    ]) {
      assert.doesNotMatch(text, /Not asked for/)
      assert.match(text, /All of it/)
      assert.equal(text.split('Only 3 left').length - 1, 1, text)
    }
  })

  test('show the time in the time zone of their profile', () => {
    const message = both({ zone: 'Europe/Berlin' })
    assert.match(messageText(message), /2026-05-03 10:00 CEST[\s\S]*2026-05-03 08:00 UTC/)
    assert.match(messageMarkdown(message), /2026-05-03 10:00 CEST/)
    assert.match(messageHtml(message), /3 May, 10:00&nbsp;CEST|3&nbsp;May,&nbsp;10:00&nbsp;CEST/)
  })
})

describe('all message formats', () => {
  test('neutralise hostile titles, summaries and changes', () => {
    const evil = itemOf({
      ...{
        title: hostileText,
        url: 'javascript:alert(1)',
        profile: hostileText,
        source: hostileText,
        text: hostileText,
      },
      ...{ summary: hostileText, parts: [], alsoAt: ['javascript:alert(1)'] },
      changes: [{ kind: 'added', path: hostileText, after: hostileText }],
    })
    const inParts = { ...evil, parts: [{ kind: 'added', text: hostileText }] as const }
    for (const item of [evil, inParts, { ...evil, kind: 'new' } as const, { ...evil, kind: 'gone' } as const])
      for (const [name, text] of rendered(item)) {
        assert.ok(text.isWellFormed(), name)
        if (name === 'json' || name === 'xml') continue
        assert.doesNotMatch(text, /[\u2028\u202e]/, name)
        if (name === 'text') assert.doesNotMatch(text, /^Bcc/m)
        if (name === 'markdown') assert.doesNotMatch(text, /(?<!\\)<script|\]\(javascript|@here/i)
        if (['html', 'chat', 'wml'].includes(name)) assert.doesNotMatch(text, /<script|href="javascript/i, name)
        if (name === 'subject' || name === 'title') assert.doesNotMatch(text, /[\r\n\t\p{Cc}]/u, name)
      }
  })

  test('stay short for titles and texts of 10 MB', () => {
    const long = 'x'.repeat(10_000_000)
    const change = { kind: 'changed', path: long, before: long, after: long } as const
    const item = itemOf({ title: long, profile: long, source: long, summary: long, text: long, changes: [change] })
    for (const [name, text] of rendered(item)) {
      const room =
        name === 'subject' || name === 'title' ? 150 : name === 'short' ? 160 : name === 'wml' ? 1400 : 200_000
      assert.ok(text.length <= room, `${name}: ${text.length}`)
    }
    const endless = messageOf({ items: [item] })
    for (const render of [messageText, messageHtml, messageMarkdown, messageWml, subjectOf, titleOf])
      assert.ok(render(endless).length <= 100_000, render.name)
  })

  test('keep emoji and right-to-left text intact', () => {
    const family = '👨‍👩‍👧‍👦'
    const emoji = itemOf({
      title: `${family} 🇨🇾`,
      summary: `☕ → ${family}`,
      changes: [{ kind: 'added', path: '', after: family }],
    })
    const isSummary = (name: string): boolean => ['short', 'wml', 'subject', 'title'].includes(name)
    for (const [name, text] of rendered(emoji)) {
      assert.ok(text.isWellFormed(), name)
      if (!isSummary(name)) assert.ok(text.replaceAll('\\', '').includes(`${family} 🇨🇾`), name)
    }
    for (const [name, text] of rendered(sampleItems.hebrew)) {
      assert.ok(text.isWellFormed(), name)
      if (name !== 'title' && !text.startsWith('2 changes')) assert.match(text, /אזל/, name)
      // Without isolates around two such texts, the arrow between them is reversed. WML phones don't support isolates.
      if (!['html', 'json', 'xml', 'wml'].includes(name)) assert.doesNotMatch(text, /[א-ת] → /, name)
    }
  })

  test('plain text has at most 72 characters per line, except for URLs', () => {
    const item = itemOf({ summary: 'word '.repeat(200), title: '字'.repeat(100) })
    for (const amount of amounts)
      for (const line of messageText(messageOf({ items: [item], amount })).split('\n'))
        assert.ok(line.length <= 72 || line.includes('https://'), line)
  })
})

describe('formats for programs', () => {
  const expected = [
    { kind: 'changed', path: 'Shop › Kettle', before: '€ 39.90', after: '€ 34.50' },
    { kind: 'added', path: 'Shop › Kettle', after: 'Only 3 left' },
    { kind: 'removed', path: '', before: 'Free tea' },
    { kind: 'moved', path: '', after: 'About us' },
  ]

  test('contain all changes, regardless of the amount setting', () => {
    for (const amount of amounts)
      for (const kind of kinds) {
        const message = messageOf({ amount, kind, items: [itemOf(), itemOf({ id: 8 })] })
        const { data } = messageJson(message) as { data: { changes: unknown; moreChanges: number }[] }
        for (const { changes, moreChanges } of data) assert.deepEqual([changes, moreChanges], [expected, 2])
        const { acis, errors } = readAcis(messageXml(message))
        assert.deepEqual(errors, [])
        for (const { changes } of acis) assert.deepEqual(changes, { list: expected, more: 2 })
      }
  })

  test('JSON uses the field names of the API', () => {
    const item = { ...sampleItems.price, text: 'Kettle\n€ 34.50', alsoAt: ['https://outlet.example/kettle'] }
    assert.deepEqual(messageJson(messageOf({ items: [item] })), {
      ...{ id: 'm1', type: 'annotation.created', timestamp: '2026-05-03T08:00:00.000Z' },
      ...{ subject: 'Kettle: € 39.90 → € 34.50', leftOut: 0 },
      links: { inbox: 'https://e.example/inbox', settings: 'https://e.example/settings' },
      data: [
        {
          ...{ id: 7, kind: 'changed', title: 'Kettle', url: 'https://shop.example/kettle', source: 'shop.example' },
          ...{ profile: { id: 'p1', name: 'Prices' }, document: 3, version: 9, at: '2026-05-03T08:00:00.000Z' },
          ...{ urgency: 1, relevance: 2, summary: { text: '€ 39.90 → € 34.50' } },
          ...{ changes: [expected[0]], moreChanges: 0, text: 'Kettle\n€ 34.50' },
          alsoAt: ['https://outlet.example/kettle'],
          links: { open: 'https://e.example/a/7', change: 'https://e.example/c/7', cached: 'https://e.example/v/7' },
        },
      ],
    })
    const { type, leftOut, data } = messageJson(sampleDigest) as Record<string, unknown>
    assert.deepEqual([type, leftOut, (data as unknown[]).length], ['annotations.digest', 3, 3])
    assert.partialDeepStrictEqual(messageJson(messageOf({ kind: 'test', items: [] })), { type: 'test', data: [] })
  })

  test('XML is a valid annotation document', () => {
    const items = Object.values(sampleItems)
    const { acis, errors } = readAcis(messageXml(messageOf({ kind: 'digest', items })))
    assert.deepEqual(errors, [])
    assert.deepEqual(
      acis.map(({ kind, title, uri, summary, changes }) => [kind, title, uri, summary.text, changes?.list.length ?? 0]),
      items.map(({ kind, title, url, summary, changes }) => [kind, title, url, summary, changes.length]),
    )
  })
})

describe('WML', () => {
  const words = (deck: string): string[] =>
    deck
      .slice(deck.indexOf('<card'))
      .split(/<p>|<br\/>/)
      .slice(1)
      .map((line) => line.replace(/<[^>]*>/g, '').trim())

  test('shows each item in a few lines', () => {
    const kettle = ['Kettle', 'Changed, 2026-05-03 08:00 UTC']
    const one = (item: MessageItem, amount: Message['amount'] = 'change') =>
      words(messageWml(messageOf({ items: [item], amount })))
    assert.deepEqual(one(sampleItems.price), [...kettle, '€ 39.90 → € 34.50'])
    assert.deepEqual(one(sampleItems.words), [...kettle, 'The bridge is [open → closed] to lorries [+ at night].'])
    assert.deepEqual(one(sampleItems.words, 'summary'), [...kettle, 'The bridge is open → closed to lorries'])
    assert.deepEqual(one({ ...sampleItems.price, text: 'a\nb' }, 'full'), [...kettle, '€ 39.90 → € 34.50 / a / b'])
    assert.deepEqual(one(sampleItems.gone), [
      ...['Kettle', 'Gone, 2026-05-03 08:00 UTC', 'Gone: the server says 404 (not found)'],
    ])
    assert.deepEqual(words(messageWml(sampleDigest)), [
      ...[...kettle, '€ 39.90 → € 34.50'],
      ...['Bridge closed', 'New, 2026-05-03 08:00 UTC', 'The bridge at Juniper Ridge is closed.'],
      ...['https://shop.example/kettle', 'Gone, 2026-05-03 08:00 UTC', 'Gone: the server says 404 (not found)'],
      'and 3 more in your inbox',
    ])
  })

  test('counts the items that do not fit, and shows at least one', () => {
    const item = itemOf({ summary: 'word '.repeat(300) })
    const lines = words(messageWml(messageOf({ kind: 'digest', items: Array<MessageItem>(20).fill(item) })))
    assert.equal(lines.at(-1), 'and 19 more in your inbox')
    assert.match(lines[2]!, /^word .* word…$/)
  })

  test('is valid and small enough for a phone', { skip: xmllintSkip }, () => {
    const long = 'x'.repeat(100_000)
    const odd = [
      ...Object.values(sampleItems),
      itemOf({ title: hostileText, summary: `$(x) ${hostileText}`, text: hostileText }),
      itemOf({ title: long, summary: long, text: long, url: `https://x.example/${long}` }),
      itemOf({ links: { open: `https://x.example/${long}`, change: 'javascript:1', cached: '' } }),
      itemOf({ title: '💡'.repeat(500), summary: '字'.repeat(2000) }),
    ]
    const messages = odd.flatMap((item) =>
      amounts.flatMap((amount) => [
        messageOf({ amount, items: [item] }),
        messageOf({ amount, kind: 'digest', items: Array<MessageItem>(5).fill(item), leftOut: 2 }),
      ]),
    )
    checkDecks([...messages, messageOf({ kind: 'test', items: [] })].map(messageWml))
  })
})

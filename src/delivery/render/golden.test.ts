import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { messageChatHtml } from './chat-html.ts'
import { messageMarkdown } from './markdown.ts'
import { messageOf, sampleDigest, sampleItems } from './message.testkit.ts'
import { type Message, type MessageItem, subjectOf, titleOf } from './message.ts'
import { messageText } from './text.ts'

type Sample = keyof typeof sampleItems

const samples = Object.entries(sampleItems) as [Sample, MessageItem][]

describe('message subject and title', () => {
  const expected: Record<Sample, [subject: string, title: string]> = {
    price: ['Kettle: € 39.90 → € 34.50', 'Kettle'],
    words: ['Kettle: The bridge is open → closed to lorries', 'Kettle'],
    added: ['Kettle: + Only 3 left', 'Kettle'],
    removed: ['Kettle: − Free tea', 'Kettle'],
    moved: ['Kettle: moved: About us', 'Kettle'],
    newPage: ['New: Bridge closed', 'New: Bridge closed'],
    entry: ['New: Version 2.1', 'New: Version 2.1'],
    gone: ['Gone: Kettle', 'Kettle'],
    hebrew: ['\u2068קומקום\u2069: \u2068במלאי\u2069 → \u2068אזל\u2069', 'קומקום'],
  }
  for (const [name, item] of samples)
    test(`for one item: ${name}`, () => {
      const message = messageOf({ items: [item] })
      assert.deepEqual([subjectOf(message), titleOf(message)], expected[name])
      assert.equal(subjectOf({ ...message, kind: 'digest' }), expected[name][0], 'a digest of one says it too')
    })

  test('for an item without a summary, a digest and a test message', () => {
    const withoutSummary = messageOf({ items: [{ ...sampleItems.price, summary: '', parts: [] }] })
    assert.deepEqual([subjectOf(withoutSummary), titleOf(withoutSummary)], ['Changed: Kettle', 'Changed: Kettle'])
    assert.equal(subjectOf(sampleDigest), '6 changes')
    assert.equal(titleOf(sampleDigest), '6 changes')
    const { price } = sampleItems
    assert.equal(subjectOf(messageOf({ kind: 'digest', items: [price, price] })), '2 changes: Prices')
    assert.equal(subjectOf(messageOf({ kind: 'test', items: [] })), 'Test message from eRACE')
  })

  test('cut long titles and changes between characters, leaving room for the change', () => {
    const family = '👨‍👩‍👧‍👦'
    const [first, second] = [family.repeat(30), 'word '.repeat(100)].map((title) =>
      subjectOf(messageOf({ items: [{ ...sampleItems.price, title }] })),
    )
    assert.equal(first, `${family.repeat(6)}…: € 39.90 → € 34.50`)
    assert.match(second!, /^(?:word ){13}word…: € 39\.90 → € 34\.50$/)
    const long = subjectOf(messageOf({ items: [{ ...sampleItems.price, summary: family.repeat(50), parts: [] }] }))
    assert.match(long, new RegExp(`^Kettle: (?:${family})+…$`, 'u'))
    assert.ok(long.length <= 150)
  })
})

/** Last lines of every message. */
const foot = `
-- 
You get this because of your profile “Prices”.
Settings: https://e.example/settings
`
const ways = `  See the change: https://e.example/c/7
  Saved copy: https://e.example/v/7
`

describe('plain-text rendering', () => {
  const kettle = `Kettle
  Changed, shop.example, 2026-05-03 08:00 UTC
`
  const expected: Record<Sample, string> = {
    price: `${kettle}
  Shop › Kettle
    € 39.90 → € 34.50

  https://shop.example/kettle
${ways}`,
    words: `${kettle}
  News
    The bridge is [open → closed] to lorries [+ at night].
  … and 1 more change

  https://shop.example/kettle
${ways}`,
    added: `${kettle}
  Shop › Kettle
    + Only 3 left

  https://shop.example/kettle
${ways}`,
    removed: `${kettle}
  − Free tea

  https://shop.example/kettle
${ways}`,
    moved: `${kettle}
  moved: About us

  https://shop.example/kettle
${ways}`,
    newPage: `Bridge closed
  New, news.example, 2026-05-03 08:00 UTC

  The bridge at Juniper Ridge is closed.

  https://news.example/bridge
  Open in the inbox: https://e.example/a/7
  Saved copy: https://e.example/v/7
`,
    entry: `Version 2.1
  New, blog.example, 2026-05-03 08:00 UTC

  Faster, and with fewer bugs.

  https://blog.example/2.1
  Open in the inbox: https://e.example/a/7
  Saved copy: https://e.example/v/7
`,
    gone: `Kettle
  Gone, shop.example, 2026-05-03 08:00 UTC

  Gone: the server says 404 (not found)

  https://shop.example/kettle
${ways}`,
    hebrew: `קומקום
  Changed, shop.example, 2026-05-03 08:00 UTC

  חנות
    \u2068הקומקום במלאי\u2069 → \u2068הקומקום אזל\u2069

  https://shop.example/kettle
${ways}`,
  }
  for (const [name, item] of samples)
    test(`renders one item: ${name}`, () =>
      assert.equal(messageText(messageOf({ items: [item] })), expected[name] + foot))

  test('renders a digest', () => {
    assert.equal(
      messageText(sampleDigest),
      `Prices
======

Kettle
  Changed, shop.example, 2026-05-03 08:00 UTC

  Shop › Kettle
    € 39.90 → € 34.50

  https://shop.example/kettle
  also at https://outlet.example/kettle/
  also at https://shop.example/de?a=1
${ways}
News
====

Bridge closed
  New, news.example, 2026-05-03 08:00 UTC

  The bridge at Juniper Ridge is closed.

  https://news.example/bridge
  Open in the inbox: https://e.example/a/7
  Saved copy: https://e.example/v/7

https://shop.example/kettle
  Gone, shop.example, 2026-05-03 08:00 UTC

  Gone: the server says 404 (not found)

  https://shop.example/kettle
${ways}
-- 
You get this because of your profiles “Prices” and “News”.
… and 3 more in your inbox: https://e.example/inbox
Settings: https://e.example/settings
`,
    )
  })
})

describe('Markdown rendering', () => {
  const changed = '(Changed, shop.example, 2026-05-03 08:00 UTC)'
  const kettle = `**[Kettle](https://shop.example/kettle)** ${changed}`
  const links = '[See the change](https://e.example/c/7) · [Saved copy](https://e.example/v/7)'
  const newLinks = '[Open in the inbox](https://e.example/a/7) · [Saved copy](https://e.example/v/7)'
  const expected: Record<Sample, string[]> = {
    price: [kettle, '- _Shop › Kettle_: ~~€ 39.90~~ → € 34.50', links],
    words: [kettle, '- _News_: The bridge is ~~open~~ → closed to lorries at night.\n- and 1 more change', links],
    added: [kettle, '- _Shop › Kettle_: \\+ Only 3 left', links],
    removed: [kettle, '- − ~~Free tea~~', links],
    moved: [kettle, '- moved: About us', links],
    newPage: [
      '**[Bridge closed](https://news.example/bridge)** (New, news.example, 2026-05-03 08:00 UTC)',
      '- The bridge at Juniper Ridge is closed.',
      newLinks,
    ],
    entry: [
      '**[Version 2.1](https://blog.example/2.1)** (New, blog.example, 2026-05-03 08:00 UTC)',
      '- Faster, and with fewer bugs.',
      newLinks,
    ],
    gone: [kettle.replace('Changed', 'Gone'), '- Gone: the server says 404 \\(not found\\)', links],
    hebrew: [
      `**[קומקום](https://shop.example/kettle)** ${changed}`,
      '- _חנות_: ~~\u2068הקומקום במלאי\u2069~~ → \u2068הקומקום אזל\u2069',
      links,
    ],
  }
  for (const [name, item] of samples)
    test(`renders one item: ${name}`, () =>
      assert.equal(messageMarkdown(messageOf({ items: [item] })), `${expected[name].join('\n\n')}\n`))

  test('renders a digest', () => {
    const gone =
      '**[https://shop.example/kettle](https://shop.example/kettle)** (Gone, shop.example, 2026-05-03 08:00 UTC)'
    const also =
      'Also at [outlet.example/kettle](https://outlet.example/kettle/), [shop.example/de?a=1](https://shop.example/de?a=1)'
    const expectedBlocks = [
      ...['**Prices**', kettle, '- _Shop › Kettle_: ~~€ 39.90~~ → € 34.50', also, links],
      ...['**News**', ...expected.newPage],
      ...[gone, '- Gone: the server says 404 \\(not found\\)', links],
      '[and 3 more in your inbox](https://e.example/inbox)',
    ]
    assert.equal(messageMarkdown(sampleDigest), `${expectedBlocks.join('\n\n')}\n`)
  })
})

describe('chat HTML rendering', () => {
  const kettle = '<b><a href="https://shop.example/kettle">Kettle</a></b>'
  const facts = 'Changed · shop.example · Prices'
  const links = '<a href="https://e.example/c/7">See the change</a> · <a href="https://e.example/v/7">Saved copy</a>'
  const newLinks =
    '<a href="https://e.example/a/7">Open in the inbox</a> · <a href="https://e.example/v/7">Saved copy</a>'
  const expected: Record<Sample, string[]> = {
    price: [kettle, facts, '<i>Shop › Kettle</i>', '<del>€ 39.90</del> → <u>€ 34.50</u>', links],
    words: [
      ...[kettle, facts, '<i>News</i>'],
      ...['The bridge is <del>open</del> → <u>closed</u> to lorries <u>at night</u>.', 'and 1 more change', links],
    ],
    added: [kettle, facts, '<i>Shop › Kettle</i>', '+ <u>Only 3 left</u>', links],
    removed: [kettle, facts, '− <del>Free tea</del>', links],
    moved: [kettle, facts, 'moved: About us', links],
    newPage: [
      '<b><a href="https://news.example/bridge">Bridge closed</a></b>',
      ...['New · news.example · Prices', 'The bridge at Juniper Ridge is closed.', newLinks],
    ],
    entry: [
      '<b><a href="https://blog.example/2.1">Version 2.1</a></b>',
      ...['New · blog.example · Prices', 'Faster, and with fewer bugs.', newLinks],
    ],
    gone: [kettle, 'Gone · shop.example · Prices', 'Gone: the server says 404 (not found)', links],
    hebrew: [
      ...['<b><a href="https://shop.example/kettle">קומקום</a></b>', facts, '<i>חנות</i>'],
      ...['<del>\u2068הקומקום במלאי\u2069</del> → <u>\u2068הקומקום אזל\u2069</u>', links],
    ],
  }
  for (const [name, item] of samples)
    test(`renders one item: ${name}`, () =>
      assert.equal(messageChatHtml(messageOf({ items: [item] }), '\n'), expected[name].join('\n')))

  test('renders a digest', () => {
    const also =
      'Also at <a href="https://outlet.example/kettle/">outlet.example/kettle</a>, <a href="https://shop.example/de?a=1">shop.example/de?a=1</a>'
    const lines = [
      ...['<b>Prices</b>', '', kettle, 'Changed · shop.example', ...expected.price.slice(2, -1), also, links, ''],
      ...['<b>News</b>', '', expected.newPage[0], 'New · news.example', ...expected.newPage.slice(2), ''],
      '<b><a href="https://shop.example/kettle">https://shop.example/kettle</a></b>',
      ...['Gone · shop.example', 'Gone: the server says 404 (not found)', links, ''],
      '… <a href="https://e.example/inbox">and 3 more in your inbox</a>',
    ]
    assert.equal(messageChatHtml(sampleDigest, '<br>'), lines.join('<br>'))
  })
})

describe('amount of an item that is shown', () => {
  const text = 'Kettle\n\n€ 34.50'
  const render = (amount: Message['amount']): string[] => {
    const message = messageOf({ amount, items: [{ ...sampleItems.words, text }] })
    return [messageText(message), messageMarkdown(message), messageChatHtml(message, '\n')]
  }

  test('summary: one line, without the changes and the full text', () => {
    for (const said of render('summary')) {
      assert.match(said, /The bridge is open → closed to lorries$/m)
      assert.doesNotMatch(said, /at night|more change|34\.50/)
    }
  })

  test('change: the old and new text, without the full text', () => {
    for (const said of render('change')) {
      assert.match(said, /open\S* → \S*closed.*at night/)
      assert.doesNotMatch(said, /34\.50/)
    }
  })

  test('full: the change and the full text', () => {
    for (const said of render('full'))
      assert.match(said, /open\S* → \S*closed.*at night[\s\S]*Kettle[\s>]*\n[\s>]*€ 34\.50/)
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { messageHtml } from './html.ts'
import { hostileText, itemOf, messageOf, sampleDigest, sampleItems } from './message.testkit.ts'
import type { Message, MessageItem } from './message.ts'

type Sample = keyof typeof sampleItems

/** The visible content, one line per block: url[x] is a link, ~x~ struck through, +x+ marked as new. Hidden text is omitted. */
function seen(message: Message): string[] {
  const errors: string[] = []
  const document = parse(messageHtml(message), { onParseError: ({ code }) => errors.push(code) })
  assert.deepEqual(errors, [])
  const lines = ['']
  const say = (text: string): void => void lines.push(lines.pop()! + text)
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if (node.nodeName === '#text') say((node as DefaultTreeAdapterTypes.TextNode).value)
    if (!('childNodes' in node) || ['head', 'style'].includes(node.nodeName)) return
    const attributes = 'attrs' in node ? new Map(node.attrs.map(({ name, value }) => [name, value])) : new Map()
    if (String(attributes.get('style') ?? '').startsWith('display:none')) return
    const [start, end] = marksOf(node.nodeName, attributes.get('href') ?? '', attributes.get('dir'))
    say(start)
    for (const child of node.childNodes) visit(child)
    say(end)
    if (['p', 'h1', 'h2', 'h3', 'br'].includes(node.nodeName)) lines.push('')
  }
  visit(document)
  return lines
    .map((line) =>
      line
        .replace(/[\u2068\u2069]/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '')
}

function marksOf(name: string, href: string, dir: string | undefined): [string, string] {
  if (name === 'a') return [`${href.replace('https://e.example', '')}[`, ']']
  if (name === 'del') return ['~', '~']
  if (name === 'ins') return ['+', '+']
  return dir === 'rtl' ? ['rtl: ', ''] : ['', '']
}

const foot = ['You get this because of your profile “Prices”.', '/inbox[Inbox] · /settings[Settings]']
const ways = '/c/7[See the change] /v/7[Saved copy]'
const newWays = '/a/7[Open in the inbox] /v/7[Saved copy]'
const kettle = ['eRACE', 'https://shop.example/kettle[Kettle]', 'Changed shop.example · 3 May, 08:00 UTC']

describe('mail HTML rendering', () => {
  const expected: Record<Sample, string[]> = {
    price: [...kettle, 'Shop › Kettle', '~€ 39.90~ → +€ 34.50+', ways],
    words: [
      ...kettle,
      'News',
      'The bridge is ~open~ → +closed+ to lorries +at night+.',
      '/c/7[and 1 more change]',
      ways,
    ],
    added: [...kettle, 'Shop › Kettle', '+ +Only 3 left+', ways],
    removed: [...kettle, '− ~Free tea~', ways],
    moved: [...kettle, 'moved: About us', ways],
    newPage: [
      ...['eRACE', 'https://news.example/bridge[Bridge closed]', 'New news.example · 3 May, 08:00 UTC'],
      ...['The bridge at Juniper Ridge is closed.', newWays],
    ],
    entry: [
      ...['eRACE', 'https://blog.example/2.1[Version 2.1]', 'New blog.example · 3 May, 08:00 UTC'],
      ...['Faster, and with fewer bugs.', newWays],
    ],
    gone: [...kettle.with(2, 'Gone shop.example · 3 May, 08:00 UTC'), 'Gone: the server says 404 (not found)', ways],
    hebrew: [
      ...kettle.with(1, 'https://shop.example/kettle[קומקום]'),
      ...['חנות', 'rtl: הקומקום ~במלאי~ ← +אזל+', ways],
    ],
  }
  for (const [name, item] of Object.entries(sampleItems) as [Sample, MessageItem][])
    test(`renders one item: ${name}`, () =>
      assert.deepEqual(seen(messageOf({ items: [item] })), [...expected[name], ...foot]))

  test('renders a digest', () => {
    const links = (text: string): string => text.replace('] ', '] · ')
    const also =
      'Also at https://outlet.example/kettle/[outlet.example/kettle], https://shop.example/de?a=1[shop.example/de?a=1]'
    assert.deepEqual(seen(sampleDigest), [
      ...['eRACE', '6 changes', '3 May 2026, 08:00 UTC'],
      ...['Prices', ...expected.price.slice(1, -1), also, links(ways)],
      ...['News', ...expected.newPage.slice(1, -1), links(newWays)],
      ...['https://shop.example/kettle[https://shop.example/kettle]', ...expected.gone.slice(2, -1), links(ways)],
      ...['/inbox[See 3 more in your inbox]', 'You get this because of your profiles “Prices” and “News”.', foot[1]!],
    ])
  })

  test('shows the summary, the change, or the change and the full text', () => {
    const item = { ...sampleItems.words, text: 'Kettle\n\n€ 34.50' }
    const [line, change, text] = (['summary', 'change', 'full'] as const).map((amount) =>
      seen(messageOf({ amount, items: [item] })),
    )
    assert.deepEqual(line, [...kettle, item.summary, ways, ...foot])
    assert.deepEqual(change, [...expected.words, ...foot])
    assert.deepEqual(text, [...expected.words.slice(0, -1), 'Full text', 'Kettle', '€ 34.50', ways, ...foot])
  })

  test('contains the unsubscribe link if there is one', () => {
    const links = { ...messageOf().links, unsubscribe: 'https://e.example/unsubscribe/x' }
    assert.equal(seen(messageOf({ links })).at(-1), `${foot[1]} · /unsubscribe/x[Unsubscribe]`)
  })

  test('provides preview text that adds to the subject', () => {
    const preview = (message: Message): string => />([^<]*)<\/div>/.exec(messageHtml(message))![1]!
    assert.equal(preview(messageOf()), '€ 39.90 → € 34.50 · + Only 3 left · − Free tea · moved: About us')
    assert.equal(preview(messageOf({ items: [sampleItems.newPage] })), 'The bridge at Juniper Ridge is closed.')
    assert.equal(
      preview(sampleDigest),
      'Kettle: € 39.90 → € 34.50 · New: Bridge closed: The bridge at Juniper Ridge is closed. · https://shop.example/kettle: Gone: the server says 404 (not found)',
    )
  })

  test('contains no scripts or external resources, and styles text elements inline', () => {
    for (const message of [messageOf(), sampleDigest, messageOf({ kind: 'test', items: [] })]) {
      const page = messageHtml(message)
      assert.doesNotMatch(page, /<(?:script|img|link|iframe|form|svg)|src=|url\(|@import/i)
      for (const [, name, attributes] of page.matchAll(/<(p|h[1-3]|a|ins|del)\b([^>]*)/g))
        assert.match(attributes!, / style="/, name)
    }
  })

  test('escapes text from pages and profiles, and drops unsafe links', () => {
    const item = itemOf({
      ...{ title: hostileText, url: 'javascript:alert(1)', source: hostileText, profile: hostileText },
      ...{ summary: hostileText, parts: [{ kind: 'added', text: hostileText }], text: `"><b>x</b>\n${hostileText}` },
      changes: [
        { kind: 'changed', path: hostileText, before: hostileText, after: '" onclick="alert(1)' },
        { kind: 'changed', path: '', pieces: [{ kind: 'added', text: '<img src=x onerror=alert(1)>' }] },
      ],
      alsoAt: ['javascript:alert(1)', 'https://x.example/"><script>'],
      links: { open: 'javascript:1', change: 'data:text/html,x', cached: 'https://e.example/"onclick="x' },
    })
    for (const amount of ['summary', 'change', 'full'] as const)
      for (const kind of ['single', 'digest'] as const) {
        const page = messageHtml(messageOf({ kind, amount, items: [item, item] }))
        const elements = [...page.matchAll(/<(\w+)/g)].map(([, name]) => name!)
        const allowed = 'html head meta title style body div table tr td p br h1 h2 h3 span a ins del'.split(' ')
        assert.deepEqual(
          elements.filter((name) => !allowed.includes(name)),
          [],
        )
        for (const [tag] of page.matchAll(/<\w[^>]*>/g)) assert.doesNotMatch(tag, / on\w+=|="?(?:javascript|data):/i)
      }
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from 'parse5'
import { messageHtml } from './html.ts'
import { messageJson } from './json.ts'
import { messageMarkdown } from './markdown.ts'
import { hostileText, itemOf, messageOf } from './message.testkit.ts'
import { subjectOf } from './message.ts'
import { messageShort, shortLength } from './short.ts'
import { messageText } from './text.ts'

describe('messages', () => {
  test('as text say what changed, old and new, with links', () => {
    const text = messageText(messageOf())
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
    const lines = messageText(
      messageOf({ items: [itemOf({ summary: 'word '.repeat(200) })], amount: 'summary' }),
    ).split('\n')
    assert.ok(lines.every((line) => line.length <= 72 || line.includes('https://')))
  })

  test('as HTML are a whole page without anything to load or run', () => {
    const page = messageHtml(messageOf())
    const errors: string[] = []
    parse(page, { onParseError: ({ code }) => errors.push(code) })
    assert.deepEqual(errors, [])
    assert.match(page, /<del [^>]*>€ 39\.90<\/del> → <ins [^>]*>€ 34\.50<\/ins>/)
    assert.doesNotMatch(page, /<(?:script|img|link|iframe)|src=/)
  })

  test('as Markdown strike through what went', () => {
    const text = messageMarkdown(messageOf({ amount: 'summary' }))
    assert.match(text, /~~€ 39\\?\.90~~ → € 34/)
    assert.match(text, /\*\*\[Kettle\]\(https:\/\/shop\.example\/kettle\)\*\*/)
  })

  test('digests are grouped by profile and say what was left out', () => {
    const digest = messageOf({
      kind: 'digest',
      items: [itemOf(), itemOf({ id: 8, profile: 'News', title: 'Bridge' })],
      leftOut: 3,
    })
    assert.equal(subjectOf(digest), '5 changes')
    for (const text of [messageText(digest), messageHtml(digest), messageMarkdown(digest)]) {
      assert.ok(text.indexOf('Prices') < text.indexOf('News'))
      assert.match(text, /3 more/)
    }
  })

  test('what pages call themselves begins no header, no markup and no link', () => {
    const evil = messageOf({
      kind: 'digest',
      items: [
        itemOf({
          title: hostileText,
          url: 'javascript:alert(1)',
          profile: hostileText,
          summary: hostileText,
          parts: [],
          changes: [{ kind: 'added', path: hostileText, after: hostileText }],
        }),
      ],
    })
    for (const subject of [subjectOf(evil), subjectOf({ ...evil, kind: 'single' })])
      assert.doesNotMatch(subject, /[\r\n\u2028\u202e]/)
    assert.doesNotMatch(messageHtml(evil), /<script|href="javascript/i)
    assert.doesNotMatch(messageMarkdown(evil), /\]\(javascript|(?<!\\)<script|@here/)
    assert.doesNotMatch(messageText(evil), /\u202e|^Bcc/m)
    assert.ok(JSON.stringify(messageJson(evil)).isWellFormed())
    assert.ok([...subjectOf(messageOf({ items: [itemOf({ title: 'x'.repeat(10_000_000) })] }))].length <= 150)
  })

  test('short messages fit: 160 of the GSM alphabet, 70 of another', () => {
    assert.equal(messageShort(messageOf()), 'Kettle: € 39.90 -> € 34.50 https://e.example/a/7')
    const long = messageShort(messageOf({ items: [itemOf({ title: 'A very long title '.repeat(30) })] }))
    assert.ok(shortLength(long).length <= 160 && long.endsWith('... https://e.example/a/7'), long)
    const greek = messageShort(messageOf({ items: [itemOf({ title: 'Καλημέρα κόσμε '.repeat(10) })] }))
    assert.equal(shortLength(greek).room, 70)
    assert.ok(shortLength(greek).length <= 70, greek)
    const emoji = messageShort(messageOf({ items: [itemOf({ title: '💡'.repeat(100) })] }))
    assert.ok(shortLength(emoji).length <= 70 && emoji.isWellFormed())
    assert.deepEqual(shortLength('€[]'), { length: 6, room: 160 })
  })

  test('as JSON have the names of the API', () => {
    const { data, type } = messageJson(messageOf()) as {
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

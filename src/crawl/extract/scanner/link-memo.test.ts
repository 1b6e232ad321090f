import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { baseOfSerialised, resolve, withoutFragment } from '../../../core/url/url.ts'
import { fastfind } from '../fastfind.ts'
import { createLinkMemo, type LinkMemo } from './link-memo.ts'

/** Targets of the links of a page, deduplicated; those that the memo knows are not resolved again. */
function targets(page: string, url: string, memo?: LinkMemo<string>): string[] {
  const base = baseOfSerialised(url)
  memo?.enter(base.prefix, base.directory)
  const found = fastfind(Buffer.from(page), { memo }).links.map(({ href, known, slot }) => {
    const target = known ?? withoutFragment(resolve(href, base) ?? `no URL: ${href}`)
    if (slot !== undefined) memo?.keep(slot, target)
    return target
  })
  return [...new Set(found)]
}

const hrefs = [
  ...['x', 'x#a', 'x#b', './x', '../x', '/x', '/x#y', '//h.example/x', '?x', '?x#y', 'x?y', 'x?y&amp;z', 'x?y&z#a'],
  ...['http://h.example/', 'http://h.example/#a', 'HTTP://h.example/', 'https://h.example/x', 'http:x', 'http:?x'],
  ...['http:/x', 'https:x', 'http:', 'https://', 'h&Tab;ttp:?x', '&quest;x', '&#63;x', 'x&#35;y', 'x y', 'x\ty', ' x '],
  ...[
    '\x01?x',
    'x&amp;y',
    'x?a&#35;b',
    'x?a&#38;b',
    'a/b://c',
    'a:b',
    'a?b:c',
    'é',
    'x#é',
    '\\x',
    '\\\\h.example',
    '\0x',
  ],
  ...[
    '../../x',
    '../../../x',
    './../x',
    '../',
    '..',
    '../..',
    '../.',
    './',
    '.',
    './.x',
    '.x',
    '..x',
    '.../x',
    '../a:b',
  ],
  ...['./a:b', './?x', '../?x', '../#x', '/a:b', 'd/x', 'd/e/x', '../d/x', '/d/x', '/d/e/x', 'http://a.example/d/x'],
  ...[
    '//a.example/d/x',
    '/\\\\h.example/x',
    '/\\x',
    '\\d\\x',
    'd\\x',
    '//',
    '///x',
    '/d//x',
    'd//x',
    '//d/x',
    '/./x',
    '/../x',
  ],
  ...[
    'd/../x',
    'd/./x',
    '%2e%2e/x',
    '.%2e/x',
    '_x',
    '-x',
    '~x',
    ';x',
    '(x',
    '=x',
    ':x',
    'x:',
    'x/:',
    `${'../'.repeat(20)}x`,
  ],
  ...[`x${'y'.repeat(300)}`, `x#${'y'.repeat(300)}`, 'x?a&b#c', 'x?&copy#', '#x', 'mailto:a'],
]
const urls = [
  'http://a.example/',
  'http://a.example/p',
  'http://a.example/p?q',
  'http://a.example/d/p',
  'https://a.example/d/p',
  'http://a.example/d/e/p',
  'http://a.example/d/e/f/g/',
  'http://a.example//d/p',
  'http://a.example/d//p',
  'http://a.example:8080/d/p',
  'http://x:y@a.example/d/p',
  `http://a.example/${'d/'.repeat(20)}p`,
  `http://a.example/${'d'.repeat(2100)}/p`,
  'ftp://a.example/d/p',
]
const page = hrefs.map((href) => `<a href="${href}">`).join('')

describe('link memo', () => {
  test('gives the same targets as resolving every link', () => {
    const memo = createLinkMemo<string>()
    for (const url of [...urls, ...urls, 'http://b.example/d/p', ...urls])
      assert.deepEqual(targets(page, url, memo), targets(page, url), url)
  })

  test('recognises relative links in the same folder, rooted ones on the same origin, absolute ones anywhere', () => {
    const memo = createLinkMemo<string>()
    const known = (text: string, url: string): boolean[] => {
      const base = baseOfSerialised(url)
      memo.enter(base.prefix, base.directory)
      return fastfind(Buffer.from(text), { memo }).links.map((link) => link.known !== null)
    }
    const text = '<a href=x#1><a href=/y><a href=http://h.example/x><a href=?x>'
    targets(text, 'http://a.example/d/1', memo)
    assert.deepEqual(known(text, 'http://a.example/d/2'), [true, true, true, false])
    assert.deepEqual(known(text, 'http://a.example/e/'), [false, true, true, false])
    assert.deepEqual(known(text, 'http://b.example/d/'), [false, false, true, false])
    assert.deepEqual(known('<a href=x#2>', 'http://a.example/d/3'), [true])
  })

  test('recognises a link spelled relative, root-relative or absolute', () => {
    const memo = createLinkMemo<string>()
    targets('<a href=x>', 'http://a.example/d/1', memo)
    const spellings = {
      'http://a.example/e/f/': '../../d/x',
      'http://a.example/': '/d/x',
      'http://b.example/': 'http://a.example/d/x',
    }
    for (const [url, href] of Object.entries(spellings)) {
      const base = baseOfSerialised(url)
      memo.enter(base.prefix, base.directory)
      const { links } = fastfind(Buffer.from(`<a href=${href}>`), { memo })
      assert.deepEqual(links, [{ href: '', tag: 'a', nofollow: false, known: 'http://a.example/d/x' }])
    }
  })

  test('does not change how repeated links count towards the limit', () => {
    const text = '<a href=x><a href=x><a href=/x><a href=y><a href=x><a href=z>'
    for (const maxLinks of [1, 2, 3, 4, 5, 6]) {
      const memo = createLinkMemo<string>()
      memo.enter('http://a.example', 'http://a.example/')
      const { droppedLinks } = fastfind(Buffer.from(text), { memo, maxLinks })
      assert.equal(droppedLinks, fastfind(Buffer.from(text), { maxLinks }).droppedLinks)
    }
  })

  test('does not hide a link whose target is also the action of a POST form', () => {
    const memo = createLinkMemo<string>()
    memo.enter('http://a.example', 'http://a.example/')
    const { links } = fastfind(Buffer.from('<form method=post action=x></form><a href=x>'), { memo })
    assert.deepEqual(
      links.map(({ href, tag }) => [href, tag]),
      [['x', 'a']],
    )
  })

  test('forgets all links at once when full and starts a new generation', () => {
    const memo = createLinkMemo<string>()
    const many = (from: number): string => Array.from({ length: 9000 }, (_, i) => `<a href=/${from + i}>`).join('')
    const before = memo.generation
    for (let from = 0; from < 72_000; from += 9000) {
      targets(many(from), 'http://a.example/', memo)
      // Repeats some known links: if nothing is recognised, the memo rests.
      targets(many(0), 'http://a.example/', memo)
    }
    assert.deepEqual(targets(many(4000), 'http://a.example/', memo), targets(many(4000), 'http://a.example/'))
    assert.equal(memo.generation, before + 1)
  })

  test('is not used on a page with a base element', () => {
    const memo = createLinkMemo<string>()
    targets('<a href=x>', 'http://a.example/', memo)
    const { links, base } = fastfind(Buffer.from('<a href=x><base href=/b/>'), { memo })
    assert.deepEqual([links, base], [[{ href: 'x', tag: 'a', nofollow: false, known: null }], '/b/'])
  })

  test('does not prevent reading a page that is too large for it', () => {
    const memo = createLinkMemo<string>()
    const large = `<a href=x>${'y'.repeat(2 << 20)}<a href=z>`
    assert.deepEqual(targets(large, 'http://a.example/', memo), ['http://a.example/x', 'http://a.example/z'])
  })
})

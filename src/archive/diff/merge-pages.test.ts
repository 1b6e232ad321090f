import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { createIgnoredText } from '../../core/text/ignored-text.ts'
import { firstChangeId, mergePages } from './merge-pages.ts'

/** With short marks, and without the style. */
function merged(old: string, next: string, ignore: readonly string[] = []): string | undefined {
  return mergePages(old, next, (text) => createIgnoredText().find(text, ignore) ?? [])
    ?.replace(/<style>[^<]*<\/style>(?=<(?:ins|del) class="erace)/, '')
    .replace(` id="${firstChangeId}"`, '')
    .replace(/<(ins|del) class="erace-(?:added|removed)">/g, '<$1>')
    .replace(/<ins class="erace-moved">/g, '<ins moved>')
}

describe('merging two versions of a page', () => {
  for (const { name, old, next, expected, ignore } of [
    {
      name: 'a replaced word',
      old: '<p>It costs 10 Euro today.</p>',
      next: '<p class=x>It costs 12 Euro today.</p>',
      expected: '<p class=x>It costs <del>10 Euro</del> <ins>12 Euro</ins> today.</p>',
    },
    {
      name: 'new words are shown next to those they replace, line by line',
      old: '<p>€ 39.90</p><p>In stock</p><p>Free returns</p>',
      next: '<p>€ 34.50</p><p>Only 3 left</p><p>Free returns</p>',
      expected:
        '<p><del>€ 39.90</del> <ins>€ 34.50</ins></p><p><del>In stock</del> <ins>Only 3 left</ins></p><p>Free returns</p>',
    },
    {
      name: 'added words that span several elements',
      old: '<p>One two</p>',
      next: '<p>One <b>and a half</b> and two</p><p>Three</p>',
      expected: '<p>One <b><ins>and a half</ins></b> <ins>and</ins> two</p><p><ins>Three</ins></p>',
    },
    {
      name: 'removed paragraphs follow the text that preceded them',
      old: '<p>One</p><p>Two <i>and</i> a half</p><p>More</p><p>Three</p>',
      next: '<p>One</p>\n<p>Three</p>',
      expected: '<p>One <del>Two and a half<br>More</del></p>\n<p>Three</p>',
    },
    {
      name: 'a moved paragraph is marked once, at its new place',
      old: '<p>Read the instructions first.</p><p>Check that all <b>parts</b> are there.</p><p>Put the frame together.</p><p>Tighten the screws by hand.</p>',
      next: '<p>Read the instructions first.</p><p>Put the frame together.</p><p>Tighten the screws by hand.</p><p>Check that all <b>parts</b> are there.</p><p>Done!</p>',
      expected:
        '<p>Read the instructions first.</p><p>Put the frame together.</p><p>Tighten the screws by hand.</p><p><ins moved>moved: Check that all</ins> <b><ins moved>parts</ins></b> <ins moved>are there.</ins></p><p><ins>Done!</ins></p>',
    },
    {
      name: 'a paragraph that was only split is unmarked',
      old: '<p>The pool opens at nine. It closes at eight.</p><p>Dogs stay outside.</p>',
      next: '<p>The pool opens at nine.</p><p>It closes at eight.</p><p>Cats stay outside.</p>',
      expected:
        '<p>The pool opens at nine.</p><p>It closes at eight.</p><p><del>Dogs</del> <ins>Cats</ins> stay outside.</p>',
    },
    {
      name: 'removed punctuation stays attached to the word before it',
      old: '<p>Open today, and tomorrow.</p>',
      next: '<p>Open today.</p>',
      expected: '<p>Open today<del>, and tomorrow</del>.</p>',
    },
    {
      name: 'words removed from the beginning',
      old: '<p>Old news</p>',
      next: '<p>news</p>',
      expected: '<p><del>Old</del> news</p>',
    },
    { name: 'a page that becomes empty', old: '<p>Old</p>', next: '<p></p>', expected: '<p></p><del>Old</del>' },
    { name: 'a page that was empty', old: '', next: '<p>New</p>', expected: '<p><ins>New</ins></p>' },
    {
      name: 'changes of tags and white space alone give the new page byte for byte',
      old: '<p>One two</p>',
      next: '<!doctype html><DIV a="&quot;"  >One\r\n <b>two</b></DIV>',
      expected: '<!doctype html><DIV a="&quot;"  >One\r\n <b>two</b></DIV>',
    },
    {
      name: 'escaped characters of either page stay escaped',
      old: '<p>&lt;script&gt;alert(1)&lt;/script&gt; caf&eacute;</p>',
      next: '<p>5 &lt; 6 &amp; caf&eacute; &copy;</p>',
      expected: '<p><del>&lt;script&gt;alert(1)&lt;/script&gt;</del> <ins>5 &lt; 6 &amp;</ins> café <ins>©</ins></p>',
    },
    {
      name: 'elements that cannot contain marks are left unchanged',
      old: '<title>A</title><script>let a = 1</script><svg><text>1</text></svg><select><option>x</select><p>same</p>',
      next: '<title>B</title><script>let b = "<p>2"</script><svg><text>2</text></svg><select><option>y</select><p>same</p>',
      expected:
        '<title>B</title><script>let b = "<p>2"</script><svg><text>2</text></svg><select><option>y</select><p>same</p>',
    },
    {
      name: 'table cells are marked, misplaced text between them is not',
      old: '<table><tr><td>1<td>2</table>',
      next: '<table>odd<tr>odd<td>1<td>3</table>',
      expected: '<table>odd<tr>odd<td>1<td><del>2</del> <ins>3</ins></table>',
    },
    {
      name: 'comments separate texts',
      old: '<p>a<!-- x -->b</p>',
      next: '<p>a c<!-- y -->b</p>',
      expected: '<p>a <ins>c</ins><!-- y -->b</p>',
    },
    {
      name: 'ignored text is not a change in either page',
      old: '<p>Seen 100 times. Price 1</p>',
      next: '<p>Seen <b>231</b> times. Price 2</p>',
      ignore: ['Seen [0-9]+ times'],
      expected: '<p>Seen <b>231</b> times. Price <del>1</del> <ins>2</ins></p>',
    },
  ] as { name: string; old: string; next: string; expected: string; ignore?: string[] }[]) {
    test(name, () => assert.equal(merged(old, next, ignore), expected))
  }

  test('the first change has an id and is preceded by the style element', () => {
    const page = mergePages('<p>a</p>', '<p>b</p><p>c</p>')!
    assert.match(
      page,
      /^<p><style>[^<]+<\/style><del class="erace-removed" id="erace-first-change">a<\/del> <ins class/,
    )
    assert.equal(page.split(firstChangeId).length, 2)
    assert.equal(page.split('<style>').length, 2)
  })

  test('without insertions it has the words of the old page, without deletions those of the new one', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = createRandom(seed)
      const [old, next] = [randomPage(random), randomPage(random)]
      const page = mergePages(old, next)!
      assert.equal(shownWords(page, 'DEL'), shownWords(next, ''), `seed ${seed}`)
      // Those of the old page come in its order, but without a place of their own.
      assert.deepEqual(shownWords(page, 'INS').split(' ').sort(), shownWords(old, '').split(' ').sort(), `seed ${seed}`)
    }
  })

  test('pages that are too deep, too long or have too many words are not merged', () => {
    assert.equal(mergePages('', '<b>'.repeat(600)), null)
    assert.equal(mergePages('', 'x'.repeat(6_000_000)), null)
    assert.equal(mergePages('a '.repeat(250_000), ''), null)
  })

  test('each of 60,000 small changes is marked', () => {
    const page = (word: string): string => Array.from({ length: 60_000 }, (_, n) => `<p>${word}${n} same${n}`).join('')
    const merged = mergePages(page('old'), page('new'))!
    assert.equal(merged.split('<del ').length - 1, 60_000)
  })
})

function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

function randomPage(random: (below: number) => number): string {
  const pieces = ['<!-- c -->', ' ', '\n', ...'<p> </p> <b> </b> <div> </div> <br> <i> </i> <li>'.split(' ')]
  const words = ['one', 'two', 'three', '&amp;', 'a&lt;b', 'x.', '日本', '<td>', '<script>no</script>']
  let page = ''
  for (let n = random(40); n > 0; n--)
    page += random(2) === 0 ? pieces[random(pieces.length)] : ` ${words[random(words.length)]} `
  return page
}

type Node = DefaultTreeAdapterMap['node']

/** The words a browser shows, according to an independent parser. */
function shownWords(page: string, without: string): string {
  const parts: string[] = []
  const visit = (node: Node): void => {
    if (node.nodeName === '#text') parts.push((node as DefaultTreeAdapterMap['textNode']).value)
    if (['script', 'style', without.toLowerCase()].includes(node.nodeName)) return
    if ('childNodes' in node) for (const child of node.childNodes) visit(child)
  }
  visit(parse(page))
  return (
    parts
      .join(' ')
      .match(/[\p{L}\p{N}]+|\S/gu)
      ?.join(' ') ?? ''
  )
}

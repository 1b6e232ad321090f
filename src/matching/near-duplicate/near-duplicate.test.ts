import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createMainText } from './main-text.ts'
import { createNearDuplicateIndex } from './near-duplicate-index.ts'
import { likeness, sketchBeside, storyOf } from './same-story.ts'
import { decodeSketch, encodeSketch, readLines, sketchOf, type TextSketch } from './text-sketch.ts'

const vocabulary = Array.from({ length: 3_000 }, (_, n) => `w${(n * 7_919) % 10_007}`)

/** Made-up paragraphs, the same for the same number. */
function story(number: number, lines = 10, words = 30): string[] {
  let state = (number * 2_654_435_761 + 1) >>> 0
  return Array.from({ length: lines }, () =>
    Array.from({ length: words }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return vocabulary[(state >>> 8) % vocabulary.length]!
    }).join(' '),
  )
}

/** Replaces every nth word. */
const rewritten = (lines: readonly string[], every: number, seed = 1): string[] =>
  lines.map((line, at) =>
    line
      .split(' ')
      .map((word, n) => ((n + at) % every === 0 ? `other${seed}x${at}x${n}` : word))
      .join(' '),
  )

const placed = (lines: readonly string[], place = 'p') => lines.map((text) => ({ text, place }))
const sketched = (lines: readonly string[]): TextSketch => sketchOf(readLines(placed(lines)))!
const textOf = (lines: readonly string[], host: string, cluster = 1) => ({ host, cluster, sketch: sketched(lines) })
const alike = (one: readonly string[], other: readonly string[], hosts = ['a.example', 'b.example']): number =>
  likeness(textOf(one, hosts[0]!), textOf(other, hosts[1]!))

describe('the sketch of a text', () => {
  test('ignores case and punctuation, and is stable across processes and releases', () => {
    const lines = story(1)
    const shouted = lines.map((line) => line.toUpperCase().replaceAll(' ', ', '))
    assert.deepEqual(sketched(shouted), sketched(lines))
    assert.equal(
      encodeSketch(sketched(story(3, 1, 24)))
        .subarray(0, 12)
        .toString('hex'),
      '011701005d5ed30f511e8d34',
    )
    assert.deepEqual(sketched(story(3)).bands.slice(0, 2), [4057717089, 4609699258])
  })

  test('survives encoding and decoding, and invalid bytes are rejected', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 4 }), { maxLength: 60 }),
        (lines) => {
          const sketch = sketchOf(readLines(placed(lines.map((words) => words.join(' ')))))
          if (sketch === null) return
          const { bands, ...stored } = sketch
          assert.equal(bands.length, 21)
          assert.deepEqual(decodeSketch(encodeSketch(sketch)), stored)
        },
      ),
    )
    for (const bytes of [[], [1], [2, 0, 0, 0], [1, 200, 200, 0]]) assert.equal(decodeSketch(Buffer.from(bytes)), null)
  })

  test('is limited in size, however long the text is', () => {
    const sketch = sketched(story(1, 3_000))
    assert.deepEqual([sketch.shingles.length, sketch.lines.length], [128, 255])
    assert.ok(encodeSketch(sketch).length < 2_200)
  })

  test('is null for texts that are too short, repetitive or boilerplate', () => {
    assert.equal(sketchOf(readLines(placed(story(1, 1, 23)))), null)
    assert.notEqual(sketchOf(readLines(placed(story(1, 1, 24)))), null)
    assert.equal(sketchOf(readLines(placed(Array(90).fill('Read more')))), null)
    assert.equal(sketchOf(readLines(placed(story(1)).map(({ text }) => ({ text, place: 'footer/p' })))), null)
  })

  test('treats characters as words in scripts without spaces', () => {
    const text =
      '政府は月曜日に来年度予算が四パーセント増えると発表した。新しい資金の多くは学校と病院と橋の修理に使われる。'
    assert.ok(alike([text], [text.replace('月曜日', '火曜日')]) > 0.7)
    assert.equal(
      alike(
        [text],
        ['昨日の試合は雨のため中止となり、来週の土曜日に同じ会場で改めて行われることになった。切符はそのまま使える。'],
      ),
      0,
    )
  })
})

describe('the main text', () => {
  const isMainText = createMainText()

  test('excludes navigation, sidebars and similar places, and boilerplate sentences', () => {
    const sentence = 'The ministry said on Monday that the budget grows'
    for (const place of ['main/p', 'div#content.page/div/p', 'article.story/p', ''])
      assert.equal(isMainText({ text: sentence, place }), true, place)
    for (const place of [
      'title',
      'nav/ul/li',
      'div.x/footer/p',
      'div.cookie-banner/p',
      'div#sidebar/p',
      'div.related/a',
    ])
      assert.equal(isMainText({ text: sentence, place }), false, place)
    for (const text of [
      'We use cookies to improve your visit',
      '© 2026 Daily Planet, all rights reserved',
      'クッキーを使用します',
    ])
      assert.equal(isMainText({ text, place: 'p' }), false, text)
  })
})

describe('likeness of two texts', () => {
  test('is well above zero if a tenth of the words and the surrounding text differ', () => {
    const article = story(5)
    for (const every of [10, 20, 100])
      assert.ok(
        alike([...article, ...story(90, 1)], [...rewritten(article, every), ...story(91, 1)]) > 0.45,
        `${every}`,
      )
    assert.equal(alike(article, story(6)), 0)
    assert.equal(alike(article, rewritten(article, 2)), 0)
  })

  test('is zero if they share only a notice, however long it is', () => {
    const notice = story(7, 3)
    assert.equal(alike([...story(8, 1), ...notice], [...story(9, 1), ...notice]), 0)
    assert.equal(alike([...story(8, 1, 12), ...notice], [...story(9, 1, 12), ...notice]), 0)
    const host = ['shop.example', 'shop.example']
    assert.equal(alike([...story(8, 1, 5), ...notice], [...story(9, 1, 5), ...notice], host), 0)
  })

  test('is zero on the same host, unless the texts are nearly identical', () => {
    const host = ['a.example', 'a.example']
    const article = story(11)
    assert.equal(alike(article, article, host), 1)
    assert.ok(alike(article, rewritten(article, 30), host) > 0.8)
    assert.equal(alike(article, rewritten(article, 10), host), 0)
  })
})

describe('lines of other pages of the host', () => {
  test('are left out of the sketch, unless the other page is the same', () => {
    const chrome = story(20, 4)
    const page = (n: number): string[] => [...chrome, ...story(n, 3)]
    const known = textOf(page(21), 'a.example', 21)
    const beside = (lines: readonly string[], others: (typeof known)[]) =>
      sketchBeside(readLines(placed(lines)), others)
    assert.deepEqual(beside(page(22), [known])!.bands, sketched(story(22, 3)).bands)
    assert.deepEqual(beside(page(21), [known])!.bands, sketched(page(21)).bands)
    assert.equal(beside([...chrome, 'Kettle'], [known, textOf(page(23), 'a.example', 23)]), null)
  })

  test('do not prevent a copy on another host from being recognised', () => {
    const chrome = story(30, 6)
    const others = [31, 32].map((n) => textOf([...chrome, ...story(n, 3)], 'b.example', n))
    const copy = rewritten(story(33, 3), 12)
    const sketch = sketchBeside(readLines(placed([...chrome, ...copy])), others)!
    const original = textOf(story(33, 3), 'a.example', 33)
    assert.equal(storyOf({ host: 'b.example', sketch }, [...others, original], others), 33)
  })
})

describe('near-duplicate index', () => {
  const add = (
    index: ReturnType<typeof createNearDuplicateIndex>,
    id: number,
    lines: readonly string[],
    host = `h${id}`,
  ) => index.add(id, { host, texts: placed(lines) })

  test('finds a copy of a story on another host among many others', () => {
    const index = createNearDuplicateIndex()
    for (let id = 0; id < 300; id++) assert.equal(add(index, id, story(id)), id)
    assert.equal(add(index, 1_000, rewritten(story(77), 15)), 77)
    assert.equal(add(index, 1_001, story(5_000)), 1_001)
    assert.equal(add(index, 1_002, ['too short']), null)
  })

  test('forgets the oldest text when it is full', () => {
    const index = createNearDuplicateIndex({ capacity: 5 })
    for (let id = 0; id < 6; id++) add(index, id, story(id))
    assert.equal(add(index, 10, story(1)), 1)
    assert.equal(add(index, 11, story(0)), 11)
  })

  test('keeps pages with the same template apart', () => {
    const index = createNearDuplicateIndex()
    const template = story(40, 6)
    const gaps = (n: number) => rewritten(template, 10, n)
    const joined = Array.from({ length: 50 }, (_, n) => add(index, n, gaps(n), 'a.example')).filter((id, n) => id !== n)
    assert.deepEqual(joined, [])
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readDocument } from './document-terms.ts'
import { hashText } from './term-hash.ts'
import { TokenReader } from './tokens.ts'
import { wordsOf } from './words.ts'

describe('words', () => {
  const examples: Record<string, string[]> = {
    'Größe STRASSE straße': ['grosse', 'strasse', 'strasse'],
    'naïve café crème brûlée': ['naive', 'cafe', 'creme', 'brulee'],
    'nai\u0308ve cafe\u0301': ['naive', 'cafe'],
    'ﬁne ﬂow œuvre Ærø Łódź': ['fine', 'flow', 'oeuvre', 'aero', 'lodz'],
    'Ｆｕｌｌ ｗｉｄｔｈ １２３': ['full', 'width', '123'],
    'soft\u00adhyphen zero\u200bwidth': ['softhyphen', 'zerowidth'],
    "don't state-of-the-art 3.14 a_b": ['don', 't', 'state', 'of', 'the', 'art', '3', '14', 'a', 'b'],
    'C++ C# a+b x#y F#, 1++': ['c++', 'c#', 'a', 'b', 'x#', 'y', 'f#', '1'],
    'Ελλάδα ΣΊΣΥΦΟΣ': ['ελλαδα', 'σισυφοσ'],
    'Ёлка ещё': ['елка', 'еще'],
    'שָׁלוֹם مُحَمَّد': ['שלום', 'محمد'],
    'किताब 한국어': ['किताब', '한국어'.normalize('NFD')],
    東京へ行く: ['東', '京', 'へ', '行', 'く'],
    '喜欢新闻 and more': ['喜', '欢', '新', '闻', 'and', 'more'],
    สวัสดี: ['ส', 'วั', 'ส', 'ดี'],
    'Йод йод мой Київ': ['йод', 'йод', 'мой', 'київ'],
    'и\u0306од': ['йод'],
    'الكتاب كتاب الى': ['كتاب', 'كتاب', 'الى'],
    '٢٠٢٤ ۲۰۲۴ २०२४ ๒๕๖๗': ['2024', '2024', '2024', '2567'],
    'ガ ｶﾞ': ['ガ', 'ガ'],
    'm² 𝐁old 😀 x': ['m2', 'bold', 'x'],
    '\ud800x\udc00y': ['x', 'y'],
    ' \t\n': [],
    '': [],
  }
  for (const [text, words] of Object.entries(examples))
    test(`of ${JSON.stringify(text)} are ${words.join(', ') || 'none'}`, () => assert.deepEqual(wordsOf(text), words))

  test('have correct start and end positions', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('solar', 'Größe', '東京タワー', ' ', '. ', 'c++', 'e\u0301', '😀', 'ﬁ', '-', '𝐁'), {
          maxLength: 30,
        }),
        (pieces) => {
          const text = pieces.join('')
          const { plain, starts, ends, tokens } = readDocument({ url: '', title: '', text })
          let last = 0
          for (let token = 0; token < tokens; token++) {
            assert.ok(starts[token]! >= last && ends[token]! > starts[token]!)
            const [word, ...others] = wordsOf(text.slice(starts[token], ends[token]))
            assert.deepEqual([word, others], [plain.table.textOf(plain.termOf[token]!), []])
            last = ends[token]!
          }
          assert.equal(tokens, wordsOf(text, 1_000).length)
        },
      ),
    )
  })

  test('do not depend on the Unicode normalisation form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        assert.deepEqual(
          wordsOf(text.normalize('NFD').toUpperCase().toLowerCase()),
          wordsOf(text.normalize('NFC').toUpperCase().toLowerCase()),
        )
      }),
    )
  })

  test('are cut at 64 characters', () => {
    const { tokens, plain, ends } = readDocument({ url: '', title: '', text: 'x'.repeat(10_000_000) })
    assert.deepEqual([tokens, plain.table.textOf(0), ends[0]], [1, 'x'.repeat(64), 10_000_000])
    assert.deepEqual(wordsOf(`${'ß'.repeat(40)} y`), ['s'.repeat(64), 'y'])
  })

  test('are counted, and equal words are one term', () => {
    const { plain, tokens } = readDocument({ url: '', title: '', text: 'to be or not TO BE, tö bé' })
    assert.deepEqual([tokens, plain.table.size], [8, 4])
    const counts = Object.fromEntries(Array.from(plain.counts, (count, term) => [plain.table.textOf(term), count]))
    assert.deepEqual(counts, { to: 3, be: 3, or: 1, not: 1 })
  })
})

describe('hostile documents', () => {
  test('with too many words are cut, and marked as cut', () => {
    const document = readDocument({ url: '', title: '', text: 'one two three four' }, { maxTokens: 3 })
    assert.deepEqual([document.tokens, document.isCut], [3, true])
    assert.equal(readDocument({ url: '', title: '', text: 'one two three.' }, { maxTokens: 3 }).plain.table.size, 3)
    const many = readDocument({ url: '', title: '', text: 'ab '.repeat(1_200_000) })
    assert.deepEqual([many.tokens, many.isCut], [1_000_000, true])
  })

  test('with a hundred thousand different words have as many terms', () => {
    const text = Array.from({ length: 100_000 }, (_, n) => `w${n}`).join(' ')
    const { tokens, plain, isCut } = readDocument({ url: '', title: '', text })
    assert.deepEqual([tokens, plain.table.size, isCut], [100_000, 100_000, false])
  })

  test('without any spaces in Japanese are read up to the limit', () => {
    const document = readDocument({ url: '', title: '', text: '東京都は日本の首都です'.repeat(100_000) })
    assert.deepEqual([document.isCut, document.tokens], [true, 1_000_000])
  })

  test('are read correctly after other documents, and while another one is being read', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'Z', '0'), minLength: 1, maxLength: 6 })
    const text = fc.array(word, { maxLength: 60 })
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), text, (texts, between) => {
        for (const words of texts) {
          const reader = new TokenReader()
          reader.read(words.slice(0, 20).join(' '))
          assert.deepEqual(spelledTokens(between.join(' ')), lowered(between))
          reader.read(words.slice(20).join(' '))
          assert.deepEqual(spelledTokens(reader), lowered(words))
        }
      }),
    )
  })

  test('are read correctly after a document with more words than are cached', () => {
    const many = Array.from({ length: 40_000 }, (_, n) => `many${n}`)
    const kept = readDocument({ url: '', title: '', text: 'kept höfe kept' })
    for (const words of [many, ['few'], many.toReversed(), ['few', 'more']])
      assert.deepEqual(spelledTokens(words.join(' ')), words)
    assert.deepEqual([kept.plain.table.textOf(0), kept.plain.table.textOf(1)], ['kept', 'hofe'])
    assert.equal(kept.view('en').counts[0], 2)
  })

  test('with binary data yield only valid words', () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * n * 31 + n) % 256))
    const reader = new TokenReader()
    reader.read(bytes.toString('latin1'))
    const { tokens, table } = reader.finish()
    assert.ok(tokens < 100_000)
    for (let term = 0; term < table.limit; term++) assert.match(table.textOf(term), /^[\p{L}\p{N}\p{M}#+]+$/u)
  })
})

describe('a document', () => {
  test('contains its title only once if its text starts with it', () => {
    const document = readDocument({
      url: 'http://News.Example.org:80/x',
      title: 'Solar panels',
      text: 'Solar panels\nare cheap',
    })
    assert.deepEqual(
      [document.tokens, document.titleTokens, document.bodyStart, document.host],
      [4, 2, 13, 'news.example.org'],
    )
  })

  test('contains title and text if the title is only part of the first word', () => {
    const document = readDocument({ url: 'nonsense', title: 'Sola', text: 'Solar panels' })
    assert.deepEqual([document.tokens, document.titleTokens, document.bodyStart, document.host], [3, 1, 0, ''])
  })

  test('finds its words by stems and by prefixes', () => {
    const document = readDocument({ url: '', title: '', text: 'panel panels paneling solar panic' })
    const english = document.view('en')
    assert.equal(english.counts[english.find(wordOf('panel'))], 3)
    assert.deepEqual([...english.tokensOf(english.find(wordOf('panel')))], [0, 1, 2])
    const starting = (text: string) =>
      document.plain.termsStarting(wordOf(text)).map((term) => document.plain.table.textOf(term))
    assert.deepEqual(starting('pan'), ['panel', 'panels', 'paneling', 'panic'])
    assert.deepEqual([starting('panels'), starting('x')], [['panels'], []])
    assert.equal(document.view('xx'), document.plain)
  })
})

function lowered(words: readonly string[]): string[] {
  return words.map((word) => word.toLowerCase())
}

function spelledTokens(from: string | TokenReader): string[] {
  const reader = typeof from === 'string' ? new TokenReader() : from
  if (typeof from === 'string') reader.read(from)
  const { termOf, counts, table } = reader.finish()
  const counted = new Uint32Array(counts.length)
  for (const term of termOf) counted[term]!++
  assert.deepEqual(counted, counts)
  return Array.from(termOf, (term) => table.textOf(term))
}

function wordOf(text: string): { text: string; hash: number } {
  return { text, hash: hashText(text) }
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createPattern } from './pattern.ts'
import { compilePattern } from './pattern-program.ts'
import { createSearch, type Search } from './pattern-search.ts'
import { readPattern } from './pattern-syntax.ts'

function found(source: string, text: string, pattern = createPattern(source)): string[] {
  return pattern.findAll(text).map(({ start, end }) => `${start}:${text.slice(start, end)}`)
}

function foundByJavaScript(source: string, text: string): string[] {
  return [...text.matchAll(new RegExp(source, 'g'))]
    .filter((match) => match[0] !== '')
    .map((match) => `${match.index}:${match[0]}`)
}

function searchFor(source: string): Search {
  const syntax = readPattern(source)
  const program = syntax.kind === 'ok' ? compilePattern(syntax.root) : null
  assert.ok(program !== null)
  return createSearch(program)
}

describe('search for all matches', () => {
  it('finds non-empty, non-overlapping matches from left to right', () => {
    assert.deepEqual(found('a+', 'aa b aaa'), ['0:aa', '5:aaa'])
    assert.deepEqual(found('a*', 'baac'), ['1:aa'])
    assert.deepEqual(found('aba', 'ababa'), ['0:aba'])
    assert.deepEqual(found('x', 'abc'), [])
    assert.deepEqual(found('', 'abc'), [])
    assert.deepEqual(found('a', ''), [])
  })

  it('prefers the same match as JavaScript: first alternative, greedy or lazy', () => {
    assert.deepEqual(found('a|ab', 'abab'), ['0:a', '2:a'])
    assert.deepEqual(found('ab|a', 'aba'), ['0:ab', '2:a'])
    assert.deepEqual(found('a.*b', 'a1b2b a'), ['0:a1b2b'])
    assert.deepEqual(found('a.*?b', 'a1b2b ab'), ['0:a1b', '6:ab'])
    assert.deepEqual(found('a{2,3}?', 'aaaaa'), ['0:aa', '2:aa'])
    assert.deepEqual(found('\\d+ (?:visitors|visits) today', 'So 12 visits today, 3 visitors today.'), [
      '3:12 visits today',
      '20:3 visitors today',
    ])
  })

  it('supports anchors and word boundaries', () => {
    assert.deepEqual(found('^a|a$', 'aaa'), ['0:a', '2:a'])
    assert.deepEqual(found('\\ba|a\\b', 'aaa aa'), ['0:a', '2:a', '4:a', '5:a'])
    assert.deepEqual(found('\\Ba', 'aaa a'), ['1:a', '2:a'])
  })

  it('matches characters of all scripts', () => {
    assert.deepEqual(found('€\\s?\\d+', 'now €\u00a012, was € 15'), ['4:€\u00a012', '14:€ 15'])
    assert.deepEqual(found('[а-я]+', 'Привет мир'), ['1:ривет', '7:мир'])
    assert.deepEqual(found('[^ -~]+', 'a été à'), ['2:é', '4:é', '6:à'])
    assert.deepEqual(found('é|日本', 'é 日本語'), ['0:é', '2:日本'])
    assert.deepEqual(found('.+', 'a\u2028b'), ['0:a', '2:b'])
    assert.deepEqual(found('😀+', '😀 😀'), ['0:😀', '3:😀'])
  })

  it('agrees with JavaScript on random expressions', () => {
    // JavaScript has special rules for loops around something that can be empty, so that is never repeated here.
    type Part = { source: string; canBeEmpty: boolean }
    const leaf = fc.oneof(
      fc
        .constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '\\W', '\\s', 'é', '[à-ÿ]', 'a.', 'ab')
        .map((source): Part => ({ source, canBeEmpty: false })),
      fc.constantFrom('^', '$', '\\b', '\\B', '').map((source): Part => ({ source, canBeEmpty: true })),
    )
    const { part } = fc.letrec<{ part: Part }>((tie) => ({
      part: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc
          .tuple(tie('part'), tie('part'))
          .map(
            ([one, two]): Part => ({ source: one.source + two.source, canBeEmpty: one.canBeEmpty && two.canBeEmpty }),
          ),
        fc.tuple(tie('part'), tie('part')).map(
          ([one, two]): Part => ({
            source: `(?:${one.source}|${two.source})`,
            canBeEmpty: one.canBeEmpty || two.canBeEmpty,
          }),
        ),
        fc
          .tuple(
            tie('part'),
            fc.constantFrom('*', '+', '?', '{1,2}', '{2}', '{0,3}', '*?', '+?', '??', '{1,3}?', '{2,}'),
          )
          .map(
            ([inner, sign]): Part =>
              inner.canBeEmpty ? inner : { source: `(${inner.source})${sign}`, canBeEmpty: /^(?:[*?]|\{0)/.test(sign) },
          ),
      ),
    }))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '-', 'é', '\n'), maxLength: 14 })
    fc.assert(
      fc.property(part, fc.array(text, { maxLength: 5 }), ({ source }, texts) => {
        const pattern = createPattern(source)
        for (const value of texts)
          assert.deepEqual(
            found(source, value, pattern),
            foundByJavaScript(source, value),
            `${source} on ${JSON.stringify(value)}`,
          )
      }),
      { numRuns: 2000 },
    )
  })

  it('stays correct on long texts and after evicting cached states', () => {
    // The state encodes which of the next characters are an a: thousands of states, a few hundred cached.
    let seed = 1
    let text = ''
    for (let i = 0; i < 30_000; i++) {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
      text += (seed >>> 16) & 1 ? 'a' : 'b'
    }
    for (const source of ['a.{12}a', 'b(?:a|b){10}b{3}', 'a{5,}', 'a[^]*b']) {
      assert.deepEqual(found(source, text), foundByJavaScript(source, text), source)
    }
    for (const length of [4095, 4096, 4097, 8192]) {
      assert.deepEqual(found('a+', 'a'.repeat(length)), foundByJavaScript('a+', 'a'.repeat(length)))
      assert.deepEqual(found('a$', 'a'.repeat(length)), [`${length - 1}:a`])
    }
  })

  it('reads at most three times the length of the text, for any expression', () => {
    const texts = ['a'.repeat(10_000), `${'a'.repeat(9_999)}b`, 'ab'.repeat(5_000), `${'a '.repeat(5_000)}`]
    const sources = 'a|a.*b (a+)+$ (a|a)+b (a*)*b .*.*.*.*Z a.*?b|a (a?){50}a{50}b (?:a|a.*c|.*d) a+b'.split(' ')
    for (const source of sources) {
      for (const text of texts) {
        const search = searchFor(source)
        search.findAll(text)
        assert.ok(search.taken <= 3 * text.length, `${source} took ${search.taken} characters of ${text.length}`)
      }
    }
  })
})

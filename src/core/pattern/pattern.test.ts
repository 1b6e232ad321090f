import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isAppError } from '../errors.ts'
import { createWorkBudget } from '../work/work-budget.ts'
import { createPattern } from './pattern.ts'
import { compilePattern } from './pattern-program.ts'
import { createSimulation } from './pattern-simulation.ts'
import { readPattern } from './pattern-syntax.ts'

function simulationOf(source: string) {
  const syntax = readPattern(source)
  assert.equal(syntax.kind, 'ok')
  return createSimulation(compilePattern(syntax.root)!)
}

const unlimited = () => createWorkBudget(Number.MAX_SAFE_INTEGER)

function randomLetters(count: number): string {
  let seed = 1
  let text = ''
  for (let i = 0; i < count; i++) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    text += (seed >>> 16) & 1 ? 'a' : 'b'
  }
  return text
}

describe('a pattern', () => {
  it('matches anywhere in the text unless it is anchored', () => {
    assert.equal(createPattern('example').matches('http://www.example.org/'), true)
    assert.equal(createPattern('^example').matches('http://www.example.org/'), false)
    assert.equal(createPattern('^https?://[^/]*\\.example\\.org/').matches('https://a.b.example.org/x'), true)
    assert.equal(createPattern('\\.pdf$').matches('http://example.org/a.pdf?x'), false)
    assert.equal(createPattern('').matches(''), true)
  })

  it('agrees with JavaScript on a list of expressions', () => {
    const sources =
      String.raw`a a|b ab|cd| (a|b)*c a+b? a{2,3}b a{2} a{1,}c a{,2} [a-c]+d [^a-c] [^] [] [\w-]+ [a\]b] ^a a$ ^$ ^a*$ \ba
      a\b \Ba \bab\b \d+ \D \w\W \s \S+$ . .*b ^.{3}$ a.c (?:ab)+ (?<x>a)b (a*)*b (a+)+$ (a|a)*b (a?){5}b
      ((a|b)|(c|d))+$ \/ \. \- \x61 \u0062 a??b a*?b [.] [$^] a{ a} {a ] [a-] [-a] [+--] (^a|b$) (a|^)b
      (?:a|b|)c (?:){3}a (?:a*){2,}b x* [\d.]+ [\s\S]`.split(/\s+/)
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', 'd', '-', '.', '/', ' ', '{', '}', '1', '_', '\n', ']', '$'),
      maxLength: 12,
    })
    for (const source of sources) {
      const pattern = createPattern(source)
      const reference = new RegExp(source)
      fc.assert(
        fc.property(text, (value) =>
          assert.equal(pattern.matches(value), reference.test(value), `${source} on ${value}`),
        ),
        { numRuns: 300 },
      )
    }
  })

  it('agrees with JavaScript on random expressions', () => {
    const { node } = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '^', '$', '\\b', '\\d', 'c'),
        fc.tuple(tie('node'), tie('node')).map((parts) => parts.join('')),
        fc.tuple(tie('node'), tie('node')).map((parts) => `(?:${parts.join('|')})`),
        fc
          .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{1,2}', '{2}', '*?'))
          .map(([part, sign]) => `(${part})${sign}`),
      ),
    }))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '-'), maxLength: 8 })
    fc.assert(
      fc.property(node, fc.array(text, { maxLength: 5 }), (source, texts) => {
        const pattern = createPattern(source)
        const simulate = simulationOf(source)
        const reference = new RegExp(source)
        for (const value of texts) {
          assert.equal(pattern.matches(value), reference.test(value), `${source} on ${value}`)
          assert.equal(simulate(value, unlimited()), reference.test(value), `${source} on ${value}, nothing remembered`)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('does not hang on expressions that cause catastrophic backtracking', () => {
    const text = `http://example.org/${'a'.repeat(2000)}!`
    for (const source of [
      '(a+)+$',
      '(a|a)+$',
      '(a|aa)+$',
      '(a*)*b',
      '.*.*.*.*.*.*Z',
      '(.*)*Z',
      `${'a?'.repeat(100)}${'a'.repeat(100)}$`,
    ]) {
      assert.equal(createPattern(source).matches(text), false, source)
    }
    assert.equal(createPattern('(a+)+!$').matches(text), true)
  })

  it('stays correct after evicting cached states', () => {
    // The state encodes which of the last twelve characters were an a: thousands of states, a few hundred cached.
    const pattern = createPattern('a.{12}$')
    const reference = /a.{12}$/
    let seed = 1
    for (let round = 0; round < 50; round++) {
      let text = ''
      for (let i = 0; i < 200; i++) {
        seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
        text += (seed >>> 16) & 1 ? 'a' : 'b'
      }
      assert.equal(pattern.matches(text), reference.test(text))
    }
  })

  it('counts the same steps with and without cached states, and stops when the budget is spent', () => {
    const text = `http://example.org/${randomLetters(1700)}`
    for (const source of ['.*a[ab]{450}c', '(a?){200}b{30}c', '^https?://[^/]*/x']) {
      const pattern = createPattern(source)
      const simulate = simulationOf(source)
      const [first, again, simulated] = [pattern.matches, pattern.matches, simulate].map((matches) => {
        const budget = unlimited()
        assert.equal(matches(text, budget), false)
        return Number.MAX_SAFE_INTEGER - budget.left
      })
      assert.deepEqual([again, simulated], [first, first], source)
      for (const matches of [pattern.matches, simulate]) {
        const budget = createWorkBudget(first! - 1)
        assert.equal(matches(text, budget), false)
        assert.ok(budget.left <= 0, source)
      }
    }
    const enough = createWorkBudget(10_000)
    assert.equal(createPattern('example').matches(text, enough), true)
    assert.ok(enough.left > 0)
  })

  it('finds nothing if its budget is spent', () => {
    const text = randomLetters(100_000)
    const budget = createWorkBudget(1_000_000)
    assert.deepEqual(createPattern('a[ab]{500}b').findAll(text, budget), [])
    assert.ok(budget.left <= 0)
    const plenty = createWorkBudget(1_000_000)
    assert.ok(createPattern('b').findAll(text, plenty).length > 10_000)
    assert.ok(plenty.left > 800_000, 'an honest expression costs little more than its text')
  })

  it('is rejected with the reason if it is invalid, too large or not linear', () => {
    const cases: [string, RegExp][] = [
      ['(', /invalid regular expression/],
      ['a**', /invalid regular expression/],
      ['(a)\\1', /\\1/],
      ['(?=a)b', /\(\?=/],
      ['(?<!a)b', /\(\?<!/],
      ['\\p{L}', /\\p/],
      ['(a{1000}){1000}', /steps/],
      ['a{0,999999}', /steps/],
      ['a'.repeat(2001), /longer than/],
      [`${'('.repeat(60)}a${')'.repeat(60)}`, /within each other/],
    ]
    for (const [source, message] of cases) {
      assert.throws(
        () => createPattern(source),
        (error) => isAppError(error, 'usage-wrong') && message.test(error.message),
        source.slice(0, 40),
      )
    }
  })
})

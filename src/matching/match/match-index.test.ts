import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Interests } from '../../core/profile.ts'
import { type CompiledInterests, compileInterests } from '../interests/compile-interests.ts'
import { createBm25Scorer, createScorers } from '../score/scorers.ts'
import { createTermStatistics } from '../score/term-statistics.ts'
import { readDocument } from '../terms/document-terms.ts'
import { createMatchIndex, type Match } from './match-index.ts'
import { matchNaively, noInterests } from './naive-match.testkit.ts'

const textOnly = (text: string) => readDocument({ url: '', title: '', text })
const statistics = createTermStatistics()
const scorers = createScorers([createBm25Scorer(statistics)])
const words = 'solar panels panel price pricing wind Windy größe Grosse a b 東京 京都 c++'.split(' ')
for (const [at, word] of words.entries()) statistics.learn(textOnly(`${word} ${words[at % 3]}`))

const word = fc.constantFrom(...words)
const term = fc.oneof(
  { weight: 5, arbitrary: word },
  { weight: 2, arbitrary: fc.array(word, { minLength: 2, maxLength: 3 }).map((parts) => parts.join(' ')) },
  { weight: 1, arbitrary: fc.constantFrom('pri*', 'pan*', 'solar pa*', 'gro*', '東京*') },
)
const weight = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(0.1, 0.2, 0.7, 1e-3, 1234.567))
const hosts = ['example.org', 'news.example.org', 'org', 'other.example']

const leaf = fc.oneof(
  { weight: 6, arbitrary: term.map((text) => (text.endsWith('*') ? `"${text.slice(0, -1)}"*` : `"${text}"`)) },
  { weight: 2, arbitrary: word.map((text) => `intitle:"${text}"`) },
  { weight: 1, arbitrary: fc.constantFrom(...hosts).map((host) => `site:${host}`) },
  { weight: 1, arbitrary: fc.constantFrom('/pric(e|ing)/', '/^SOLAR/i', '/[0-9]+/', 'intitle:/wind/i') },
)
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a}) AND (${b})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a} OR ${b})`),
    tie('expression').map((a) => `NOT (${a})`),
  ),
}))

const interests: fc.Arbitrary<Interests> = fc
  .record({
    keywords: fc.array(fc.record({ key: term, weight }), { maxLength: 5 }),
    exclude: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(term, { maxLength: 2 }) },
    ),
    expression: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: expression }),
    share: fc.constantFrom(0, 0.1, 0.5, 0.6, 1),
    stemming: fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      { weight: 2, arbitrary: fc.constantFrom('en', 'de', 'zh', 'auto') },
    ),
    scorer: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constant('bm25') }),
    ignore: fc.constant([]),
    match: fc.constant('change' as const),
  })
  .map(({ share, ...rest }) => {
    const total = rest.keywords.reduce((sum, keyword) => sum + Math.round(keyword.weight * 1000), 0)
    return { ...rest, threshold: Math.floor(total * share) / 1000 }
  })

const document = fc
  .record({
    url: fc.constantFrom(...hosts).map((host) => `http://${host}:8080/x`),
    title: fc.array(word, { maxLength: 4 }).map((parts) => parts.join(' ')),
    text: fc
      .array(fc.oneof(word, fc.constantFrom('.', '12', 'other', '東京', '京都')), { maxLength: 30 })
      .chain((parts) => fc.constantFrom(' ', '').map((between) => parts.join(between))),
    language: fc.constantFrom('', 'en', 'de', 'zh'),
    repeatsTitle: fc.boolean(),
  })
  .map(({ repeatsTitle, ...rest }) =>
    readDocument(repeatsTitle ? { ...rest, text: `${rest.title} ${rest.text}` } : rest),
  )

const sorted = (matches: Match[]): Match[] => matches.toSorted((a, b) => a.id - b.id)

type Step = { kind: 'set'; id: number; interests: Interests } | { kind: 'remove'; id: number }
const id = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.constantFrom(2 ** 40, 2 ** 40 + 1, 2 ** 53 - 1))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('set' as const), id, interests }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), id }) },
)

describe('match index', () => {
  test('finds the same profiles as a naive matcher, after any sequence of changes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(step, { maxLength: 20 }), document), { maxLength: 5 }), (rounds) => {
        const index = createMatchIndex()
        const profiles = new Map<number, CompiledInterests>()
        for (const [steps, terms] of rounds) {
          for (const next of steps) {
            if (next.kind === 'remove') assert.equal(index.remove(next.id), profiles.delete(next.id))
            else {
              const compiled = compileInterests(next.interests, scorers)
              profiles.set(next.id, compiled)
              assert.notEqual(index.set(next.id, compiled), 'refused')
            }
          }
          assert.equal(index.size, profiles.size)
          const expected = sorted(matchNaively(profiles, terms))
          assert.deepEqual(sorted(index.match(terms)), expected)
          const few = [...profiles.keys(), 999].filter((_, at) => at % 2 === 0)
          assert.deepEqual(
            sorted(index.matchOnly(few, terms)),
            expected.filter((match) => few.includes(match.id)),
          )
        }
      }),
      { numRuns: 400 },
    )
  })
})

function simple(keys: readonly string[], threshold: number): CompiledInterests {
  const keywords = keys.map((key) => ({ key, weight: 1 }))
  return compileInterests({ ...noInterests, keywords, threshold })
}

function condition(expression: string): CompiledInterests {
  return compileInterests({ ...noInterests, expression })
}

describe('many profiles in the match index', () => {
  /** Reproducible pseudo-random numbers. */
  const pick = (n: number, limit: number): number => Math.floor((Math.abs(Math.sin(n) * 1e4) % 1) ** 3 * limit)
  const keysOf = (profile: number): string[] =>
    // Some have more words than are copied into the lists.
    Array.from({ length: profile % 10 === 0 ? 12 : 5 }, (_, at) => `term${pick(profile * 12 + at, 300)}`)

  test('are matched as by a naive matcher, though common terms are left out of the lists', () => {
    const index = createMatchIndex()
    const profiles = new Map<number, CompiledInterests>()
    for (let profile = 0; profile < 3_000; profile++) profiles.set(profile, simple(keysOf(profile), 1 + (profile % 5)))
    for (const [profile, compiled] of profiles) assert.equal(index.set(profile, compiled), 'simple')
    for (let n = 0; n < 20; n++) {
      const text = Array.from({ length: 60 }, (_, at) => `term${pick(n * 1000 + at, 300)}`).join(' ')
      const terms = textOnly(text)
      assert.deepEqual(sorted(index.match(terms)), sorted(matchNaively(profiles, terms)))
    }
  })

  test('are matched correctly with very fine weights and with weights that are far apart', () => {
    const index = createMatchIndex()
    const profiles = new Map<number, CompiledInterests>()
    for (let n = 0; n < 900; n++) {
      const times = (factor: number): number => ((n + 1) * factor) / 1000
      const far = n % 3 === 0 ? [{ key: `term${n % 20}`, weight: times(300) }] : []
      const keywords = [{ key: `term${n % 50}`, weight: times(1) }, { key: `term${n % 7}`, weight: times(2) }, ...far]
      profiles.set(n, compileInterests({ ...noInterests, keywords, threshold: times(1 + (n % 3)) }))
      index.set(n, profiles.get(n)!)
    }
    for (let removed = 0; removed < 900; removed += 11) {
      index.remove(removed)
      profiles.delete(removed)
    }
    for (let n = 0; n < 20; n++) {
      const terms = textOnly(Array.from({ length: 12 }, (_, at) => `term${pick(n * 1000 + at, 50)}`).join(' '))
      assert.deepEqual(sorted(index.match(terms)), sorted(matchNaively(profiles, terms)))
    }
  })

  test('can be added and removed repeatedly without using more memory', () => {
    const index = createMatchIndex()
    const fill = (from: number): void => {
      for (let n = 0; n < 2_000; n++) index.set(n, simple([`w${from}x${n}`, `w${from}y${n}`, `common${n % 7}`], 2))
    }
    fill(0)
    fill(1)
    const before = index.memoryBytes()
    const { terms } = index.statistics()
    for (let round = 2; round < 12; round++) fill(round)
    assert.equal(index.statistics().terms, terms)
    assert.ok(index.memoryBytes() <= before * 1.5, `${index.memoryBytes()} bytes after ${before}`)
    for (let n = 0; n < 2_000; n++) index.remove(n)
    assert.deepEqual([index.size, index.statistics().terms], [0, 0])
    assert.deepEqual(index.match(textOnly('w11x5 w11y5 common3')), [])
  })

  test('are matched independently for each document', () => {
    const index = createMatchIndex()
    for (let n = 0; n < 1_000; n++) index.set(n, simple([`one${n}`, `two${n}`], 2))
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(index.match(textOnly('one5 two6 two7')), [])
      assert.deepEqual(index.match(textOnly('two5 one5 one6')), [{ id: 5, relevance: 2 }])
    }
  })

  test('that require no word are checked for every document, and their number is limited', () => {
    const index = createMatchIndex({ maxAlways: 2 })
    assert.equal(index.set(1, condition('NOT sports')), 'always')
    assert.equal(index.set(2, condition('/[0-9]{4}/')), 'always')
    assert.equal(index.set(3, condition('NOT weather')), 'refused')
    assert.equal(index.set(4, condition('/[0-9]{4}/ AND year')), 'verified')
    assert.deepEqual([index.size, index.statistics().refused], [3, 1])
    const terms = textOnly('the year 2026')
    assert.deepEqual(
      sorted(index.match(terms)).map((match) => match.id),
      [1, 2, 4],
    )
    assert.equal(index.set(1, condition('year')), 'verified')
    assert.equal(index.set(3, condition('NOT weather')), 'always')
  })

  test('are candidates only if their weights can reach the threshold', () => {
    const index = createMatchIndex()
    for (let n = 0; n < 100; n++) index.set(n, simple([`rare${n}`, 'news', 'today'], 3))
    const matches = index.match(textOnly('news of today about rare7'))
    assert.deepEqual(matches, [{ id: 7, relevance: 3 }])
    assert.ok(index.statistics().candidates < 70)
  })

  test('with ten thousand keywords each can be matched and removed', () => {
    const index = createMatchIndex()
    const keys = Array.from({ length: 10_000 }, (_, at) => `key${at}`)
    index.set(1, simple(keys, 10_000))
    index.set(2, simple(keys.toReversed(), 1))
    const all = textOnly(keys.join(' '))
    assert.deepEqual(sorted(index.match(all)), [
      { id: 1, relevance: 10_000 },
      { id: 2, relevance: 10_000 },
    ])
    index.remove(1)
    assert.deepEqual(index.match(textOnly('key77')), [{ id: 2, relevance: 1 }])
    index.remove(2)
    assert.equal(index.statistics().terms, 0)
  })
})

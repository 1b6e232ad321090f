import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isAppError } from '../../core/errors.ts'
import type { Interests } from '../../core/profile.ts'
import { relevanceOf } from '../match/evaluate.ts'
import { noInterests } from '../match/naive-match.testkit.ts'
import { readDocument } from '../terms/document-terms.ts'
import { compileInterests, validateInterests } from './compile-interests.ts'
import type { Condition } from './condition.ts'

/** A short spelling of trees: `(a & (b | -c))`. */
function spell(condition: Condition): string {
  if (condition.kind === 'not') return `-${spell(condition.part)}`
  if (condition.kind !== 'leaf') return `(${condition.parts.map(spell).join(condition.kind === 'and' ? ' & ' : ' | ')})`
  const { leaf } = condition
  if (leaf.kind === 'site') return `s:${leaf.host.text}`
  if (leaf.kind === 'pattern') return `${leaf.where === 'title' ? 't:' : ''}${leaf.text}`
  const words = leaf.words.map(({ text }) => text).join('+')
  return `${leaf.where === 'title' ? 't:' : ''}${words}${leaf.prefix ? '*' : ''}`
}

function treeOf(expression: string): string {
  const { expression: read } = compileInterests({ ...noInterests, expression })
  return read === null ? '' : spell(read.condition)
}

describe('expression parser', () => {
  const trees: Record<string, string> = {
    '': '',
    '  ': '',
    'solar panel': '(solar & panel)',
    'solar AND panel': '(solar & panel)',
    'solar and panel': '(solar & and & panel)',
    'a1 OR b1 c1': '(a1 | (b1 & c1))',
    '(a1 OR b1) c1': '((a1 | b1) & c1)',
    'NOT a1': '-a1',
    '-a1 b1': '(-a1 & b1)',
    'NOT NOT a1': 'a1',
    'a1 NOT (b1 OR "c1 d1")': '(a1 & -(b1 | c1+d1))',
    '"Solar PANEL"': 'solar+panel',
    'foo-bar': 'foo+bar',
    'photo*': 'photo*',
    '"solar pan"*': 'solar+pan*',
    'intitle:Word': 't:word',
    'INTITLE:"two words"': 't:two+words',
    'site:Example.ORG': 's:example.org',
    'site:https://www.example.org/x': 's:www.example.org',
    '/colou?r/': '/colou?r/',
    '/[/)]x\\/y/i z1': '(/[/)]x\\/y/i & z1)',
    'intitle:/^news/': 't:/^news/',
    'http://example.org/x': 'http+example+org+x',
    '12:30': '12+30',
    '"intitle:x"': 'intitle+x',
    größe: 'grosse',
    constructor: 'constructor',
    toString: 'tostring',
    hasOwnProperty: 'hasownproperty',
    valueOf: 'valueof',
    ['__proto__']: 'proto',
    'a1 constructor OR -toString': '((a1 & constructor) | -tostring)',
    東京: '東+京',
  }
  for (const [text, tree] of Object.entries(trees))
    test(`parses ${text} as ${tree}`, () => assert.equal(treeOf(text), tree))

  const wrong: Record<string, [at: number | null, message: RegExp][]> = {
    'a1 AND': [[3, /AND needs/]],
    'AND a1': [[0, /AND needs/]],
    'a1 OR': [[3, /OR needs/]],
    'OR a1': [[0, /OR needs/]],
    'a1 NOT': [[3, /NOT needs/]],
    '(a1': [[0, /never closed/]],
    'a1)': [[2, /closes nothing/]],
    'a1 ()': [[3, /nothing between/]],
    '"a1': [[0, /quote is never closed/]],
    'b1 /a1': [[3, /regular expression is never closed/]],
    '!? a1': [[0, /no letter or digit/]],
    '""': [[0, /empty/]],
    'x*': [[0, /2 letters/]],
    'author:me a1': [[0, /no field author:.*intitle: and site:/]],
    'site: a1': [[0, /needs a host/]],
    'site:a..b': [[0, /needs a host/]],
    '/(/': [[0, /invalid regular expression/]],
    '/a/g': [[0, /no flag g/]],
    'a1 site: "b1': [
      [3, /needs a host/],
      [9, /never closed/],
    ],
  }
  for (const [expression, expected] of Object.entries(wrong))
    test(`reports the errors in ${expression} with their positions`, () => {
      const errors = validateInterests({ ...noInterests, expression })
      assert.deepEqual(
        errors.map(({ place, at }) => [place, at]),
        expected.map(([at]) => ['expression', at]),
      )
      for (const [index, [, message]] of expected.entries()) assert.match(errors[index]!.message, message)
    })

  test('returns a condition or errors for any text', () => {
    const piece = fc.constantFrom(
      ' ',
      '\\',
      'OR ',
      'AND ',
      'NOT ',
      '\0',
      ...'( ) " - * : / [ site: intitle: ab 東'.split(' '),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 40 }).map((parts) => parts.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (expression) => {
          if (validateInterests({ ...noInterests, expression }).length === 0) treeOf(expression)
        },
      ),
    )
  })
})

describe('invalid interests', () => {
  test('report all their errors at once, with their places', () => {
    const errors = validateInterests({
      keywords: [
        { key: '', weight: 1 },
        { key: 'fine', weight: 0 },
        { key: '...', weight: -1 },
        { key: 'good', weight: Number.NaN },
        { key: 'large', weight: 1e9 },
      ],
      exclude: ['job', ' '],
      expression: '(a1 AND',
      threshold: Number.NaN,
      stemming: 'klingon',
      scorer: 'magic',
      ignore: [],
      match: 'change',
    })
    const places = errors.map(({ place }) => place)
    const expected = `stemming keywords[0].key keywords[1].weight keywords[2].key keywords[2].weight keywords[3].weight
      keywords[4].weight exclude[1] expression expression scorer threshold`.split(/\s+/)
    assert.deepEqual(places, expected)
  })

  const many = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `k${n}`, weight: 1 }))
  const cases: [what: string, interests: Partial<Interests>, message: RegExp][] = [
    ['too many keywords', { keywords: many(10_001) }, /10001; at most 10000/],
    ['too many exclusions', { exclude: many(1_001).map(({ key }) => key) }, /at most 1000/],
    [
      'a threshold that cannot be reached',
      { keywords: many(3), threshold: 3.001 },
      /never be reached: all keywords together weigh 3/,
    ],
    ['a threshold below zero', { threshold: -1 }, /not a relevance/],
    ['a key of a megabyte', { keywords: [{ key: 'x'.repeat(1e6), weight: 1 }] }, /at most 500/],
    ['a phrase of a hundred words', { exclude: ['ab '.repeat(100)] }, /more than 16 words/],
    ['an expression of a megabyte', { expression: 'ab '.repeat(400_000) }, /at most 10000/],
    ['three thousand terms in an expression', { expression: 'ab '.repeat(3_000) }, /has 3000 terms; at most 500/],
    ['deep parentheses', { expression: `${'('.repeat(4_000)}ab` }, /more than 40 deep/],
    ['deep negations', { expression: `${'NOT ('.repeat(1_500)}ab` }, /more than 40 deep/],
    ['many regular expressions', { expression: '/ab/ '.repeat(11) }, /has 11 regular expressions; at most 10/],
    ['a catastrophic regular expression in a look-ahead', { expression: '/(?=(a+)+$)/' }, /cannot have/],
  ]
  for (const [what, interests, message] of cases)
    test(`are refused because of ${what}`, () => {
      const errors = validateInterests({ ...noInterests, ...interests })
      assert.equal(errors.length, 1, JSON.stringify(errors))
      assert.match(errors[0]!.message, message)
    })

  test('report at most a hundred errors', () => {
    assert.equal(
      validateInterests({ ...noInterests, keywords: Array.from({ length: 10_000 }, () => ({ key: '', weight: 0 })) })
        .length,
      100,
    )
  })

  test('cannot be compiled', () => {
    assert.throws(
      () => compileInterests({ ...noInterests, threshold: -1 }),
      (error) => isAppError(error, 'usage-wrong'),
    )
  })
})

describe('the relevance of a document', () => {
  const document = readDocument({
    url: 'https://news.example.org/x',
    title: 'Prices of solar panels',
    text: 'The prices of solar panels fell by 12 percent. Panels from Größe Ltd. are cheap.',
  })
  const relevance = (interests: Partial<Interests>): number | null =>
    relevanceOf(compileInterests({ ...noInterests, ...interests }), document)
  const key = (text: string, weight = 1) => ({ key: text, weight })

  test('is the sum of the weights of the keywords found, if it reaches the threshold', () => {
    const keywords = [key('solar', 0.1), key('panels', 0.2), key('wind', 5)]
    assert.equal(relevance({ keywords, threshold: 0.3 }), 0.3)
    assert.equal(relevance({ keywords, threshold: 0.301 }), null)
    assert.equal(relevance({ keywords: [key('wind')], threshold: 0 }), null)
  })

  test('takes words in any case, phrases, prefixes and stems into account', () => {
    assert.equal(relevance({ keywords: [key('SOLAR')] }), 1)
    assert.equal(relevance({ keywords: [key('grosse')] }), 1)
    assert.equal(relevance({ keywords: [key('solar panels')] }), 1)
    assert.equal(relevance({ keywords: [key('panels solar')] }), null)
    assert.equal(relevance({ keywords: [key('panels fell')] }), 1)
    assert.equal(relevance({ keywords: [key('percent panels')] }), 1)
    assert.equal(relevance({ keywords: [key('per*')] }), 1)
    assert.equal(relevance({ keywords: [key('price')] }), null)
    assert.equal(relevance({ keywords: [key('pricing')], stemming: 'en' }), 1)
    assert.equal(relevance({ keywords: [key('priced of solar panel')], stemming: 'en' }), 1)
  })

  test('ignores phrases that span the title and the text', () => {
    const apart = readDocument({ url: '', title: 'about solar', text: 'panels are cheap' })
    assert.equal(relevanceOf(compileInterests({ ...noInterests, keywords: [key('solar panels')] }), apart), null)
  })

  test('is null if an excluded term is found', () => {
    assert.equal(relevance({ keywords: [key('solar')], exclude: ['wind', 'job advert'] }), 1)
    assert.equal(relevance({ keywords: [key('solar')], exclude: ['fell by'] }), null)
  })

  test('is null unless the expression holds', () => {
    const holds = (expression: string): boolean => relevance({ expression }) !== null
    const yes = [
      'solar AND panels',
      'wind OR solar',
      'NOT wind',
      'intitle:prices',
      'site:example.org',
      '/\\d+ percent/',
      'intitle:/^Prices/',
      '-wind solar',
    ]
    const no = [
      'solar AND wind',
      'NOT solar',
      'intitle:cheap',
      'site:xample.org',
      'site:other.org',
      '/^Panels/',
      'intitle:/cheap/',
      'intitle:/^prices/',
    ]
    assert.deepEqual(
      yes.filter((expression) => !holds(expression)),
      [],
    )
    assert.deepEqual(no.filter(holds), [])
  })

  test('does not require keywords if there is an expression and the threshold is 0', () => {
    assert.equal(relevance({ keywords: [key('wind')], expression: 'solar' }), 0)
    assert.equal(relevance({ keywords: [key('wind')], expression: 'solar', threshold: 1 }), null)
  })

  test('is 1 for every document without excluded terms if there are no other interests', () => {
    assert.equal(relevance({}), 1)
    assert.equal(relevance({ exclude: ['solar'] }), null)
  })

  test('is null if ten thousand phrases cannot be checked within the budget', () => {
    const text = 'a b '.repeat(200_000)
    const hostile = readDocument({ url: '', title: '', text })
    const phrases = Array.from({ length: 10_000 }, (_, n) => {
      const tail = Array.from({ length: 13 }, (_, bit) => ((n >> bit) & 1 ? 'a' : 'b')).join(' ')
      return key(`a a ${tail}`)
    })
    const budget = { left: 5_000_000 }
    assert.equal(relevanceOf(compileInterests({ ...noInterests, keywords: phrases }), hostile, budget), null)
    assert.ok(budget.left <= 0 && budget.left > -1_000_000)
  })
})

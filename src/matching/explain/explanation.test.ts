import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { annotate, annotateAll } from '../annotate.ts'
import { compileInterests } from '../interests/compile-interests.ts'
import { createMatchIndex } from '../match/match-index.ts'
import { noInterests } from '../match/naive-match.testkit.ts'
import { createBm25Scorer, createScorers, type Scorer } from '../score/scorers.ts'
import { createTermStatistics } from '../score/term-statistics.ts'
import { readDocument } from '../terms/document-terms.ts'
import { wordsOf } from '../terms/words.ts'
import type { Explanation } from './explanation.ts'

const page = { url: 'http://www.example.org/', at: 5 }

/** What a reader would compute from the explanation alone. */
function recomputed({ terms, further }: Explanation): number {
  const thousandths = terms.reduce((sum, { worth }) => sum + Math.round(worth * 1000), Math.round(further.worth * 1000))
  return thousandths / 1000
}

describe('an explanation', () => {
  const words = ['solar', 'panel', 'Größe', '東京', 'wind', 'price', 'a', 'b']
  const word = fc.constantFrom(...words)
  const term = fc.oneof(
    word,
    fc.array(word, { minLength: 2, maxLength: 3 }).map((parts) => parts.join(' ')),
    fc.constant('pri*'),
  )
  const statistics = createTermStatistics()
  statistics.learn(readDocument({ url: '', title: '', text: words.join(' ') }))
  const scorers = createScorers([createBm25Scorer(statistics)])

  test('has parts that add up to the relevance, and correct places of the words', () => {
    const keywords = fc.array(fc.record({ key: term, weight: fc.constantFrom(0.1, 0.2, 1, 3, 4.5) }), {
      minLength: 1,
      maxLength: 6,
    })
    const text = fc
      .array(fc.oneof(word, fc.constantFrom('.', '!', 'other')), { maxLength: 60 })
      .map((parts) => parts.join(' '))
    fc.assert(
      fc.property(keywords, text, text, fc.constantFrom('', 'bm25'), (list, title, body, scorer) => {
        const interests = compileInterests({ ...noInterests, keywords: list, scorer }, scorers)
        const document = { ...page, title, text: body }
        for (const { explanation, relevance } of annotate(document, [{ id: 1, interests }])) {
          assert.equal(recomputed(explanation), relevance)
          assert.equal(explanation.relevance, relevance)
          assert.equal(explanation.terms.length + explanation.missing, list.length)
          for (const { key, weight, worth, places, count, inTitle } of explanation.terms) {
            if (scorer === '') assert.equal(worth, weight)
            assert.ok(count >= places.length && places.length > 0 && inTitle <= count)
            for (const { where, start, end } of places) {
              const found = wordsOf((where === 'title' ? title : body).slice(start, end))
              if (key.endsWith('*')) assert.ok(found[0]!.startsWith(key.slice(0, -1)))
              else assert.deepEqual(found, wordsOf(key))
            }
          }
        }
      }),
    )
  })

  test('lists the exclusions that did not apply and all parts of the expression', () => {
    const interests = compileInterests({
      ...noInterests,
      exclude: ['job advert', 'sports'],
      expression: 'solar AND (wind OR NOT "price of") NOT site:other.org /[0-9]+ %/',
    })
    const [draft] = annotate({ ...page, title: '', text: 'Solar panels: 12 % cheaper.' }, [{ id: 1, interests }])
    const { exclusions, expression, relevance } = draft!.explanation
    assert.deepEqual(exclusions, ['job advert', 'sports'])
    assert.deepEqual(
      expression!.parts.map(({ text, isThere, isNegated }) => `${text} ${isThere} ${isNegated}`),
      [
        'solar true false',
        'wind false false',
        'price of false true',
        'site:other.org false true',
        '/[0-9]+ %/ true false',
      ],
    )
    assert.deepEqual(expression!.parts[4]!.places, [{ where: 'body', start: 14, end: 18 }])
    assert.equal(relevance, 1)
  })

  test('lists the most valuable of ten thousand keywords, and sums up the others', () => {
    const keywords = Array.from({ length: 10_000 }, (_, n) => ({ key: `k${n}`, weight: 1 + (n % 10) / 10 }))
    const interests = compileInterests({ ...noInterests, keywords })
    const text = keywords.map(({ key }) => key).join(' ')
    const [draft] = annotate({ ...page, title: '', text }, [{ id: 1, interests }])
    const { explanation } = draft!
    assert.deepEqual([explanation.terms.length, explanation.further.terms, explanation.missing], [50, 9_950, 0])
    assert.equal(explanation.relevance, 14_500)
    assert.equal(recomputed(explanation), 14_500)
    assert.equal(explanation.terms[0]!.weight, 1.9)
  })

  test('is correct for plug-in scorers, too', () => {
    const lengths: Scorer = {
      name: 'lengths',
      isBoundedByWeight: false,
      needsCounts: true,
      worth: ({ leaf, count }) => leaf.text.length * count,
    }
    const liar: Scorer = { name: 'liar', isBoundedByWeight: false, needsCounts: false, worth: () => Number.NaN }
    const own = createScorers([lengths, liar])
    const keywords = [
      { key: 'solar', weight: 1 },
      { key: 'ab', weight: 1 },
    ]
    const [draft] = annotate({ ...page, title: '', text: 'solar ab ab' }, [
      { id: 1, interests: compileInterests({ ...noInterests, keywords, scorer: 'lengths', threshold: 9 }, own) },
      { id: 2, interests: compileInterests({ ...noInterests, keywords, scorer: 'liar' }, own) },
    ])
    assert.deepEqual([draft!.recipient, draft!.relevance, recomputed(draft!.explanation)], [1, 9, 9])
  })
})

describe('annotate', () => {
  const keyed = (key: string, threshold = 0) =>
    compileInterests({ ...noInterests, keywords: [{ key, weight: 2 }], threshold })
  const document = { ...page, title: 'Solar news', text: 'Solar news Panels are cheap.', language: 'en-GB' }

  test('returns a draft for each matching recipient, in their order', () => {
    const recipients = [keyed('panels'), keyed('wind'), keyed('solar')].map((interests, id) => ({ id, interests }))
    const drafts = annotate(document, recipients)
    assert.deepEqual(
      drafts.map(({ recipient, relevance, language, url, at, title }) => ({
        recipient,
        relevance,
        language,
        url,
        at,
        title,
      })),
      [0, 2].map((recipient) => ({
        recipient,
        relevance: 2,
        language: 'en',
        url: page.url,
        at: 5,
        title: 'Solar news',
      })),
    )
    assert.deepEqual(drafts[0]!.summary, { text: 'Panels are cheap.', marks: [[0, 6]] })
    assert.deepEqual(drafts[1]!.summary, { text: 'Panels are cheap.', marks: [] })
  })

  test('annotateAll returns the same for the profiles of an index', () => {
    const all = new Map(['panels', 'wind', 'solar', 'cheap'].map((key, id) => [id, keyed(key)]))
    const index = createMatchIndex()
    for (const [id, interests] of all) index.set(id, interests)
    all.delete(3)
    const recipients = [...all].map(([id, interests]) => ({ id, interests }))
    const drafts = annotateAll(document, index, (id) => all.get(id))
    assert.deepEqual(
      drafts.toSorted((a, b) => a.recipient - b.recipient),
      annotate(document, recipients),
    )
  })

  test('returns nothing for a document without words', () => {
    assert.deepEqual(annotate({ ...page, title: '', text: '' }, [{ id: 1, interests: keyed('solar') }]), [])
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import type { Interests } from '../../core/profile.ts'
import { compileInterests, readInterests } from '../interests/compile-interests.ts'
import { relevanceOf } from '../match/evaluate.ts'
import { noInterests } from '../match/naive-match.testkit.ts'
import { readDocument } from '../terms/document-terms.ts'
import { hashText } from '../terms/term-hash.ts'
import { createBm25Scorer, createBuiltInScorers, createScorers, defaultScorers, keywordsScorer } from './scorers.ts'
import { createTermStatistics } from './term-statistics.ts'

const documentOf = (text: string) => readDocument({ url: '', title: '', text })
const word = (text: string) => ({ text, hash: hashText(text) })

describe('BM25', () => {
  const statistics = createTermStatistics()
  for (let n = 0; n < 100; n++)
    statistics.learn(documentOf(`common ${n % 10 === 0 ? 'rare' : 'other'} words ${'filler '.repeat(20)}`))
  const scorers = createScorers([createBm25Scorer(statistics)])
  const relevance = (keys: string[], text: string, more: Partial<Interests> = {}): number => {
    const keywords = keys.map((key) => ({ key, weight: 2 }))
    const interests = { ...noInterests, keywords, scorer: 'bm25', ...more }
    return relevanceOf(compileInterests(interests, scorers), documentOf(text)) ?? 0
  }
  const filler = ' filler'.repeat(20)

  test('values rare words more than common ones', () => {
    assert.ok(relevance(['rare'], `rare${filler}`) > relevance(['common'], `common${filler}`))
    assert.ok(relevance(['common'], `common${filler}`) > 0)
  })

  test('values more occurrences more, with diminishing returns', () => {
    const [one, two, three] = [1, 2, 3].map((times) =>
      relevance(['rare'], 'rare '.repeat(times) + ' filler'.repeat(23 - times)),
    )
    assert.ok(two! > one! && three! > two! && two! - one! > three! - two!)
  })

  test('values the same word less in a longer document', () => {
    assert.ok(relevance(['rare'], `rare${filler}`) > relevance(['rare'], `rare${filler.repeat(10)}`))
  })

  test('follows its definition', () => {
    const idf = Math.log(1 + (100 - 10 + 0.5) / (10 + 0.5))
    const lengths = 1 - 0.75 + (0.75 * 23) / 23
    const expected = (2 * idf * 2 * 2.2) / (2 + 1.2 * lengths)
    assert.equal(relevance(['rare'], `rare rare${' filler'.repeat(21)}`), Math.round(expected * 1000) / 1000)
  })

  test('takes a phrase for as rare as its rarest word, and applies the threshold to the score', () => {
    const text = `common rare common${filler}`
    for (const phrase of ['common rare', 'rare common'])
      assert.equal(relevance([phrase], text), relevance(['rare'], text), phrase)
    assert.equal(relevance(['rare'], `rare${filler}`, { threshold: 1_000 }), 0)
  })
})

describe('term statistics', () => {
  test('count documents, not occurrences', () => {
    const statistics = createTermStatistics()
    statistics.learn(documentOf('a a a b'))
    statistics.learn(documentOf('a c'))
    assert.deepEqual(
      ['a', 'b', 'x'].map((text) => statistics.documentsWith(word(text), '')),
      [2, 1, 0],
    )
    assert.deepEqual([statistics.documents(), statistics.averageTokens()], [2, 3])
  })

  test('count stems from the first query for them', () => {
    const statistics = createTermStatistics()
    assert.equal(statistics.documentsWith(word('panel'), 'en'), 0)
    statistics.learn(documentOf('panels'))
    assert.deepEqual(
      [statistics.documentsWith(word('panel'), 'en'), statistics.documentsWith(word('panel'), '')],
      [1, 0],
    )
  })

  test('keep common words and stay bounded when there are too many words', () => {
    const statistics = createTermStatistics({ maxTerms: 1_000 })
    for (let n = 0; n < 200; n++)
      statistics.learn(documentOf(`common ${Array.from({ length: 50 }, (_, at) => `w${n}x${at}`).join(' ')}`))
    assert.ok(statistics.terms() <= 1_000)
    assert.ok(statistics.documentsWith(word('common'), '') >= statistics.documents() * 0.8)
    assert.ok(statistics.memoryBytes() < 200_000)
  })
})

describe('scorers', () => {
  test('include the keywords scorer and the given ones', () => {
    assert.deepEqual(defaultScorers.names(), ['keywords'])
    assert.equal(defaultScorers.find('keywords'), keywordsScorer)
    assert.deepEqual(createScorers([createBm25Scorer(createTermStatistics())]).names(), ['keywords', 'bm25'])
    assert.equal(defaultScorers.find('toString'), undefined)
  })

  test('are refused with a duplicate or invalid name', () => {
    assert.throws(
      () => createScorers([keywordsScorer]),
      (error) => isAppError(error, 'config-invalid'),
    )
    assert.throws(
      () => createScorers([{ ...keywordsScorer, name: 'No name' }]),
      (error) => isAppError(error, 'config-invalid'),
    )
  })
})

test('a profile scored with bm25 values rare words more than common ones', () => {
  const { scorers, learn } = createBuiltInScorers()
  const documentOf = (text: string) => readDocument({ url: 'http://a.example/', title: '', text })
  for (let n = 0; n < 50; n++) learn(documentOf(`the common word and number n${n}`))
  learn(documentOf('a rare word'))
  const scoreOf = (key: string): number => {
    const read = readInterests({ ...noInterests, keywords: [{ key, weight: 1 }], scorer: 'bm25' }, scorers)
    assert.equal(read.kind, 'interests')
    return relevanceOf(read.interests, documentOf('one rare and one common word'))!
  }
  assert.ok(scoreOf('rare') > 2 * scoreOf('common'))
})

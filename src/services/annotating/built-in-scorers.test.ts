import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readInterests } from '../../matching/interests/compile-interests.ts'
import { relevanceOf } from '../../matching/match/evaluate.ts'
import { readDocument } from '../../matching/terms/document-terms.ts'
import { createBuiltInScorers } from './built-in-scorers.ts'

test('a profile may be scored by bm25, by which rare words count for more than common ones', () => {
  const { scorers, learn } = createBuiltInScorers()
  const documentOf = (text: string) => readDocument({ url: 'http://a.example/', title: '', text })
  for (let n = 0; n < 50; n++) learn(documentOf(`the common word and number n${n}`))
  learn(documentOf('a rare word'))
  const scoreOf = (key: string): number => {
    const interests = { keywords: [{ key, weight: 1 }], exclude: [], expression: '', threshold: 0, stemming: '' }
    const read = readInterests({ ...interests, scorer: 'bm25', ignore: [] }, scorers)
    assert.equal(read.kind, 'interests')
    return relevanceOf(read.interests, documentOf('one rare and one common word'))!
  }
  assert.ok(scoreOf('rare') > 2 * scoreOf('common'))
})

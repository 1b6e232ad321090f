import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readExplanation } from './explanation.ts'

test('the kinds of explanation are distinguished', () => {
  assert.deepEqual(readExplanation({ gone: 404 }), { kind: 'gone', status: 404 })
  assert.deepEqual(readExplanation({ tracked: true, added: 3, removed: 0 }), { kind: 'tracked', added: 3, removed: 0 })
  assert.deepEqual(readExplanation({ tracked: true }), { kind: 'tracked', added: null, removed: null })
  const ofPage = readExplanation({ relevance: 2, threshold: 1, terms: [] })
  const ofChange = readExplanation({ relevance: 2, threshold: 1, terms: [], match: 'change' })
  assert.deepEqual([ofPage.kind, ofPage.kind === 'interests' && ofPage.isOfChange], ['interests', false])
  assert.equal(ofChange.kind === 'interests' && ofChange.isOfChange, true)
})

test('malformed explanations are tolerated', () => {
  for (const odd of [null, 7, 'x', [], {}, { threshold: 'high' }]) assert.equal(readExplanation(odd).kind, 'unknown')
  const why = readExplanation({ threshold: 1, terms: [null, { key: 4 }], further: 'many', expression: { source: 7 } })
  assert.equal(why.kind, 'interests')
  if (why.kind !== 'interests') return
  assert.deepEqual(why.terms, [{ key: '', weight: 0, worth: 0, count: 0, inTitle: 0 }])
  assert.equal(why.furtherTerms, 0)
  assert.equal(why.expression, null)
})

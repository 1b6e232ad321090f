import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPattern } from '../../pattern/pattern.ts'
import { ignoreFor } from './ignore-block.ts'

const matches = (pattern: string | undefined, text: string): boolean => createPattern(pattern!).matches(text)

describe('ignoring a block', () => {
  test('by an expression that matches it with any numbers', () => {
    const { ignore } = ignoreFor({ before: 'Queue (north): 12 cars', after: 'Queue (north): 1,400 cars', place: '' })
    assert.ok(matches(ignore, 'Queue (north): 7 cars'))
    assert.ok(!matches(ignore, 'Queue (south): 7 cars'))
  })

  test('by the words around what changed', () => {
    const { ignore } = ignoreFor({
      before: 'Tip of the day: sleep well',
      after: 'Tip of the day: eat fruit',
      place: '',
    })
    assert.ok(matches(ignore, 'Tip of the day: walk'))
    assert.ok(!matches(ignore, 'Walk'))
  })

  test('by itself where it came or went, or has nothing in common', () => {
    assert.ok(matches(ignoreFor({ after: 'Page 3 of 9', place: '' }).ignore, 'Page 4 of 9'))
    assert.ok(matches(ignoreFor({ before: 'a b', after: 'c? d', place: '' }).ignore, 'c? d'))
    assert.equal(ignoreFor({ after: 'x'.repeat(600), place: '' }).ignore, undefined)
  })

  test('by a selector where its place has but one block', () => {
    const blocks = (place: string): number => (place === 'main/p' ? 2 : 1)
    assert.equal(ignoreFor({ after: 'a', place: 'main/div#side.box/p' }, blocks).omit, 'div#side.box p')
    assert.equal(ignoreFor({ after: 'b', place: 'main/p' }, blocks).omit, undefined)
    assert.equal(ignoreFor({ after: 'd', place: 'x:y/p' }, blocks).omit, undefined)
    assert.equal(ignoreFor({ after: 'a', place: '' }, blocks).omit, undefined)
  })
})

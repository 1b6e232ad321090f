import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPattern } from '../../pattern/pattern.ts'
import { ignoreFor } from './ignore-block.ts'

const matches = (pattern: string | undefined, text: string): boolean => createPattern(pattern!).matches(text)

describe('rule for ignoring a block', () => {
  test('matches the block with any numbers', () => {
    const { ignore } = ignoreFor({ before: 'Queue (north): 12 cars', after: 'Queue (north): 1,400 cars', place: '' })
    assert.ok(matches(ignore, 'Queue (north): 7 cars'))
    assert.ok(!matches(ignore, 'Queue (south): 7 cars'))
  })

  test('matches by the words around the change', () => {
    const { ignore } = ignoreFor({
      before: 'Tip of the day: sleep well',
      after: 'Tip of the day: eat fruit',
      place: '',
    })
    assert.ok(matches(ignore, 'Tip of the day: walk'))
    assert.ok(!matches(ignore, 'Walk'))
  })

  test('is the whole text of an added, removed or rewritten block, unless it is too long', () => {
    for (const block of [{ after: 'Page 3 of 9' }, { before: 'Page 3 of 9' }]) {
      const { ignore } = ignoreFor({ ...block, place: '' })
      assert.ok(matches(ignore, 'Page 4 of 9'))
      assert.ok(!matches(ignore, 'Page 4'))
    }
    assert.ok(matches(ignoreFor({ before: 'a b', after: 'c? d', place: '' }).ignore, 'c? d'))
    for (const block of [{ after: 'x'.repeat(600) }, { before: 'x'.repeat(600) }])
      assert.equal(ignoreFor({ ...block, place: '' }).ignore, undefined)
  })

  test('offers a selector only if it matches no other block', () => {
    const omitOf = (place: string, ...others: string[]): string | undefined => {
      const places = new Map<string, number>()
      for (const each of [place, ...others]) places.set(each, (places.get(each) ?? 0) + 1)
      return ignoreFor({ after: 'a', place }, places).omit
    }
    assert.equal(omitOf('main/div#side.box/p', 'main/p'), 'div#side.box p')
    assert.equal(omitOf('main/p'), 'main p')
    assert.equal(omitOf('main/p', 'main/p'), undefined)
    assert.equal(omitOf('main/p', 'main/div.box/p'), undefined, 'further down')
    assert.equal(omitOf('main/div.box', 'main/div.box.wide/p'), undefined, 'in the same element')
    assert.equal(omitOf('main/div.box', 'main/div.boxes/p'), 'main div.box')
    assert.equal(omitOf('x:y/p'), undefined)
    assert.equal(omitOf('main/div[post]/p'), undefined)
    assert.equal(omitOf(''), undefined)
  })
})

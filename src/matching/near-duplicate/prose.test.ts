import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readDocument } from '../terms/document-terms.ts'
import { proseOf } from './prose.ts'
import { hammingDistance, simhash } from './simhash.ts'

const story = [
  'The ministry of finance said on Monday that the budget for next year grows by four percent.',
  'Most of the new money goes to schools, hospitals and the repair of bridges all over the country.',
  'Opposition parties called the plan a gift to builders and asked for a debate in parliament this week.',
].join('\n')

describe('the prose of a page', () => {
  test('is the same on sites that differ in all around it', () => {
    const here = `Home\nSport\nWeather\n${story}\nShare this\n© Daily Planet`
    const there = `Politics | Business | Culture\nSign in\n${story}\nMore on this topic\nImprint\nPrivacy\nJobs`
    assert.equal(proseOf(here), story)
    assert.equal(proseOf(there), story)
    const hashOf = (text: string) => simhash(readDocument({ url: '', title: '', text }))!
    assert.equal(hammingDistance(hashOf(proseOf(here)), hashOf(proseOf(there))), 0)
  })

  test('is the whole text where nothing is long enough', () => {
    assert.equal(proseOf('one\ntwo'), 'one\ntwo')
  })

  test('has long lines without spaces too', () => {
    const line = '政府は月曜日に来年度予算が四パーセント増えると発表した。'.repeat(4)
    assert.equal(proseOf(`目次\n${line}`), line)
  })
})

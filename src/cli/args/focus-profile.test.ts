import assert from 'node:assert/strict'
import { test } from 'node:test'
import { focusTermsOfProfile } from './focus-profile.ts'

test('a focused crawl takes the keywords of a profile with their weights', () => {
  const xml =
    '<profile><urd><keywords><keyword key="solar power" weight="3"/><keyword key="wind"/></keywords></urd></profile>'
  assert.deepEqual(focusTermsOfProfile(xml), ['3 solar power', '1 wind'])
  assert.deepEqual(focusTermsOfProfile('<profile/>'), [])
  assert.equal(focusTermsOfProfile('solar'), null)
})

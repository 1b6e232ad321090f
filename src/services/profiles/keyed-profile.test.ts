import assert from 'node:assert/strict'
import { test } from 'node:test'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import { configOf } from '../../config/load-config.ts'
import type { Source } from '../../core/profile.ts'
import { namingOf } from '../../crawl/normalize/naming.ts'
import { createProfileKeys } from './keyed-profile.ts'

const keyed = createProfileKeys(namingOf(configOf().crawl))
const keysOf = (owner: string, uri: string, parts: Partial<Source>) =>
  keyed(profileOf('p', owner, [sourceOf(uri, parts)], {})).keys[0]!

test('equal sources share a key, unless credentials or the renderer differ', () => {
  for (const uri of ['https://example.org/a', 'imap://example.org/INBOX']) {
    const ways: [owner: string, parts: Partial<Source>][] = [
      ['ann', {}],
      ['ann', { credentials: 'shop' }],
      ['ann', { credentials: 'other' }],
      ['bob', { credentials: 'shop' }],
      ['ann', { credentials: 'shop', render: 'browser' }],
      ['ann', { render: 'browser' }],
    ]
    const keys = ways.map(([owner, parts]) => keysOf(owner, uri, parts))
    assert.equal(new Set(keys).size, ways.length, keys.join())
    assert.equal(keysOf('bob', uri, {}), keys[0])
    assert.equal(keysOf('bob', uri, { render: 'browser' }), keys[5])
    assert.equal(keysOf('ann', uri, { credentials: 'shop', select: ['p'] }), keys[1])
  }
})

test('a URL with {keywords} is kept as a template, and watched with the keywords of the profile', () => {
  const written = 'query+https://example.org/?q={keywords}#rows=li'
  const { profile, keys } = keyed(profileOf('p', 'ann', [sourceOf(written)], { tea: 1, 'green cup': 1 }))
  const [source] = profile.sources
  assert.equal(source!.template, written)
  assert.equal(source!.uri, 'query+https://example.org/?q=tea%20green%20cup#rows=li')
  assert.deepEqual(keyed(profile), { profile, keys })
  const interests = { ...profile.interests, keywords: [{ key: 'coffee', weight: 1 }] }
  const changed = keyed({ ...profile, interests })
  assert.equal(changed.profile.sources[0]!.uri, 'query+https://example.org/?q=coffee#rows=li')
  assert.notDeepEqual(changed.keys, keys)
  const plain = keyed(profileOf('p', 'ann', [sourceOf('https://example.org/?q=tea')], { tea: 1 }))
  assert.equal(plain.profile.sources[0]!.template, '')
})

test('the profile keeps the normalised URL, regardless of credentials', () => {
  const { profile } = keyed(profileOf('p', 'ann', [sourceOf('https://Example.org/a', { credentials: 'shop' })], {}))
  assert.equal(profile.sources[0]!.uri, 'https://example.org/a')
})

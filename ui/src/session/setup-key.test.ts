import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setupKeyOf } from './setup-key.ts'

test('the set-up key is extracted from the link, its fragment or the bare key', () => {
  for (const text of ['http://127.0.0.1:7070/setup#k3y-Ab_9', ' #k3y-Ab_9\n', 'k3y-Ab_9'])
    assert.equal(setupKeyOf(text), 'k3y-Ab_9', text)
})

test('text that is not a link is returned unchanged', () => {
  for (const text of ['', '100%', 'a%zz']) assert.equal(setupKeyOf(text), text)
})

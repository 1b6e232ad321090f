import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setupKeyOf } from './setup-key.ts'

test('the key of a set-up link is found in the link, in its fragment and in the key itself', () => {
  for (const text of ['http://127.0.0.1:7070/setup#k3y-Ab_9', ' #k3y-Ab_9\n', 'k3y-Ab_9'])
    assert.equal(setupKeyOf(text), 'k3y-Ab_9', text)
})

test('a text that is no link stays as it is', () => {
  for (const text of ['', '100%', 'a%zz']) assert.equal(setupKeyOf(text), text)
})

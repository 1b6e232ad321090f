import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPicked } from './picked.ts'

test('messages from the frame are accepted only if well-formed and within limits', () => {
  const path = [{ label: 'b.price', selector: '.price' }]
  assert.deepEqual(readPicked({ erace: 'picked', at: 0, path, text: 'x' }), { at: 0, path })
  for (const wrong of [
    null,
    'picked',
    { at: 0, path },
    { erace: 'picked', at: 1, path },
    { erace: 'picked', at: 0.5, path },
    { erace: 'picked', at: 0, path: [] },
    { erace: 'picked', at: 0, path: Array(13).fill(path[0]) },
    { erace: 'picked', at: 0, path: [{ label: 'b', selector: 'x'.repeat(401) }] },
    { erace: 'picked', at: 0, path: [{ label: 'b' }] },
    { erace: 'picked', at: 0, path: 'abc' },
  ])
    assert.equal(readPicked(wrong), null)
})

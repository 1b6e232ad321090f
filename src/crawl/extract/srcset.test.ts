import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSrcset } from './srcset.ts'

test('candidates are split at commas after their descriptors', () => {
  assert.deepEqual(parseSrcset('a.jpg 1x, b.jpg 2x'), ['a.jpg', 'b.jpg'])
  assert.deepEqual(parseSrcset(' ,a.jpg, b.jpg 480w 320h,c.jpg '), ['a.jpg', 'b.jpg', 'c.jpg'])
})

test('a comma inside a URL or inside parentheses does not split', () => {
  assert.deepEqual(parseSrcset('/w,100/a.jpg 1x, data:image/png;base64,AA== 2x'), [
    '/w,100/a.jpg',
    'data:image/png;base64,AA==',
  ])
  assert.deepEqual(parseSrcset('a.jpg (x, y) , b.jpg'), ['a.jpg', 'b.jpg'])
})

test('nothing, commas and long runs of commas give no URL and no delay', () => {
  assert.deepEqual(parseSrcset(''), [])
  assert.deepEqual(parseSrcset(',, ,'), [])
  assert.deepEqual(parseSrcset(`x${','.repeat(90_000)}y`).length, 1)
})

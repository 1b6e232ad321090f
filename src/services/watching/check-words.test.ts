import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWords, wordsOf } from './check-words.ts'

test('what happened to many checks is told in words that fit through the channel', () => {
  const checks = new Map<number, 'begun' | 'ended'>()
  for (let n = 0; n < 1000; n++) checks.set(Number.MAX_SAFE_INTEGER - n, n % 3 === 0 ? 'ended' : 'begun')
  const texts = wordsOf(checks)
  assert.ok(texts.every((text) => Buffer.byteLength(text) < 8000))
  const read = new Map<number, 'begun' | 'ended'>()
  for (const text of texts) {
    for (const watch of readWords(text)!.begun) read.set(watch, 'begun')
    for (const watch of readWords(text)!.ended) read.set(watch, 'ended')
  }
  assert.deepEqual(read, new Map([...checks].sort(() => 0)))
})

test('what can not be understood is a reason to look at everything', () => {
  for (const text of [null, '', '{', 'null', '7 8']) assert.equal(readWords(text), null)
  assert.deepEqual(readWords('{"begun":[1,"x",2.5],"ended":7}'), { begun: [1], ended: [] })
})

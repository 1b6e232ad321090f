import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceText } from './version-report.ts'

test('decodes readable text in its charset', () => {
  assert.equal(sourceText(Buffer.from('Gr\u00fc\u00dfe', 'latin1'), 'text/html; charset=iso-8859-1'), 'Grüße')
  assert.equal(sourceText(Buffer.from('{"a":1}'), 'application/ld+json'), '{"a":1}')
  assert.equal(sourceText(Buffer.from('plain'), undefined), 'plain')
  assert.equal(sourceText(Buffer.from('\ufeffwide', 'utf16le'), 'text/plain'), 'wide')
  assert.equal(sourceText(Buffer.from('wide', 'utf16le'), 'text/plain; charset=utf-16le'), 'wide')
})

test('a character split by the look-ahead does not make a text binary', () => {
  const text = `a${'ü'.repeat(40_000)}`
  assert.equal(sourceText(Buffer.from(text), undefined), text)
})

test('binary data is not text, regardless of its declared type', () => {
  assert.equal(sourceText(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]), 'text/html'), null)
  assert.equal(sourceText(Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg'), null)
  assert.equal(sourceText(Buffer.from([0xff, 0xd8, 0xff, 0xe0]), undefined), null)
})

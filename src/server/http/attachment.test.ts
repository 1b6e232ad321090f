import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachment, fileName, nameOfUrl } from './attachment.ts'

test('a plain file name stays unchanged', () => {
  assert.equal(attachment('report 1.pdf'), 'attachment; filename="report 1.pdf"')
  assert.equal(fileName('report 1.pdf', 'x'), 'report 1.pdf')
})

test('a non-ASCII file name is written both as ASCII and as UTF-8', () => {
  assert.equal(attachment("é'(1).txt"), "attachment; filename=\"_'(1).txt\"; filename*=UTF-8''%C3%A9%27%281%29.txt")
})

test('hostile file names are made safe for paths, headers and display', () => {
  for (const text of [
    '../../etc/passwd',
    '..\\..\\boot.ini',
    'a\r\nSet-Cookie: b=c',
    'a"; filename="b.exe',
    '\u202egnp.exe',
    'a\u0000b',
    '\ud800half',
    'CON',
    'nul.txt',
    '.htaccess',
    '-rf',
    '%0d%0a',
    'x'.repeat(100_000),
    `${'😀'.repeat(500)}.png`,
  ]) {
    const name = fileName(text, 'document')
    assert.ok(name.length > 0 && [...name].length <= 101, text.slice(0, 40))
    assert.match(
      attachment(name),
      /^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]+"(?:; filename\*=UTF-8''[\w.~%-]+)?$/,
    )
    assert.doesNotMatch(name, /[\\/\r\n\0"\u202e]|^[.-]|^(?:con|nul)(?:\.|$)/i)
  }
  assert.match(fileName(`${'x'.repeat(500)}.png`, 'x'), /\.png$/)
  assert.equal(fileName('\u202e', 'document'), 'document')
})

test('a file is named after the last path segment of its URL, or after its host', () => {
  assert.equal(nameOfUrl('http://a.example/b/c.pdf?x=/y', 'application/pdf'), 'c.pdf')
  assert.equal(nameOfUrl('http://a.example/', 'text/html; charset=utf-8'), 'a.example.html')
  assert.equal(nameOfUrl('http://a.example/b', 'image/png'), 'b.png')
  assert.equal(nameOfUrl('http://a.example/%ff', 'x/y'), '_ff')
  assert.equal(nameOfUrl('http://a.example/%CE%B1.txt', 'text/plain'), 'α.txt')
  assert.equal(nameOfUrl('not a URL', ''), 'document')
})

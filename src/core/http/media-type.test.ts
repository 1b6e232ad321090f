import assert from 'node:assert/strict'
import { test } from 'node:test'
import { essenceOf } from './media-type.ts'

test('a media type is read without parameters and in lower case', () => {
  const types: [header: string, essence: string][] = [
    ['text/html', 'text/html'],
    [' Text/HTML ;charset=utf-8', 'text/html'],
    ['text/html;charset="a,b"', 'text/html'],
    ['application/xhtml+xml;', 'application/xhtml+xml'],
    ["x/!#$%&'*+-.^_`|~", "x/!#$%&'*+-.^_`|~"],
  ]
  for (const [header, essence] of types) assert.equal(essenceOf(header), essence, header)
})

test('of several media types the last well-formed one counts', () => {
  const types: [header: string, essence: string][] = [
    ['text/html, text/html; charset=utf-8', 'text/html'],
    ['text/html,text/html', 'text/html'],
    ['text/plain, text/html', 'text/html'],
    ['text/html; charset=utf-8, text/plain', 'text/plain'],
    ['text/html, nonsense', 'text/html'],
    ['text/html, */*', 'text/html'],
    ['text/html; x="a, text/plain", b', 'text/html'],
    ['text/html; x="a\\", text/plain", b', 'text/html'],
    ['text/html; x="a, text/plain', 'text/html'],
    [', ,text/html,,', 'text/html'],
  ]
  for (const [header, essence] of types) assert.equal(essenceOf(header), essence, header)
})

test('a header that names no type leaves the decision to the content', () => {
  for (const header of [
    '',
    ';charset=utf-8',
    'charset=utf-8',
    'html',
    'text/',
    '/html',
    '"text/html"',
    'text/html x',
  ]) {
    assert.equal(essenceOf(header), '', header)
  }
  for (const header of ['*/*', 'unknown/unknown', 'Application/Unknown; x=y', 'text/html, application/unknown']) {
    assert.equal(essenceOf(header), '', header)
  }
})

test('hostile headers take time in proportion to their length at most', () => {
  for (const piece of ['"', '\\', '",', 'a/b,', ';', '"\\', ' ']) {
    assert.ok(essenceOf(piece.repeat(1_000_000)).length < 10, piece)
  }
})

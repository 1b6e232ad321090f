import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTargetReader } from './request-target.ts'

test('splits URLs of known hosts exactly like the URL parser', () => {
  const read = createTargetReader()
  const paths = [
    '/',
    '/a/b.html?x=1&y=%20',
    '/a/../b',
    '/a/./b',
    '/a/.',
    '/.well-known/x',
    '/%2e%2E/b',
    '/a/%2e/b',
    '/a b',
    '/ü?ü',
    "/a?it's",
    '/a#fragment',
    '/a?b#c',
    '//double//slash',
    '/a\\b',
    '/a\tb',
    '/?',
    '/a?',
    '/a|b^c`d',
    '/a?q=/../x',
    '/"<>',
  ]
  for (const front of ['http://a.example', 'https://a.example:8443', 'http://[2001:db8::1]:81', 'http://0x7f.1']) {
    for (const path of ['/', ...paths]) {
      const url = new URL(front + path)
      const target = read(front + path)
      assert.equal(target?.origin, url.origin, front + path)
      const [withoutFragment] = url.href.slice(url.origin.length).split('#')
      assert.equal(target?.path, withoutFragment, front + path)
    }
  }
})

test('derives host, port and TLS from the URL', () => {
  const read = createTargetReader()
  assert.deepEqual(read('https://a.example/x')?.connect, { host: 'a.example', port: 443, secure: true })
  assert.deepEqual(read('http://A.example')?.connect, { host: 'a.example', port: 80, secure: false })
  assert.deepEqual(read('http://[::1]:8080/')?.connect, { host: '::1', port: 8080, secure: false })
  assert.deepEqual(read('http://2130706433/')?.connect, { host: '127.0.0.1', port: 80, secure: false })
})

test('keeps user and password out of origin and path', () => {
  const read = createTargetReader()
  read('http://a.example/')
  for (const url of [
    'http://user:secret@a.example/x',
    'http://user:secret@a.example/x',
    'http://b.example@a.example/x',
  ]) {
    const target = read(url)
    assert.equal(target?.origin, 'http://a.example')
    assert.equal(target?.path, '/x')
  }
})

test('returns null for URLs that are invalid or not http(s)', () => {
  const read = createTargetReader()
  for (const url of [
    '',
    'ftp://a.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://',
    'http:// /',
    '//x/',
  ]) {
    assert.equal(read(url), null, url)
  }
})

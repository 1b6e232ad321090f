import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainToASCII } from 'node:url'
import { destinationOf } from './destination.ts'
import { unicodeHost } from './punycode.ts'

const at = (url: string) => destinationOf(`#${encodeURIComponent(url)}`)

test('web and mail addresses are recognised, and URLs shown as requested', () => {
  assert.deepEqual(at('https://example.org:8443/a b?c=ü#d'), {
    kind: 'site',
    href: 'https://example.org:8443/a%20b?c=%C3%BC#d',
    host: 'example.org:8443',
    unicode: null,
    hasUser: false,
    isPlain: false,
  })
  assert.deepEqual(at('mailto:ada@example.org?subject=x'), { kind: 'mail', address: 'ada@example.org' })
})

test('user info before @ is flagged, and an internationalised host is shown in both forms', () => {
  const named = at('http://bank.example@evil.example/')
  assert.ok(named.kind === 'site' && named.hasUser && named.isPlain && named.host === 'evil.example')
  const lookalike = at('https://аррӏе.com/')
  assert.ok(lookalike.kind === 'site')
  assert.equal(lookalike.host, 'xn--80ak6aa92e.com')
  assert.equal(lookalike.unicode, 'аррӏе.com')
})

test('all other addresses are rejected', () => {
  for (const url of [
    '',
    'javascript:alert(1)',
    ' java\tscript:alert(1)',
    'data:text/html,<script>1</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.org/1',
    'ftp://example.org/',
    '/inbox',
    '//example.org',
    'view-source:https://example.org',
    `https://example.org/${'a'.repeat(30_000)}`,
  ])
    assert.deepEqual(at(url), { kind: 'none' }, url)
  for (const hash of ['', '#', '#%', '#%E0%A4%A']) assert.deepEqual(destinationOf(hash), { kind: 'none' }, hash)
})

test('punycode host names are decoded, and invalid ones tolerated', () => {
  for (const host of ['bücher.example', 'ελλάδα.gr', '日本語.jp', 'пример.испытание', 'a.ñandú.es', '☃.net', '𐌰𐌱.test'])
    assert.equal(unicodeHost(domainToASCII(host)), host)
  for (const host of ['example.org', 'xn--.org', 'xn--a!.org', 'xn--99999999999.org', `xn--${'9'.repeat(300)}.org`])
    assert.doesNotThrow(() => unicodeHost(host), host)
  assert.equal(unicodeHost('example.org'), null)
  assert.equal(unicodeHost('xn--99999999999.org'), null)
})

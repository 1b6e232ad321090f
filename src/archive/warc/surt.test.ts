import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { surt } from './surt.ts'

const folder = process.env.ERACE_CONFORMANCE
if (folder === undefined && process.env.CI) throw new Error('ERACE_CONFORMANCE must name the conformance data in CI')
const skip = folder === undefined && 'ERACE_CONFORMANCE names no folder of conformance data'

test('reverses hosts and drops insignificant parts', () => {
  assert.equal(surt('https://www2.Example.ORG:443/A//b/./c/../?B=1&a=2#f'), 'org,example)/a/b?a=2&b=1')
  assert.equal(surt('http://user:pw@h.example:8080'), 'example,h:8080)/')
  assert.equal(surt('http://bücher.example/ü'), 'example,xn--bcher-kva)/%c3%bc')
})

test('sorts parameters by name, then by value', () => {
  assert.equal(surt('http://h/?id2=0&id=9&id-x=1&id=1=0&id&id='), 'h)/?id&id=&id=1=0&id=9&id-x=1&id2=0')
})

test('drops extra dots in hosts, and session ids in queries but not in paths', () => {
  assert.equal(surt('http://www.h.example./a'), 'example,h)/a')
  assert.equal(surt('http://.h..example../'), 'example,h)/')
  const id = '0a'.repeat(16)
  const session = `;jsessionid=${id}`
  assert.equal(surt(`http://h/a${session}`), `h)/a${session}`)
  assert.equal(surt(`http://h/?PHPSESSID=${id}&b=1&JSessionID=${id}&a=2&sid=${id}%26c`), 'h)/?a=2&b=1&c')
  assert.equal(surt(`http://h/?sid=${id}0`), `h)/?sid=${id}0`)
})

test('a key has no spaces, even for a URI without a host', () => {
  assert.equal(surt('data:,one two'), 'data:,one%20two')
  assert.equal(surt('urn:Note:für alle%20'), 'urn:note:f%c3%bcr%20alle%20')
  assert.equal(surt('news:Comp.Lang/#x'), 'news:comp.lang')
  assert.equal(surt('file:///Home/a%20b?C&b'), 'file:/home/a%20b?b&c')
  assert.equal(surt('h.example:8080/a'), 'example,h:8080)/a')
  assert.equal(surt('filedesc://my file.arc'), 'filedesc://my%20file.arc')
})

test('decodes a deeply nested escape', () => {
  assert.equal(surt(`http://h/%${'25'.repeat(100_000)}41`), 'h)/a')
})

test('keys match those of the conformance data', { skip }, () => {
  const { surt: cases } = JSON.parse(readFileSync(path.join(folder!, 'warc/jwarc/uris.json'), 'utf8')) as {
    surt: { url: string; surt: string }[]
  }
  assert.ok(cases.length > 30)
  assert.deepEqual(
    cases.map(({ url }) => ({ url, surt: surt(url) })),
    cases,
  )
})

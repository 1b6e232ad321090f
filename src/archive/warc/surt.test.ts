import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { surt } from './surt.ts'

const folder = process.env.ERACE_CONFORMANCE
if (folder === undefined && process.env.CI) throw new Error('ERACE_CONFORMANCE must name the conformance data in CI')
const skip = folder === undefined && 'ERACE_CONFORMANCE names no folder of conformance data'

test('hosts are turned round, and what says nothing is dropped', () => {
  assert.equal(surt('https://www2.Example.ORG:443/A//b/./c/../?B=1&a=2#f'), 'org,example)/a/b?a=2&b=1')
  assert.equal(surt('http://user:pw@h.example:8080'), 'example,h:8080)/')
  assert.equal(surt('http://bücher.example/ü'), 'example,xn--bcher-kva)/%c3%bc')
})

test('an endless escape is decoded in one pass', () => {
  assert.equal(surt(`http://h/%${'25'.repeat(100_000)}41`), 'h)/a')
})

test('keys are those of the conformance data', { skip }, () => {
  const { surt: cases } = JSON.parse(readFileSync(path.join(folder!, 'warc/jwarc/uris.json'), 'utf8')) as {
    surt: { url: string; surt: string }[]
  }
  assert.ok(cases.length > 30)
  assert.deepEqual(
    cases.map(({ url }) => ({ url, surt: surt(url) })),
    cases,
  )
})

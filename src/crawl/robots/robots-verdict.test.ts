import assert from 'node:assert/strict'
import test from 'node:test'
import { rulesFromResponse } from './robots-verdict.ts'

const body = Buffer.from('User-agent: *\nDisallow: /x')
const minuteMs = 60_000

test('the rules of a file are valid for a day', () => {
  const verdict = rulesFromResponse({ status: 200, body })
  assert.equal(verdict.kind, 'rules')
  assert.equal(verdict.rules.isAllowed('erace', '/x'), false)
  assert.equal(verdict.expiresInMs, 24 * 60 * minuteMs)
})

test('the lifetime follows max-age, between an hour and a day', () => {
  const lifetime = (maxAgeSeconds: number | null) =>
    rulesFromResponse({ status: 200, body }, { maxAgeSeconds }).expiresInMs / minuteMs
  assert.deepEqual([0, 7200, 1e9, null, Number.NaN].map(lifetime), [60, 120, 1440, 1440, 1440])
})

test('a missing or inaccessible file allows everything', () => {
  for (const status of [301, 400, 401, 403, 404, 410, 451]) {
    const verdict = rulesFromResponse({ status, body })
    assert.equal(verdict.kind, 'allow-all', String(status))
    assert.equal(verdict.rules.isAllowed('erace', '/x'), true)
  }
})

test('a failing server disallows everything and is retried at growing intervals', () => {
  for (const response of [
    { status: 500, body },
    { status: 503, body },
    { status: 429, body },
    'unreachable',
  ] as const) {
    const verdict = rulesFromResponse(response)
    assert.equal(verdict.kind, 'disallow-all')
    assert.equal(verdict.rules.isAllowed('erace', '/anything'), false)
    assert.equal(verdict.expiresInMs, 5 * minuteMs)
  }
  const waits = [1, 2, 50].map((failuresBefore) => rulesFromResponse('unreachable', { failuresBefore }).expiresInMs)
  assert.deepEqual(waits, [10 * minuteMs, 20 * minuteMs, 1440 * minuteMs])
})

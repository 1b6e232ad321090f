import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preferred } from './negotiation.ts'

const offers = ['application/json', 'application/xml', 'text/vnd.wap.wml', 'text/plain'] as const

test('the preferred media type is chosen, and the first one offered among equals', () => {
  const cases: [accept: string, expected: string | undefined][] = [
    ['*/*', 'application/json'],
    ['', 'application/json'],
    ['application/xml', 'application/xml'],
    ['Application/XML', 'application/xml'],
    ['text/*', 'text/vnd.wap.wml'],
    ['text/vnd.wap.wml, text/plain;q=0.5', 'text/vnd.wap.wml'],
    ['text/plain;q=0.9, application/xml;q=0.8, */*;q=0.1', 'text/plain'],
    ['text/plain;q=0.8, application/xml;q=0.81', 'application/xml'],
    ['application/json;q=0, */*', 'application/xml'],
    ['*/*;q=0.5, text/*;q=0', 'application/json'],
    ['text/*, text/vnd.wap.wml;q=0', 'text/plain'],
    ['image/png', undefined],
    ['application/json;q=0', undefined],
    ['image/png, */*;q=0', undefined],
    ['text/plain; charset=utf-8; q=0.3, application/xml; q=0.2', 'text/plain'],
    ['nonsense', 'application/json'],
    ['text/plain;q=nonsense', 'text/plain'],
  ]
  for (const [accept, expected] of cases) assert.equal(preferred(accept, offers), expected, accept)
})

test('only the first 2000 characters of an Accept header are read', () => {
  assert.equal(preferred(`${'a/b,'.repeat(497)}text/plain`, offers), 'text/plain')
  assert.equal(preferred(`${'a/b,'.repeat(500)}text/plain`, offers), undefined)
  assert.equal(preferred(`${';q=1,'.repeat(400)}text/plain`, offers), 'application/json')
})

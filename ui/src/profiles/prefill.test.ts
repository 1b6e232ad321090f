import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { prefillOf } from './prefill.ts'

const filled = (query: string) => prefillOf(new URLSearchParams(query))
const encoded = encodeURIComponent

describe('the new profile form', () => {
  test('takes address, name and expression from a link', () => {
    const { uri, name, expression } = filled('url=https%3A%2F%2Fexample.org%2F%3Fa%3D1&name=News&q=solar')
    assert.deepEqual([uri, name, expression], ['https://example.org/?a=1', 'News', 'solar'])
    assert.deepEqual(filled(''), { uri: '', name: '', expression: '' })
  })

  test('takes a shared address from url, text or title', () => {
    for (const [query, uri, name] of [
      ['url=https://example.org/a&title=A+page', 'https://example.org/a', 'A page'],
      [`title=A+page&text=${encoded('https://example.org/a')}`, 'https://example.org/a', 'A page'],
      [`text=${encoded('Look at this (https://example.org/a), please.')}`, 'https://example.org/a', ''],
      [`text=${encoded('“A page” https://example.org/a_(b).')}`, 'https://example.org/a_(b)', ''],
      [`title=${encoded('https://example.org/a')}`, 'https://example.org/a', ''],
      ['text=nothing+to+watch&title=Words', '', 'Words'],
      ['url=+&text=http://example.org', 'http://example.org', ''],
    ] as const)
      assert.deepEqual(filled(query), { uri, name, expression: '' }, query)
  })

  test('truncates names that are too long for a profile', () => {
    assert.equal(filled(`title=${'x'.repeat(5000)}`).name.length, 200)
  })
})

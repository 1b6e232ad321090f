import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSearchQuery } from '../../../core/search-query/parse-query.ts'
import { createTextMarker } from './text-marker.ts'

function marked(query: string, title: string, text: string): { title: string[]; text: string[] } {
  const parsed = parseSearchQuery(query)
  assert.ok(parsed.kind === 'query')
  const marker = createTextMarker()
  try {
    const [marks] = marker.marks(parsed.query, [{ title, text }])
    const cut = (of: string, each: readonly (readonly [number, number])[]) =>
      each.map(([from, to]) => of.slice(from, to))
    return { title: cut(title, marks!.title), text: cut(text, marks!.text) }
  } finally {
    marker.close()
  }
}

test('every match in a long text and in the title is marked', () => {
  const filler = 'ünï coded wörds '.repeat(700)
  const found = marked('solar', 'Solar news', `${filler}SOLAR ${filler}solar ${filler}Solar`)
  assert.deepEqual(found, { title: ['Solar'], text: ['SOLAR', 'solar', 'Solar'] })
})

test('a text that repeats one word is marked completely', () => {
  const { text } = marked('two', '', 'two '.repeat(100_000))
  assert.equal(text.length, 100_000)
  assert.ok(text.every((word) => word === 'two'))
})

test('a word after a long text without spaces is marked', () => {
  assert.deepEqual(marked('two', '', `${'x'.repeat(20_000)} two`).text, ['two'])
  assert.deepEqual(marked('two', '', '').text, [])
})

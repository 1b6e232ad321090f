import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SettingField } from '../../delivery/channel-agent.ts'
import { settingsOfTexts } from './setting-texts.ts'

const fields: Pick<SettingField, 'name' | 'type'>[] = [
  { name: 'url', type: 'url' },
  { name: 'headers', type: 'lines' },
  { name: 'limit', type: 'number' },
  { name: 'bold', type: 'flag' },
]

const read = (...pairs: [name: string, text: string][]) =>
  settingsOfTexts(
    fields,
    pairs.map(([name, text]) => ({ name, text })),
  )

test('texts are converted to the types of their fields', () => {
  assert.deepEqual(read(['url', 'https://a.example/?a=b'], ['limit', '2.5'], ['bold', 'false']), {
    url: 'https://a.example/?a=b',
    limit: 2.5,
    bold: false,
  })
})

test('list fields collect all their lines; for other fields the last value wins', () => {
  const given = read(['headers', 'A: 1'], ['url', 'x'], ['headers', 'B: 2\nC: 3'], ['url', 'y'])
  assert.deepEqual(given, { headers: ['A: 1', 'B: 2', 'C: 3'], url: 'y' })
})

test('texts of the wrong type and unknown names are passed on unchanged', () => {
  const given = read(['limit', ' '], ['limit', '1e999'], ['bold', 'yes'], ['__proto__', 'x'])
  assert.deepEqual(Object.entries(given), [
    ['limit', '1e999'],
    ['bold', 'yes'],
    ['__proto__', 'x'],
  ])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTable } from './table.ts'

test('formats an aligned table with numbers to the right, followed by its figures as JSON lines', () => {
  const text = formatTable({
    name: 'demo',
    columns: ['tool', 'documents', 'seconds'],
    rows: [
      ['ours', 20000, 9.8765],
      ['a longer name', 3, 123.456],
    ],
    stats: { ratio: 1.23456 },
    notes: ['measured on a quiet machine'],
  })
  assert.equal(
    text,
    [
      '# demo',
      'tool           documents  seconds',
      '-------------  ---------  -------',
      'ours               20000     9.88',
      'a longer name          3      123',
      '- measured on a quiet machine',
      '{"bench":"demo","figure":"ratio","value":1.235}',
      '',
    ].join('\n'),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patternOf, textOfChange } from './ignore-pattern.ts'

const of = (text: string) => patternOf({ before: text, after: text })

test('a number matches any number, white space any white space', () => {
  assert.equal(of(' Visitors:  1,234\n today '), 'Visitors:\\s+\\d+,\\d+\\s+today')
})

test('special characters are escaped', () => {
  const text = '(a+b)* [c] {d} ^e$ f|g \\ h? 3.14'
  assert.match(text.replace('3.14', '12.5'), new RegExp(`^${of(text)}$`))
  assert.doesNotMatch(text.replace('3.14', '3x14'), new RegExp(`^${of(text)}$`))
})

test('texts that differ only in numbers share one pattern, others become alternatives', () => {
  assert.equal(patternOf({ before: 'Visitors: 9', after: 'Visitors: 10' }), 'Visitors:\\s+\\d+')
  assert.equal(patternOf({ before: 'by Ann', after: 'by Bob' }), 'by\\s+Bob|by\\s+Ann')
  assert.equal(patternOf({ before: '', after: 'new' }), 'new')
  assert.equal(patternOf({ before: 'old', after: ' ' }), 'old')
})

test('the text of a change includes its neighbouring words, its block is the whole text', () => {
  const change = {
    kind: 'changed',
    path: '',
    before: 'There are 120 visitors online today, said Ann.',
    after: 'There are 3 visitors online today, said Ann.',
    pieces: [
      { kind: 'same', text: 'There are ' },
      { kind: 'removed', text: '120' },
      { kind: 'added', text: '3' },
      { kind: 'same', text: ' visitors online today, said Ann.' },
    ],
  } as const
  assert.equal(patternOf(textOfChange(change, 'text')), 'There\\s+are\\s+\\d+\\s+visitors')
  assert.equal(
    patternOf(textOfChange(change, 'block')),
    'There\\s+are\\s+\\d+\\s+visitors\\s+online\\s+today,\\s+said\\s+Ann\\.',
  )
  assert.equal(patternOf(textOfChange({ kind: 'added', path: '', after: 'Ad: buy 2' }, 'text')), 'Ad:\\s+buy\\s+\\d+')
  assert.equal(patternOf(textOfChange({ kind: 'removed', path: '', before: 'gone' }, 'text')), 'gone')
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hitsIn, piecesOf } from './change.ts'

describe('the pieces of a change', () => {
  test('the common beginning and end of both texts are marked as unchanged', () => {
    const pieces = piecesOf({
      kind: 'changed',
      path: '',
      before: 'Price: € 39.90 today',
      after: 'Price: € 34.50 today',
    })
    assert.deepEqual(pieces, [
      { kind: 'same', text: 'Price: € ' },
      { kind: 'removed', text: '39.90 ' },
      { kind: 'added', text: '34.50 ' },
      { kind: 'same', text: 'today' },
    ])
    assert.deepEqual(piecesOf({ kind: 'changed', path: '', before: 'a b', after: 'a b c' }), [
      { kind: 'same', text: 'a ' },
      { kind: 'removed', text: 'b' },
      { kind: 'added', text: 'b c' },
    ])
  })

  test('long unchanged text is shortened to the words next to a change', () => {
    const long = 'word '.repeat(200)
    const given = [
      { kind: 'same', text: long },
      { kind: 'added', text: 'new ' },
      { kind: 'same', text: long },
      { kind: 'removed', text: 'old ' },
      { kind: 'same', text: 'end' },
    ] as const
    const [first, , middle, , last] = piecesOf({ kind: 'changed', path: '', pieces: given })
    assert.match(first!.text, /^… (word ){20,30}$/)
    assert.match(middle!.text, /^(word ){20,30}… (word ){20,30}$/)
    assert.equal(last!.text, 'end')
  })

  test('hits are whole words, regardless of case', () => {
    assert.deepEqual(hitsIn('Recall: recalled, RECALL', ['recall']), [
      [0, 6],
      [18, 24],
    ])
    assert.deepEqual(hitsIn('nothing', ['', 'x']), [])
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Diff } from '../api/types.ts'
import { blocksOf } from './diff-blocks.ts'

type Hunk = Diff['hunks'][number]

function diffOf(form: 'lines' | 'words', ...hunks: Partial<Hunk>[]): Diff {
  const whole = hunks.map((hunk) => ({ fromLine: 1, fromCount: 1, toLine: 1, toCount: 1, pieces: [], ...hunk }))
  return { form, hunks: whole } as unknown as Diff
}

test('text removed and added at one position is one replacement', () => {
  const pieces: Hunk['pieces'] = [
    { kind: 'same', text: 'the ' },
    { kind: 'removed', text: 'old' },
    { kind: 'added', text: 'new' },
    { kind: 'same', text: ' page' },
    { kind: 'added', text: '!' },
  ]
  assert.deepEqual(
    blocksOf(diffOf('words', { pieces })).map((block) => block.kind),
    ['same', 'replaced', 'same', 'added'],
  )
})

test('unchanged lines form one block, each with its line end', () => {
  const pieces: Hunk['pieces'] = [
    { kind: 'same', text: 'a' },
    { kind: 'same', text: 'b' },
    { kind: 'removed', text: 'c' },
  ]
  assert.deepEqual(blocksOf(diffOf('lines', { pieces })), [
    { kind: 'same', id: '0-0', text: 'a\nb\n' },
    { kind: 'removed', id: '0-1', removed: 'c\n', added: '' },
  ])
})

test('a gap marks the text left out between two hunks', () => {
  const one: Partial<Hunk> = { toLine: 1, pieces: [{ kind: 'added', text: 'x' }] }
  const far: Partial<Hunk> = { toLine: 40, pieces: [{ kind: 'added', text: 'y' }] }
  assert.deepEqual(
    blocksOf(diffOf('words', one, far)).map((block) => block.kind),
    ['added', 'gap', 'added'],
  )
})

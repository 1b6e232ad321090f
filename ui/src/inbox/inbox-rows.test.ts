import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Annotation } from '../api/types.ts'
import { countOf, profilesOf, rowsOf } from './inbox-rows.ts'

const item = (id: number, parts: Partial<Annotation> = {}): Annotation =>
  ({
    id,
    document: 1,
    entry: null,
    version: id,
    read: false,
    starred: false,
    profile: { id: 'p', name: 'P' },
    ...parts,
  }) as Annotation

const entryOf = (id: string): Partial<Annotation> => ({ entry: { id, title: id, link: '', channel: '' } })

const shape = (row: Annotation) => [
  row.id,
  countOf(row),
  profilesOf(row)
    .map(({ id }) => id)
    .join('+'),
]

describe('inbox rows', () => {
  test('changes of a page form one row with the newest change, their count and all profiles', () => {
    const rows = rowsOf([
      item(3, { profile: { id: 'q', name: 'Q' }, version: 2 }),
      item(1),
      item(2),
      item(4, { document: 2 }),
    ])
    assert.deepEqual(rows.map(shape), [
      [4, 1, 'p'],
      [3, 2, 'q+p'],
    ])
  })

  test('a new item joins the row from the server, and a newer row from the server replaces it', () => {
    const row = item(5, { count: 4, profiles: [{ id: 'p', name: 'P' }], read: true })
    assert.deepEqual(rowsOf([row, item(6)]).map(shape), [[6, 5, 'p']])
    assert.equal(rowsOf([row, item(6)])[0]!.read, false)
    assert.deepEqual(rowsOf([row, item(7, { count: 2, profiles: [] })]).map(shape), [[7, 2, '']])
  })

  test('feed entries get separate rows', () => {
    const entries = rowsOf([item(1, entryOf('a')), item(2, entryOf('b'))])
    assert.deepEqual(entries.map(shape), [
      [2, 1, 'p'],
      [1, 1, 'p'],
    ])
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listChanges } from '../../archive/diff/change-list.ts'
import { readBlocks } from '../../core/text/blocks.ts'
import type { Item } from '../../crawl/fetch/protocol.ts'
import {
  binaryCell,
  type Cell,
  jsonCell,
  listOfRows,
  nullCell,
  numberCell,
  type Row,
  textCell,
  uniqueNames,
} from './rows.ts'

const names = ['id', 'unit price', 'data', 'note']
const listed = (rows: readonly Row[], key: readonly string[]) =>
  listOfRows({
    url: 'sqlite:///a.db?query=x',
    name: 'a.db',
    rows,
    key,
    title: '',
    isCapped: false,
    maxBodyBytes: 100_000,
  })
const row = (...cells: Cell[]): Row => ({ names, cells })

function changesOf(before: Item, after: Item): [string, string | undefined, string | undefined][] {
  const blocksOf = ({ body }: Item) => readBlocks(body!.body, { contentType: body!.type })!
  return listChanges(blocksOf(before), blocksOf(after)).changes.map(({ path, before, after }) => [path, before, after])
}

test('a changed row shows its changed cells, old and new', () => {
  const [before, after] = [
    listed([row('1', '12.50', '{"a":1,"b":2}', nullCell)], ['id']),
    listed([row('1', '13.00', '{"a":1,"b":3}', textCell('new'))], ['id']),
  ]
  assert.deepEqual(changesOf(before.items[0]!, after.items[0]!), [
    ['$["unit price"]', '12.50', '13.00'],
    ['$.data.b', '2', '3'],
    ['$.note', 'null', 'new'],
  ])
})

test('different keys yield different, valid URLs', () => {
  const values = [
    textCell('a,b'),
    textCell('!'),
    nullCell,
    textCell(''),
    textCell('null'),
    '7',
    textCell('ä b'),
    textCell('x'.repeat(2000)),
    textCell('\ud800'),
  ]
  const list = listed(
    values.flatMap((value) => [row(value, '1', nullCell, textCell('x')), row(value, '1', nullCell, textCell('x,'))]),
    ['id', 'note'],
  )
  const urls = list.items.map(({ url }) => url)
  assert.equal(new Set(urls).size, 2 * values.length)
  assert.equal(list.left, '')
  for (const url of urls) {
    assert.ok(url.startsWith('sqlite:///a.db?query=x#row=') && url.length < 1200)
    assert.equal(URL.parse(url)?.href, url)
  }
})

test('cells are written as one line of JSON each, and column names are made unique', () => {
  assert.equal(numberCell('007'), '"007"')
  assert.equal(numberCell('-1.50e+3'), '-1.50e+3')
  assert.equal(jsonCell('{ "a" : [ 1.0, "x  y" ]\n}'), '{"a":[1.0,"x  y"]}')
  assert.equal(jsonCell('{broken'), '"{broken"')
  const escapes = '\\"'.repeat(5_000_000)
  assert.equal(jsonCell(`[ "${escapes}", "\\\\" ]`), `["${escapes}","\\\\"]`)
  assert.match(binaryCell(Buffer.alloc(5000)), /^\{ "bytes": 5000, "sha256": "[0-9a-f]{64}" \}$/)
  assert.deepEqual(uniqueNames(['a', 'a', 'a (2)', 'a']), ['a', 'a (2)', 'a (2) (2)', 'a (3)'])
})

test('a table has one line per row and the columns of all rows', () => {
  const list = listed(
    [
      { names: ['a'], cells: ['1'] },
      { names: ['b', 'a'], cells: [textCell('x,"y"'), nullCell] },
    ],
    [],
  )
  assert.equal(list.items[0]!.body!.body.toString(), 'a,b\r\n1,\r\n,"x,""y"""\r\n')
})

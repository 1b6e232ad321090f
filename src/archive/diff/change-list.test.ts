import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Blocks, DocumentKind } from '../../core/change/change.ts'
import { listChanges } from './change-list.ts'
import { reportChanges } from './change-report.ts'
import { block, blocksOf, told } from './changes.testkit.ts'
import { createDiffBudget } from './sequence-diff.ts'

type Case = { name: string; old: string; next: string; kind?: DocumentKind; expected: string[] }

function changesOf(old: Blocks, next: Blocks): string[] {
  return listChanges(old, next).changes.map(told)
}

function check(cases: readonly Case[]): void {
  for (const { name, old, next, kind, expected } of cases) {
    test(name, () => assert.deepEqual(changesOf(blocksOf(old, kind), blocksOf(next, kind)), expected))
  }
}

describe('changes of a page', () => {
  check([
    { name: 'equal pages have no changes', old: '# A\nOne.\n* b', next: '# A\nOne.\n* b', expected: [] },
    {
      name: 'a changed price and stock level',
      old: '# Shop\n## Kettle\n€ 39.90\nIn stock\nFree returns',
      next: '# Shop\n## Kettle\n€ 34.50\nOnly 3 left\nFree returns',
      expected: ['changed Shop › Kettle: [€ 39.90]{€ 34.50}', 'changed Shop › Kettle: [In stock]{Only 3 left}'],
    },
    {
      name: 'a changed price within a line',
      old: 'Kettle € 39.90 incl. VAT',
      next: 'Kettle € 34.50 incl. VAT',
      expected: ['changed: Kettle [€ 39.90]{€ 34.50} incl. VAT'],
    },
    {
      name: 'an added line does not change those below it',
      old: '# Closures\n* Mill Lane\n* Harbour Bridge\n* Old Tunnel',
      next: '# Closures\n* Bridge at Juniper Ridge closed\n* Mill Lane\n* Harbour Bridge\n* Old Tunnel',
      expected: ['added Closures: Bridge at Juniper Ridge closed'],
    },
    {
      name: 'a removed paragraph',
      old: 'One is here.\nThe pool is open at night.\nTwo is there.',
      next: 'One is here.\nTwo is there.',
      expected: ['removed: The pool is open at night.'],
    },
    {
      name: 'a moved paragraph is listed once',
      old: '# A\nThe pool is open at night.\nB is next to it.\n# C\nD follows.',
      next: '# A\nB is next to it.\n# C\nD follows.\nThe pool is open at night.',
      expected: ['moved C: The pool is open at night.'],
    },
    {
      name: 'a number that reappears elsewhere is not a moved one',
      old: '* Anna\n* 3\n* Berta\n* Clara',
      next: '* Anna\n* Berta\n* 3\n* Clara',
      expected: ['removed: 3', 'added: 3'],
    },
    {
      name: 'a rewritten paragraph next to a new one',
      old: 'The harbour bridge will be closed for repairs from Monday on.',
      next: 'Buses run as usual on all days.\nThe harbour bridge will be closed for inspection from Tuesday on.',
      expected: [
        'added: Buses run as usual on all days.',
        'changed: The harbour bridge will be closed for [repairs from Monday]{inspection from Tuesday} on.',
      ],
    },
    {
      name: 'a paragraph replaced by an unrelated one is removed and added',
      old: 'Our winter menu has soups, stews and roasted vegetables from the farm next door every evening.',
      next: 'Please note that parking behind the house costs three coins per hour since last summer already.',
      expected: [
        'removed: Our winter menu has soups, stews and roasted vegetables from the farm next door every evening.',
        'added: Please note that parking behind the house costs three coins per hour since last summer already.',
      ],
    },
    {
      name: 'a changed heading does not change the text below it',
      old: '# Opening hours\nMonday to Friday',
      next: '# Opening times\nMonday to Friday',
      expected: ['changed: Opening [hours]{times}'],
    },
    {
      name: 'a heading is not matched with a similar paragraph',
      old: '# Notes on kettles and pots\nFirst line.',
      next: 'Notes on kettles and pans\nFirst line.',
      expected: ['removed: Notes on kettles and pots', 'added: Notes on kettles and pans'],
    },
    {
      name: 'a paragraph that becomes a list item is unchanged',
      old: 'x\nSame text\ny',
      next: 'x\n* Same text\ny',
      expected: [],
    },
    {
      name: 'a paragraph that becomes a heading is unchanged',
      old: 'x\nSame text\ny',
      next: 'x\n# Same text\ny',
      expected: [],
    },
    {
      name: 'a paragraph that is split in three is unchanged',
      old: 'x\nThe pool opens at nine. It closes at eight. Dogs stay outside.\ny',
      next: 'x\nThe pool opens at nine.\nIt closes at eight.\nDogs stay outside.\ny',
      expected: [],
    },
    {
      name: 'two paragraphs that are joined are unchanged, and the new one after them is added',
      old: 'x\nThe pool opens at nine.\nIt closes at eight.\ny',
      next: 'x\nThe pool opens at nine. It closes at eight.\nDogs stay outside.\ny',
      expected: ['added: Dogs stay outside.'],
    },
    {
      name: 'lines wrapped at other words are unchanged',
      old: 'The pool opens at nine and it\ncloses at eight in the evening, but\ndogs must stay outside.',
      next: 'The pool opens at nine\nand it closes at eight in the evening,\nbut dogs must stay outside.',
      expected: [],
    },
    {
      name: 'a split paragraph in a script without spaces is unchanged',
      old: '泳池九点开门。晚上八点关门。',
      next: '泳池九点开门。\n晚上八点关门。',
      expected: [],
    },
    {
      name: 'a date in Thai is replaced as a whole, though the months share a letter',
      old: 'ถึงวันที่ 30 พฤศจิกายน 2569',
      next: 'ถึงวันที่ 15 ธันวาคม 2569',
      expected: ['changed: ถึงวันที่ [30 พฤศจิกายน]{15 ธันวาคม} 2569'],
    },
    {
      name: 'words and numbers that are joined have changed',
      old: 'Room for 1\n2 people at most',
      next: 'Room for 12 people at most',
      expected: ['removed: Room for 1', 'changed: [2]{Room for 12} people at most'],
    },
    {
      name: 'a paragraph that is split by a new one',
      old: 'The pool opens at nine. It closes at eight.',
      next: 'The pool opens at nine.\nDogs stay outside.\nIt closes at eight.',
      expected: [
        'changed: The pool opens at nine.[ It closes at eight.]',
        'added: Dogs stay outside.',
        'added: It closes at eight.',
      ],
    },
    {
      name: 'a changed stock level with a new badge before it',
      old: '.price € 5\n.stock In stock\nEnd',
      next: '.price € 5\n.badge New!\n.stock Sold out\nEnd',
      expected: ['added: New!', 'changed: [In stock]{Sold out}'],
    },
    {
      name: 'changed cells of a row',
      old: '| Kettle | € 39.90 | In stock\n| Pot | € 20 | In stock',
      next: '| Kettle | € 34.50 | Only 3 left\n| Pot | € 20 | In stock',
      expected: ['changed: Kettle\t[€ 39.90]{€ 34.50}\t[In stock]{Only 3 left}'],
    },
    {
      name: 'a row with an additional cell',
      old: '| Kettle | € 39.90 | red',
      next: '| Kettle | € 39.90 | new | red',
      expected: ['changed: Kettle\t€ 39.90{\tnew}\tred'],
    },
    {
      name: 'rows of a ranking are matched by the name after the rank, in any order',
      old: '| 1 | Bayern | 10 | 26\n| 2 | Leipzig | 10 | 22\n| 3 | Dortmund | 10 | 21\n| 4 | Mainz | 10 | 19',
      next: '| 1 | Bayern | 11 | 29\n| 2 | Dortmund | 11 | 24\n| 3 | Leipzig | 11 | 22\n| 4 | Mainz | 10 | 19',
      expected: [
        'changed: 1\tBayern\t[10]{11}\t[26]{29}',
        'changed: [3]{2}\tDortmund\t[10]{11}\t[21]{24}',
        'changed: [2]{3}\tLeipzig\t[10]{11}\t22',
      ],
    },
    {
      name: 'a new row of a ranking moves those after it',
      old: '| 1 | Alba | x\n| 2 | Berta | y\n| 3 | Clara | x\n| 4 | Dora | y',
      next: '| 1 | Alba | x\n| 2 | Emma | y\n| 3 | Berta | y\n| 4 | Clara | x\n| 5 | Dora | y',
      expected: [
        'added: 2\tEmma\ty',
        'changed: [2]{3}\tBerta\ty',
        'changed: [3]{4}\tClara\tx',
        'changed: [4]{5}\tDora\ty',
      ],
    },
    {
      name: 'numbered rooms keep their numbers when their states change',
      old: '| 1 | Free | 20 m²\n| 2 | Occupied | 35 m²\n| 3 | Free | 40 m²\n| 4 | Closed | 12 m²',
      next: '| 1 | Occupied | 20 m²\n| 2 | Free | 35 m²\n| 3 | Free | 40 m²\n| 4 | Closed | 12 m²',
      expected: ['changed: 1\t[Free]{Occupied}\t20 m²', 'changed: 2\t[Occupied]{Free}\t35 m²'],
    },
    {
      name: 'rows are matched by their first cell, even if their number stays the same',
      old: '| Kettle | 5 | in stock, ready to be shipped\n| Pot | 6 | in stock, ready to be shipped',
      next: '| Pan | 5 | in stock, ready to be shipped\n| Kettle | 6 | in stock, ready to be shipped',
      expected: [
        'added: Pan\t5\tin stock, ready to be shipped',
        'changed: Kettle\t[5]{6}\tin stock, ready to be shipped',
        'removed: Pot\t6\tin stock, ready to be shipped',
      ],
    },
    {
      name: 'rows are matched by their first cell, even if all other cells change',
      old: '| Kettle | in stock, ready to be shipped\n| Pot | € 20.00',
      next: '| Pan | € 15.00\n| Kettle | sold out until next summer\n| Pot | € 20.00',
      expected: ['added: Pan\t€ 15.00', 'changed: Kettle\t[in stock, ready to be shipped]{sold out until next summer}'],
    },
  ])
})

describe('changed words within a line', () => {
  for (const [before, after, expected] of [
    ['Open: 3 of 10 lanes', 'Open: 4 of 12 lanes', 'Open: [3 of 10]{4 of 12} lanes'],
    ['9:00–17:00 daily', '10:00–16:00 daily', '[9:00–17:00]{10:00–16:00} daily'],
    ['The bridge is closed.', 'The bridge is temporarily closed.', 'The bridge is {temporarily} closed.'],
    ['The bridge is temporarily closed.', 'The bridge is closed.', 'The bridge is[ temporarily] closed.'],
    [
      'One is here. Two is there.',
      'One is here. More is due. Two is there.',
      'One is here. {More is due.} Two is there.',
    ],
    ['Write to joe@example.org now', 'Write to ann@example.org now', 'Write to [joe@example.org]{ann@example.org} now'],
    ['since 3 May 2026', 'since 3 May 2027', 'since [3 May 2026]{3 May 2027}'],
    ['release v1.2.3-rc.1 is out', 'release v1.2.3 is out', 'release [v1.2.3-rc.1]{v1.2.3} is out'],
    ['now 10 % off', 'now 20 % off', 'now [10 %]{20 %} off'],
    ['値段は百円です', '値段は千円です', '値段は[百]{千}円です'],
    ['I 👍🏽 this', 'I 👎🏽 this', 'I [👍🏽]{👎🏽} this'],
    ['the price , then', 'the price, then', undefined],
  ] as [string, string, string | undefined][]) {
    const pair = [`Some words before. ${before}`, `Some words before. ${after}`] as const
    test(`${before} → ${after}`, () =>
      assert.deepEqual(
        changesOf(blocksOf(pair[0]), blocksOf(pair[1])),
        expected === undefined ? [] : [`changed: Some words before. ${expected}`],
      ))
  }
})

describe('changes of JSON and feeds', () => {
  check([
    {
      name: 'values are matched by their path, in any order',
      kind: 'json',
      old: '$.name = Kettle\n$.price = 39.9\n$.stock = 5',
      next: '$.price = 34.5\n$.name = Kettle\n$.colour = red',
      expected: ['changed $.price: [39.9]{34.5}', 'removed $.stock: 5', 'added $.colour: red'],
    },
    {
      name: 'an element inserted into an array does not change those after it',
      kind: 'json',
      old: '$.tags[0] = a\n$.tags[1] = b\n$.rows[0].n = x\n$.rows[0].v = 1\n$.rows[1].n = y\n$.rows[1].v = 2',
      next: '$.tags[0] = z\n$.tags[1] = a\n$.tags[2] = b\n$.rows[0].n = x\n$.rows[0].v = 1\n$.rows[1].n = y\n$.rows[1].v = 3',
      expected: ['added $.tags[0]: z', 'changed $.rows[1].v: [2]{3}'],
    },
    {
      name: 'a changed element is matched by its index',
      kind: 'json',
      old: '$[0].stock = 0\n$[1].stock = 0\n$[2].stock = 5',
      next: '$[0].stock = 0\n$[1].stock = 5\n$[2].stock = 5',
      expected: ['changed $[1].stock: [0]{5}'],
    },
    {
      name: 'feed entries pushed out by new ones are not listed',
      kind: 'feed',
      old: '[4] Four\n[3] Three\n[2] Two\n[1] One',
      next: '[5] Five\n[4] Four\n[3] Three',
      expected: ['added Five: Five'],
    },
    {
      name: 'feed entries pushed out at the top are not listed if the newest comes last',
      kind: 'feed',
      old: '[1] One\n[2] Two\n[3] Three',
      next: '[2] Two\n[3] Three\n[4] Four',
      expected: ['added Four: Four'],
    },
    {
      name: 'feed entries that disappear without new ones are listed',
      kind: 'feed',
      old: '[2] Two\n[1] One',
      next: '[2] Two',
      expected: ['removed One: One'],
    },
    {
      name: 'feed entries are matched by their id, in any order',
      kind: 'feed',
      old: '[1] Bridge closed: until May\n[2] Pool open: at night',
      next: '[3] Road works: on Mill Lane\n[2] Pool open: at night\n[1] Bridge closed: until June',
      expected: ['added Road works: Road works on Mill Lane', 'changed Bridge closed: Bridge closed until [May]{June}'],
    },
    {
      name: 'a new feed entry with the id of others does not change those',
      kind: 'feed',
      old: '[1] Two: b\n[1] One: a',
      next: '[1] Three: c\n[1] Two: b\n[1] One: a',
      expected: ['added Three: Three c'],
    },
    {
      name: 'an edited feed entry is matched although others have its id',
      kind: 'feed',
      old: '[1] Two: b\n[1] One: a',
      next: '[1] Two: b\n[1] One: z',
      expected: ['changed One: One [a]{z}'],
    },
  ])
})

test('pieces reproduce both texts, and blocks that are not listed are equal', () => {
  const text = fc.array(fc.constantFrom('a', 'kettle', '€ 5', '12', 'the', 'closed', '.', '円', '\u{1f600}'), {
    minLength: 1,
    maxLength: 8,
  })
  const some = fc.array(
    fc.record({ kind: fc.constantFrom('paragraph', 'row', 'heading', 'item'), words: text, cells: fc.boolean() }),
    { maxLength: 12 },
  )
  const toBlocks = (list: { kind: string; words: string[]; cells: boolean }[]): Blocks => ({
    ...{ kind: 'html', title: '', isCut: false },
    blocks: list.map(({ kind, words, cells }) =>
      block(kind as 'row', words.join(kind === 'row' && cells ? '\t' : ' ')),
    ),
  })
  const flat = (value: string): string => value.replace(/\s+/g, '')
  fc.assert(
    fc.property(some, some, fc.constantFrom(0, 30, 300, 1e8), (one, other, work) => {
      const [old, next] = [toBlocks(one), toBlocks(other)]
      const { changes } = listChanges(old, next, createDiffBudget(work))
      const joined = (pieces: readonly { kind: string; text: string }[], without: string) =>
        pieces.map((piece) => (piece.kind === without ? '' : piece.text)).join('')
      for (const { kind, pieces, before, after, from, to } of changes) {
        assert.equal(before, kind === 'added' ? undefined : old.blocks[from]!.text)
        assert.equal(after, kind === 'removed' ? undefined : next.blocks[to]!.text)
        if (kind !== 'changed') continue
        assert.equal(joined(pieces!, 'removed'), after)
        assert.equal(flat(joined(pieces!, 'added')), flat(before!))
      }
      // Without the reported changes, both sides have the same texts.
      const left = (blocks: Blocks['blocks'], side: 'from' | 'to'): string[] => {
        const told = new Set(changes.map((change) => change[side]))
        return blocks.filter((_, i) => !told.has(i)).map((each) => flat(each.text))
      }
      assert.deepEqual(left(old.blocks, 'from').sort(), left(next.blocks, 'to').sort())
      const order = changes.map(({ to }) => to).filter((to) => to >= 0)
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      )
    }),
    { numRuns: 1000 },
  )
})

test('lists all differences even with an empty work budget', () => {
  const numbered = (word: string): Blocks =>
    blocksOf(Array.from({ length: 100 }, (_, i) => `${i} ${word} is here at last, and more will come soon`).join('\n'))
  const budget = createDiffBudget(0)
  const { changes, coarse } = listChanges(numbered('winter'), numbered('summer'), budget)
  assert.equal(coarse, true)
  assert.equal(changes.length, 100)
  assert.deepEqual(changes[0]!.pieces, [
    { kind: 'removed', text: '0 winter is here at last, and' },
    { kind: 'added', text: '0 summer is here at last, and' },
    { kind: 'same', text: ' more will come soon' },
  ])
})

test('a report of many changes has the first 2,000 and the total number', () => {
  const lines = Array.from({ length: 5_000 }, (_, i) => `Line ${i}`)
  const { changes, changeCount, line } = reportChanges(blocksOf(''), blocksOf(lines.join('\n')))
  assert.deepEqual([changes.length, changeCount, line.more], [2_000, 5_000, 4_998])
})

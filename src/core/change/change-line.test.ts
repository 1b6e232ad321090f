import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Change } from './change.ts'
import { changeLine } from './change-line.ts'

const nothing = { block: 'paragraph', path: '', place: '', key: '', from: -1, to: -1 } as const

/** Notation: `Kettle [€ 39.90]{€ 34.50}`, with removed text in brackets and added text in braces. */
function changed(marked: string, more: Partial<Change> = {}): Change {
  const pieces = [...marked.matchAll(/\[(.*?)\]|\{(.*?)\}|([^[{]+)/gs)].map(([, removed, added, same]) => {
    if (removed !== undefined) return { kind: 'removed', text: removed } as const
    return added === undefined ? ({ kind: 'same', text: same! } as const) : ({ kind: 'added', text: added } as const)
  })
  const without = (kind: string): string => pieces.map((piece) => (piece.kind === kind ? '' : piece.text)).join('')
  return { ...nothing, kind: 'changed', before: without('added'), after: without('removed'), pieces, ...more }
}
const added = (after: string, more: Partial<Change> = {}): Change => ({ ...nothing, kind: 'added', after, ...more })
const removed = (before: string, more: Partial<Change> = {}): Change => ({
  ...nothing,
  kind: 'removed',
  before,
  ...more,
})
const moved = (text: string, from: number, to: number): Change => ({
  ...{ ...nothing, kind: 'moved', before: text, after: text, from, to },
})

describe('change line', () => {
  for (const { name, changes, line } of [
    { name: 'is empty without changes', changes: [], line: '' },
    {
      name: 'shows prices and stock as old → new',
      changes: [changed('[In stock]{Only 3 left}'), changed('[€ 39.90]{€ 34.50}')],
      line: '€ 39.90 → € 34.50 · In stock → Only 3 left',
    },
    {
      name: 'shows added text',
      changes: [added('Bridge at Juniper Ridge closed')],
      line: '+ Bridge at Juniper Ridge closed',
    },
    { name: 'shows removed text', changes: [removed('The pool is open')], line: '− The pool is open' },
    { name: 'shows moved text', changes: [moved('The pool is open', 1, 5)], line: 'moved: The pool is open' },
    {
      name: 'shows blocks that moved together once',
      changes: [moved('Pool', 1, 5), moved('Open at night.', 2, 6), moved('Closed by day.', 3, 7)],
      line: 'moved: Pool',
    },
    {
      name: 'shows a price with the words around it',
      changes: [changed('Kettle [€ 39.90]{€ 34.50} incl. VAT')],
      line: 'Kettle € 39.90 → € 34.50 incl. VAT',
    },
    {
      name: 'shows a word in context, with ellipses for omitted text',
      changes: [
        changed(
          'It was announced on Friday that the council will [close]{open} the harbour bridge for all of the summer.',
        ),
      ],
      line: '…on Friday that the council will close → open the harbour bridge for all…',
    },
    {
      name: 'shows an inserted word with its neighbour',
      changes: [changed('The bridge over the river is {temporarily} closed')],
      line: 'The bridge over the river is closed → temporarily closed',
    },
    {
      name: 'shows a deleted word with its neighbour',
      changes: [changed('The bridge over the river is[ temporarily] closed')],
      line: 'The bridge over the river is temporarily closed → closed',
    },
    { name: 'shows a short line in full', changes: [changed('{Only} 3 left')], line: '3 left → Only 3 left' },
    {
      name: 'shows a sentence added to a longer text',
      changes: [
        changed('The pool is open. {It is heated since the first of November, and the sauna is, too.} Come in!'),
      ],
      line: '+ It is heated since the first of November, and the sauna is, too.',
    },
    {
      name: 'shows prices before numbers, and numbers before headings and text',
      changes: [
        changed('[a long text that is there no more]{another one}'),
        changed('[Hours]{Times}', { block: 'heading' }),
        changed('[5]{6} guests'),
        changed('[€ 5]{€ 6}'),
      ],
      line: '€ 5 → € 6 · 5 → 6 guests · +2 more changes',
    },
    {
      name: 'shows a state before numbers, and numbers of reviews last',
      changes: [
        changed('[12]{13} reviews'),
        changed('Uptime [99.98 %]{99.97 %}'),
        changed('API [Operational]{Partial outage}'),
        changed('[In stock]{Sold out}'),
        added('Battery life', { block: 'heading' }),
      ],
      line: 'API Operational → Partial outage · In stock → Sold out · +3 more changes',
    },
    {
      name: 'shows new text before numbers of comments',
      changes: [
        changed('Comments ([12]{13})'),
        added('Bridge closed', { block: 'heading' }),
        added('Buses are diverted.'),
      ],
      line: '+ Bridge closed · + Buses are diverted. · +1 more change',
    },
    {
      name: 'shows prices in any currency first',
      changes: [changed('商品番号 [12345]{12346}'), changed('価格 [980円]{880円}')],
      line: '価格 980円 → 880円 · 商品番号 12345 → 12346',
    },
    {
      name: 'shows the news of a block without the noise in it',
      changes: [
        changed('Views: [1,234]{1,240} · Replies: [1]{2} · Pinned'),
        changed('[5 minutes]{6 minutes} ago: bridge [open]{closed}'),
      ],
      line: 'ago: bridge open → closed · Replies: 1 → 2 · Pinned',
    },
    {
      name: 'shows new sections before the renumbering of those after them',
      changes: [
        added('2. Data', { block: 'heading' }),
        added('2.1 The provider stores no data.'),
        changed('[2]{3}. Fees', { block: 'heading' }),
        changed('[2.1]{3.1} The customer pays the fees within 30 days.'),
        changed('Article [4]{5} Termination', { block: 'heading' }),
      ],
      line: '+ 2. Data · + 2.1 The provider stores no data. · +3 more changes',
    },
    {
      name: 'shows a sentence that was removed, without its neighbours',
      changes: [changed('It has 2,200 watts. [The cable is 75 cm long. ]It boils a litre in three minutes.')],
      line: '− The cable is 75 cm long.',
    },
    {
      name: 'shows no punctuation as a neighbour or at the start of a context',
      changes: [changed('At least [12]{15}, not fewer, people were killed {and 30 injured}.')],
      line: 'At least 12 → 15 · not fewer, people were killed → killed and 30 injured.',
    },
    {
      name: 'shows the change of a title and of a text of an entry apart',
      changes: [
        changed('Bridge closed{ again} — It is closed until [Friday]{Saturday}.', {
          ...{ block: 'entry', key: '3', title: 'Bridge closed again' },
        }),
      ],
      line: 'Bridge closed → closed again · It is closed until Friday → Saturday.',
    },
    {
      name: 'shows headings before text',
      changes: [added('a long text that is new here and very long'), added('Hours', { block: 'heading' })],
      line: '+ Hours · + a long text that is new here and very long',
    },
    {
      name: 'shows the longest text first',
      changes: [added('one'), added('one two three'), added('one two'), removed('x')],
      line: '+ one two three · + one two · +2 more changes',
    },
    {
      name: 'counts one more change in the singular',
      changes: [added('aaa'), added('bb'), added('c')],
      line: '+ aaa · + bb · +1 more change',
    },
    {
      name: 'shows two numbers of a line in reading order',
      changes: [changed('Yesterday [5]{7} of many people stayed in [10]{112} rooms.')],
      line: 'Yesterday 5 → 7 · of many people stayed in 10 → 112 rooms.',
    },
    {
      name: 'shows the changed cells of a row after its first cell',
      changes: [changed('Kettle\t[€ 39.90]{€ 34.50}\tred\t[In stock]{Only 3 left}', { block: 'row' })],
      line: 'Kettle: € 39.90 → € 34.50 · In stock → Only 3 left',
    },
    {
      name: 'shows the row of a ranking by the name after its rank',
      changes: [changed('1\tBayern\t10\t[26]{29}', { block: 'row' })],
      line: 'Bayern: 26 → 29',
    },
    {
      name: 'shows new points before rows of a ranking that only moved',
      changes: [
        changed('[10]{11}.\tUlm\t10\t22', { block: 'row' }),
        changed('[11]{10}.\tMainz\t10\t[21]{24}', { block: 'row' }),
        changed('12.\tKiel\t10\t[20]{21}', { block: 'row' }),
      ],
      line: 'Mainz: 21 → 24 · Kiel: 20 → 21 · +1 more change',
    },
    {
      name: 'shows a new row of a ranking before the one it moved down',
      changes: [added('4\tMainz\t10\t21', { block: 'row' }), changed('[4]{5}\tUlm\t10\t21', { block: 'row' })],
      line: '+ 4 | Mainz | 10 | 21 · Ulm: 4 → 5',
    },
    {
      name: 'shows a new column by its name',
      changes: [
        changed('Club{\tGoals}\tPoints', { block: 'row' }),
        changed('Ulm{\t20:11}\t22', { block: 'row' }),
        changed('Mainz{\t8:12}\t21', { block: 'row' }),
      ],
      line: '+ Goals · + Ulm: 20:11 · +1 more change',
    },
    {
      name: 'shows a new JSON object by its name',
      changes: [
        added('false', { block: 'value', key: '$.items[id=3].isUsed' }),
        added('Cup', { block: 'value', key: '$.items[id=3].name' }),
      ],
      line: '+ $.items[id=3].name: Cup · + $.items[id=3].isUsed: false',
    },
    { name: 'shows a new row', changes: [added('Kettle\t€ 39.90', { block: 'row' })], line: '+ Kettle | € 39.90' },
    {
      name: 'shows the same change in several blocks only once',
      changes: [
        changed('[€ 39.90]{€ 34.50}'),
        changed('[In stock]{Only 3 left}'),
        changed('Price\t[€ 39.90]{€ 34.50}', { block: 'row' }),
        changed('Kettle [€ 39.90]{€ 34.50} in [red]{blue}'),
      ],
      line: '€ 39.90 → € 34.50 · In stock → Only 3 left · +1 more change',
    },
    {
      name: 'shows new feed entries before removed ones',
      changes: [
        removed('Pool open at night and by day', { block: 'entry', title: 'Pool open at night and by day' }),
        added('Road works', { block: 'entry', title: 'Road works' }),
      ],
      line: '+ Road works · − Pool open at night and by day',
    },
    {
      name: 'shows the path of a JSON value',
      changes: [changed('[39.9]{34.5}', { block: 'value', key: '$.price' })],
      line: '$.price: 39.9 → 34.5',
    },
    {
      name: 'shows a new JSON value',
      changes: [added('red', { block: 'value', key: '$.colour' })],
      line: '+ $.colour: red',
    },
    {
      name: 'shows a new entry by its title',
      changes: [added('Road works on Mill Lane', { block: 'entry', key: '3', title: 'Road works' })],
      line: '+ Road works',
    },
    {
      name: 'shows the title of an edited entry',
      changes: [
        changed('Bridge closed The bridge will be closed until [May]{June}, it is said.', {
          ...{ block: 'entry', key: '3', title: 'Bridge closed' },
        }),
      ],
      line: 'Bridge closed: The bridge will be closed until May → June, it is said.',
    },
    {
      name: 'shows the new title of an entry',
      changes: [changed('Bridge [closed]{open} since May', { block: 'entry', key: '3', title: 'Bridge open' })],
      line: 'Bridge closed → open since May',
    },
    {
      name: 'shows a change without a word diff',
      changes: [{ ...changed('a'), before: 'old text', after: 'new text', pieces: undefined } as unknown as Change],
      line: 'old text → new text',
    },
  ] as { name: string; changes: Change[]; line: string }[]) {
    test(`${name}: ${line}`, () => {
      const { text, parts } = changeLine(changes)
      assert.equal(text, line)
      assert.equal(parts.map((part) => part.text).join(''), line)
    })
  }
})

test('change line parts distinguish removed, added and unchanged text and separators', () => {
  assert.deepEqual(changeLine([changed('Kettle [€ 39.90]{€ 34.50} incl. VAT'), removed('gone')]).parts, [
    { kind: 'same', text: 'Kettle ' },
    { kind: 'removed', text: '€ 39.90' },
    { kind: 'sign', text: ' → ' },
    { kind: 'added', text: '€ 34.50' },
    { kind: 'same', text: ' incl. VAT' },
    { kind: 'sign', text: ' · ' },
    { kind: 'sign', text: '− ' },
    { kind: 'removed', text: 'gone' },
  ])
})

describe('change line text', () => {
  const long = 'word '.repeat(1000).trim()

  test('stays short, however long the changes are', () => {
    for (const change of [
      changed(`[${long}]{${long} x}`),
      changed(`${long} [1]{2} ${long}`),
      added(long),
      removed(long),
    ]) {
      assert.ok(changeLine([change]).text.length <= 165, changeLine([change]).text)
      assert.ok(changeLine([change, change, change]).text.length <= 185, changeLine([change, change, change]).text)
    }
    assert.match(changeLine([changed(`[${long}]{short}`)]).text, /^word .*word… → short$/)
  })

  test('never splits a grapheme cluster', () => {
    const family = '👩‍👩‍👧‍👦'
    for (let before = 0; before < 20; before++) {
      const { text } = changeLine([added('x'.repeat(before) + family.repeat(40))])
      assert.equal(text.isWellFormed(), true)
      const shown = text.replace(/^\+ x*/, '').replace(/…$/, '')
      assert.equal(shown.replaceAll(family, ''), '')
    }
    assert.equal(changeLine([added('a\ud83d b')]).text.isWellFormed(), true)
  })

  test('isolates right-to-left text and drops bidirectional control characters', () => {
    assert.equal(changeLine([changed('מחיר [39.90]{34.50}')]).text, '\u2068מחיר\u2069 39.90 → 34.50')
    assert.equal(changeLine([changed('[פתוח]{סגור}')]).text, '\u2068פתוח\u2069 → \u2068סגור\u2069')
    assert.equal(changeLine([added('abc\u202edef\u2066 x\u200b')]).text, '+ abcdef x')
  })

  test('stays on one line despite line breaks and control characters', () => {
    assert.equal(changeLine([added('a\n\tb\r\u0000c')]).text, '+ a | b c')
  })

  test('counts the remaining changes if there are very many', () => {
    const changes = Array.from({ length: 100_000 }, (_, i) => changed(`row ${i} [a]{b${i}}`))
    assert.equal(changeLine(changes).more, 99_998)
  })
})

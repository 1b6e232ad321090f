import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { changedParts, completeDocument, findVolatileParts, readVolatileTable, writeVolatileTable } from './tvi.ts'

const partsOf = (text: string, isXml = false): string[] => {
  const body = Buffer.from(text)
  return findVolatileParts(body, isXml).map(({ id, start, end }) => `${id}=${body.toString('utf8', start, end)}`)
}

describe('volatile parts', () => {
  test('are spans with the class and an id, including nested elements', () => {
    assert.deepEqual(partsOf(`<p><span class="vol" id="a">1</span><SPAN ID=b class='x vol'>2 <span>ä</span></SPAN>`), [
      'a=1',
      'b=2 <span>ä</span>',
    ])
    assert.deepEqual(partsOf('<span class="vol" id="a"><span class="vol" id="b">x</span>y</span>'), [
      'a=<span class="vol" id="b">x</span>y',
    ])
  })

  test('are not found in comments or scripts, without class or valid id, or unclosed', () => {
    const none = [
      '<!-- <span class="vol" id="a">1</span> -->',
      '<script>"<span class=vol id=a>1</span>"</script>',
      '<span class="volume" id="a">1</span>',
      '<span class="vol">1</span>',
      '<span class="vol" id="a b">1</span>',
      '<span class="vol" id="a">1',
      '<span class="vol" id="a',
    ]
    for (const text of none) assert.deepEqual(partsOf(text), [], text)
  })

  test('are elements named Vol1, Vol2 and so on in XML', () => {
    const text =
      '<a><Vol1>5</Vol1><!--<Vol2>x</Vol2>--><![CDATA[<Vol3>]]><Vol2 unit="K">6</Vol2><Vol4/><vol>7</vol></a>'
    assert.deepEqual(partsOf(text, true), ['Vol1=5', 'Vol2=6'])
  })

  test('are not used if there are more than 1000', () => {
    for (const [part, isXml] of [
      ['<span class=vol id=a>1</span>', false],
      ['<Vol1>1</Vol1>', true],
    ] as const) {
      assert.equal(partsOf(part.repeat(1000), isXml).length, 1000)
      assert.deepEqual(partsOf(part.repeat(1001), isXml), [])
    }
  })

  test('are searched for in linear time in hostile pages', () => {
    const html = ['<span class=vol id=a>', '<span class="', '<!-- vol', '<script vol', '</span>', '<span "', '<span ']
    for (const piece of html) assert.deepEqual(partsOf(`vol${piece.repeat(200_000)}`), [], piece)
    for (const piece of ['<Vol1>', '<Vol1 a="', '<!-- Vol1', '<![CDATA[ Vol1', '</Vol1>', '<Vol1 "', '<Vol1 '])
      assert.deepEqual(partsOf(piece.repeat(200_000), true), [], piece)
    assert.deepEqual(partsOf(`vol${`${'<span '.repeat(600)}>`.repeat(400)}`), [])
    assert.deepEqual(partsOf(`${'<Vol1 '.repeat(600)}/>`.repeat(400), true), [])
  })

  test('from a table complete the earlier document, with any bytes', () => {
    const bytes = fc
      .uint8Array({ maxLength: 40 })
      .map((octets) => Buffer.from(octets.filter((octet) => octet !== 0x3c)))
    const pageOf = (first: Buffer, second: Buffer): Buffer =>
      Buffer.concat([
        ...[
          Buffer.from('<p>x<span class="vol" id="a">'),
          first,
          Buffer.from('</span> y <span id=b class=vol>'),
          second,
        ],
        Buffer.from('</span> z'),
      ])
    fc.assert(
      fc.property(bytes, bytes, bytes, bytes, (a, b, c, d) => {
        const [before, after] = [pageOf(a, b), pageOf(c, d)]
        const table = readVolatileTable(Buffer.from(writeVolatileTable(after, findVolatileParts(after, false))))!
        const parts = findVolatileParts(before, false)
        const made = completeDocument(before, parts, table)
        assert.ok(made.kind === 'completed' && made.body.equals(after))
        assert.deepEqual(changedParts(before, parts, table), [
          ...(a.equals(c) ? [] : ['a']),
          ...(b.equals(d) ? [] : ['b']),
        ])
      }),
      { numRuns: 200 },
    )
  })

  test('complete nothing if the rest of the page differs or the table is inconsistent', () => {
    const page = (words: string, price: string): Buffer =>
      Buffer.from(`${words}<span class="vol" id="a">${price}</span>`)
    const before = page('old', '1')
    const parts = findVolatileParts(before, false)
    const tableOf = (after: Buffer) =>
      readVolatileTable(Buffer.from(writeVolatileTable(after, findVolatileParts(after, false))))!
    assert.equal(completeDocument(before, parts, tableOf(page('new', '2'))).kind, 'changed')
    const honest = tableOf(page('old', '2'))
    assert.equal(completeDocument(before, parts, { ...honest, parts: [] }).kind, 'wrong')
    const other = { ...honest, parts: [{ id: 'a', content: Buffer.from('3') }] }
    assert.equal(completeDocument(before, parts, other).kind, 'wrong')
    assert.equal(
      completeDocument(before, parts, { ...honest, parts: [{ ...honest.parts[0]!, id: 'b' }] }).kind,
      'wrong',
    )
  })
})

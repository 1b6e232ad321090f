import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createOmitRules } from '../text/omit-rules.ts'
import { createWorkBudget } from '../work/work-budget.ts'
import { createPartReader, type Part, type PartBlocks } from './part-blocks.ts'
import { readSelector } from './selector.ts'

const readPart = createPartReader()

function partOf(body: string, contentType: string, part: Partial<Part>, steps = 5_000_000): PartBlocks {
  const content = { body: Buffer.from(body), contentType, omit: null }
  return readPart(content, { select: [], omit: [], ...part }, createWorkBudget(steps))
}

function linesOf(body: string, contentType: string, part: Partial<Part>): string[] {
  const read = partOf(body, contentType, part)
  assert.ok(read.kind === 'blocks', read.kind)
  return read.blocks!.blocks.map(({ trail, text }) => [...trail, text].join(' › '))
}

const shop = `<!doctype html><title>Shop</title><nav><a href=/>Home</a></nav><main><h1>Kettles</h1>
<div class=product id=k1><h2>Steel kettle</h2><p>Now only <b class=price>€ 39.90</b> with tax</p><p>In stock</p></div>
<div class=product id=k2><h2>Glass kettle</h2><p>Now only <b class=price>€ 49.90</b> with tax</p></div>
<table><tr><th>Size<th>Weight<tr class=big><td>2 l<td class=kg>1.1 kg<td>x</table></main><footer>Seen 17 times</footer>`

describe('the watched part of a page', () => {
  const html = 'text/html; charset=utf-8'
  test('is selected by CSS, even within a block, and keeps the headings above it', () => {
    assert.deepEqual(linesOf(shop, html, { select: ['.price'] }), [
      'Kettles › Steel kettle › € 39.90',
      'Kettles › Glass kettle › € 49.90',
    ])
    assert.deepEqual(linesOf(shop, html, { select: ['#k1'] }), [
      'Kettles › Steel kettle',
      'Kettles › Steel kettle › Now only € 39.90 with tax',
      'Kettles › Steel kettle › In stock',
    ])
    assert.deepEqual(
      linesOf(shop, html, { select: ['tr.big'] }).map((line) => line.split(' › ').at(-1)),
      ['2 l\t1.1 kg\tx'],
    )
    assert.deepEqual(
      linesOf(shop, html, { select: ['.kg', 'footer'] }).map((line) => line.split(' › ').at(-1)),
      ['1.1 kg', 'Seen 17 times'],
    )
  })

  test('is selected by XPath: elements, text nodes and attributes', () => {
    assert.deepEqual(linesOf(shop, html, { select: ['//div[h2="Glass kettle"]//b'] }), [
      'Kettles › Glass kettle › € 49.90',
    ])
    assert.deepEqual(linesOf(shop, html, { select: ['//p[b]/text()[2]', '//nav/a/@href'] }), [
      'Kettles › Steel kettle › with tax',
      'Kettles › Glass kettle › with tax',
      '/',
    ])
  })

  test('is selected by browser-generated selectors, with implied elements such as tbody', () => {
    const last = (select: string) => linesOf(shop, html, { select: [select] }).map((line) => line.split(' › ').at(-1))
    for (const select of [
      'body > main > table > tbody > tr:nth-child(2) > td.kg',
      'html > body > main table tbody tr.big > td:nth-of-type(2)',
      '/html/body/main/table/tbody/tr[2]/td[2]',
      'table > tr.big > .kg',
      '//table/tr[2]/td[2]',
    ])
      assert.deepEqual(last(select), ['1.1 kg'], select)
    assert.deepEqual(last('body > main > div:nth-of-type(2) .price'), ['€ 49.90'])
    assert.deepEqual(last('head > title'), ['Shop'])
    assert.equal(last('body').length, last('*').length - 1, 'all but the title')
    const parts = '<table><caption>C</caption><thead><tr><th>h</th></tr></thead><tbody><tr><td>a</table><p>b</p>'
    assert.deepEqual(
      linesOf(parts, html, { select: ['body > table > tbody > tr'] }).map((line) => line.split(' › ').at(-1)),
      ['a'],
    )
    assert.deepEqual(linesOf('<html><body><p>a<p>b</html>', html, { select: ['html body p:last-child'] }), ['b'])
  })

  test('excludes omitted parts, within a selection or in the whole page', () => {
    assert.deepEqual(linesOf(shop, html, { select: ['#k1'], omit: ['.price', '//h2'] }), [
      'Kettles › Now only with tax',
      'Kettles › In stock',
    ])
    const whole = linesOf(shop, html, { omit: ['footer', 'nav', '.product', '/^Size/'] })
    assert.deepEqual(
      whole.map((line) => line.split(' › ').at(-1)).filter((line) => line !== 'Shop'),
      ['Kettles', '2 l\t1.1 kg\tx'],
    )
  })

  test('is selected in XML and in lines of plain text', () => {
    const xml = '<list><item id="a"><dc:title>One</dc:title><v>1</v></item><item id="b"><v>2</v></item></list>'
    const last = (lines: string[]) => lines.map((line) => line.split(' › ').at(-1))
    assert.deepEqual(last(linesOf(xml, 'application/xml', { select: ['//item[@id="b"]/v', 'dc\\:title'] })), [
      'One',
      '2',
    ])
    const log = 'Visitors: 1\nTotal: 17\nTotal: 18\nrest'
    assert.deepEqual(linesOf(log, 'text/plain', { select: ['/^Total: /'], omit: ['/17$/'] }), ['Total: 18'])
  })

  test('is selected in JSON by path, including array elements', () => {
    const shop = JSON.stringify({
      name: 'Shop',
      items: [
        { id: 7, price: '39.90', tags: ['a', 'b'] },
        { id: 9, price: '49.90', 'in stock': 3 },
      ],
    })
    const keys = (part: Partial<Part>) => {
      const read = partOf(shop, 'application/json', part)
      assert.ok(read.kind === 'blocks', read.kind)
      return read.blocks!.blocks.map(({ key, text }) => `${key} ${text}`)
    }
    assert.deepEqual(keys({ select: ['$.items[*].price'] }), ['$.items[id=7].price 39.90', '$.items[id=9].price 49.90'])
    assert.deepEqual(keys({ select: ['$..tags[1]', '$.items[?@.id == 9]["in stock"]'] }), [
      '$.items[id=7].tags[1] b',
      '$.items[id=9]["in stock"] 3',
    ])
    assert.deepEqual(keys({ select: ['$.items[0]'], omit: ['$..tags'] }), [
      '$.items[id=7].id 7',
      '$.items[id=7].price 39.90',
    ])
    assert.deepEqual(keys({ omit: ['$.items'] }), ['$.name Shop'])
  })

  test('excludes elements that the configuration omits', () => {
    const omit = createOmitRules([{ match: '*', selectors: ['#k1'], patterns: [] }])('http://a.example/')
    const content = { body: Buffer.from(shop), contentType: html, omit }
    const read = readPart(content, { select: ['.price'], omit: [] }, createWorkBudget())
    assert.ok(read.kind === 'blocks')
    assert.deepEqual(
      read.blocks!.blocks.map(({ text }) => text),
      ['€ 49.90'],
    )
  })

  test('ignores selection marks already present in the page', () => {
    const page = '<p>\ufdd0a</p><p class=x>b</p><p>\ufdd1c</p>'
    assert.deepEqual(linesOf(page, html, { select: ['.x'] }), ['b'])
  })

  test('is reported as nothing if no selector matches, in any kind of document', () => {
    assert.equal(partOf(shop, html, { select: ['.gone', '$.price'] }).kind, 'nothing')
    assert.equal(partOf('a\nb', 'text/plain', { select: ['.price', '/c/'] }).kind, 'nothing')
    assert.equal(partOf('{"a":1}', 'application/json', { select: ['$.b'] }).kind, 'nothing')
    assert.equal(partOf('<p class=price> </p>', html, { select: ['.price'] }).kind, 'nothing')
  })

  test('is reported as too expensive if the selectors or the page take too much work', () => {
    const wide = `<p>${'<i>x</i>'.repeat(20_000)}</p>`
    for (const select of ['b ~ i', '//i[count(preceding::i) = count(following::i)]'])
      assert.equal(partOf(wide, html, { select: [select] }).kind, 'too-expensive', select)
    assert.equal(partOf('<i>'.repeat(600), html, { select: ['i'] }).kind, 'too-expensive')
    assert.equal(partOf(`<p>${'x'.repeat(11_000_000)}`, html, { select: ['p'] }).kind, 'too-expensive')
    assert.equal(linesOf(wide, html, { select: ['*'] }).length, 1)
    assert.equal(partOf(wide, html, { omit: ['*'] }).kind, 'blocks')
  })
})

describe('a selector', () => {
  test('is classified by its syntax', () => {
    for (const [source, kind] of [
      ['.price > b', 'css'],
      ['main, #a', 'css'],
      ['//h1', 'xpath'],
      ['/html/body/p[1]', 'xpath'],
      ['(//p)[1]', 'xpath'],
      ['$.a[*]', 'json'],
      ['/^Total: \\d+$/', 'pattern'],
    ] as const)
      assert.equal(readSelector(source).kind, kind)
  })

  test('is rejected with the reason if it is invalid', () => {
    for (const [source, reason] of [
      ['div >', /^invalid CSS selector: /],
      ['a:nowhere', /^invalid CSS selector: .*nowhere/],
      ['//a[', /^invalid XPath: it ends too early/],
      ['$.a[', /^invalid JSONPath: it ends too early/],
      ['/(a/', /^invalid expression: /],
    ] as const)
      assert.throws(
        () => readSelector(source),
        (error: Error) => reason.test(error.message) || assert.fail(error.message),
      )
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Block } from '../change/change.ts'
import { readBlocks, textOfBlocks } from './blocks.ts'
import { createOmitRules } from './omit-rules.ts'

function read(page: string | Buffer, contentType = 'text/html; charset=utf-8'): readonly Block[] {
  return readBlocks(Buffer.from(page), { contentType })!.blocks
}

/** Each block as `kind: text`, headings with their level. */
function outline(page: string, contentType?: string): string[] {
  return read(page, contentType).map(({ kind, level, text }) => `${kind}${level || ''}: ${text}`)
}

function texts(page: string, contentType?: string): string[] {
  return read(page, contentType).map(({ text }) => text)
}

describe('the blocks of a page', () => {
  test('are its title, headings, paragraphs, items and rows, in order', () => {
    const page = `<!doctype html><title> Shop &amp; Co </title><main><h1>Shop</h1><p>One <b>two</b>three<br>four</p>
      <ul><li>a<li>b <em>c</em></ul><dl><dt>Price<dd>39.90</dl><table><caption>Sizes</caption><tr><th>Size<th>Litres
      <tr><td>small<td><p>1.0</p></table><figure><img><figcaption>A kettle</figcaption></figure>
      <details><summary>More</summary>text</details><select><option>x<option>y</select><button>Buy</button> now</main>`
    assert.deepEqual(outline(page), [
      'title: Shop & Co',
      'heading1: Shop',
      'paragraph: One twothree',
      'paragraph: four',
      'item: a',
      'item: b c',
      'item: Price',
      'item: 39.90',
      'paragraph: Sizes',
      'row: Size\tLitres',
      'row: small\t1.0',
      'paragraph: A kettle',
      'paragraph: More',
      'paragraph: text',
      'item: x',
      'item: y',
      'paragraph: Buy',
      'paragraph: now',
    ])
  })

  test('know the headings above them', () => {
    const page = `<main><h1>Shop</h1><p>a<section><h2>Kettle</h2><p>b<h3>Colours</h3><p>c</section><p>d
      <h2>Pot</h2><dl><dt>Price<dd>5</dl><p>e</main><footer>f</footer>`
    const trails = read(page).map(({ text, trail }) => [...trail, text].join(' › '))
    assert.deepEqual(trails, [
      'Shop',
      'Shop › a',
      'Shop › Kettle',
      'Shop › Kettle › b',
      'Shop › Kettle › Colours',
      'Shop › Kettle › Colours › c',
      'Shop › d',
      'Shop › Pot',
      'Shop › Pot › Price',
      'Shop › Pot › Price › 5',
      'Shop › Pot › e',
      'f',
    ])
  })

  test('have a place, which all items of a list share', () => {
    const page = `<main id=content><div><ul class="prices big extra"><li class=odd id=a>1<li class=even>2</ul></div>
      <div class="card post-123456"><p class=price>3</p></div><table><tbody><tr><td>4<tr class=x><td>5</table></main>6`
    assert.deepEqual(
      read(page).map(({ place }) => place),
      [
        'main#content/ul.prices.big/li',
        'main#content/ul.prices.big/li',
        'main#content/div.card/p.price',
        'main#content/table/tr',
        'main#content/table/tr',
        '',
      ],
    )
  })

  test('are found inside the cells of a layout table', () => {
    const page = `<table><tr><td>menu<td><h1>News</h1><p>one<p>two<table><tr><td>a<td>b</table>three<td>ads</table>`
    assert.deepEqual(outline(page), [
      'row: menu',
      'heading1: News',
      'paragraph: one',
      'paragraph: two',
      'row: a\tb',
      'paragraph: three',
      'paragraph: ads',
    ])
    const long = '<p>word word word</p>'.repeat(100)
    assert.equal(read(`<table><tr><td>${long}</table>`).length > 20, true)
  })

  test('continue after an unclosed heading', () => {
    assert.deepEqual(outline('<h1>News<p>one<p>two'), ['heading1: News', 'paragraph: one', 'paragraph: two'])
    assert.deepEqual(outline('<h1><div>News</div><div>today</div></h1>one'), ['heading1: News today', 'paragraph: one'])
  })

  test('are lines in preformatted text', () => {
    assert.deepEqual(outline('a<pre>b\n  c\n\nd</pre>e\nf<textarea>\ng\nh</textarea>i'), [
      'paragraph: a',
      'line: b',
      'line: c',
      'line: d',
      'paragraph: e f',
      'line: g',
      'line: h',
      'paragraph: i',
    ])
  })

  test('exclude text omitted by the settings', () => {
    const rules = createOmitRules([{ match: '*', selectors: ['.ad'], patterns: ['\\d+ views', 'x\\s+y'] }])
    const omit = rules('http://a.example/')
    const page = Buffer.from('<p>Hello 17 views there<p class=ad>Buy<p>12 views<p>a x<p>y b')
    const blocks = readBlocks(page, { contentType: 'text/html', omit })!
    assert.equal(textOfBlocks(blocks), 'Hello there\na\nb')
  })
})

describe('invisible text', () => {
  test('is left out if hidden by attributes', () => {
    const page = `<p>a<p hidden>b<p hidden=until-found>c<p aria-hidden=true>d<div style="color:red; DISPLAY : none">e<p>f</div>
      <div style="visibility:hidden">g</div><div style="display:none;display:block">h</div><p HIDDEN style="display:block">i
      <p>j<span hidden>k<span>l</span>m</span>n<ul><li>o<li hidden>p<ul><li>q</ul><li>r</ul><input type=hidden value=s>
      <dialog>t</dialog><dialog open>u</dialog><div popover>v</div>`
    assert.deepEqual(texts(page), ['a', 'd', 'h', 'i', 'jn', 'o', 'r', 'u'])
  })

  test("is left out if hidden by the page's own style rules", () => {
    const sheet = `/* .a{} */ .off, #gone, p.old {display:none} nav{ visibility: hidden } .tab{display:none}
      .tab.active{display:block} .big{display:none} .big{display:block} @media print{.d{display:none}}
      @media screen{.e{display:none}} @media (max-width:9em){.f{display:none}} .g .h{display:none}
      @keyframes k{from{visibility:hidden}to{visibility:visible}} .i::after{content:"{";display:none} .j{display:none!important}
      .j.j{display:block} body{display:none}`
    const page = `<style>${sheet}</style><style media=print>.k{display:none}</style><p>0<p class="x off">1<p id=gone>2<p class=old>3
      <div class=old>4</div><nav>5</nav><p class=tab>6<p class="active tab">7<p class=big>8<p class=d>9<p class=e>10<p class=f>11
      <div class=g><p class=h>12</div><p class=i>13<p class=j>14<p class=off style="display:block">15<p class=k>16`
    assert.deepEqual(texts(page), ['0', '4', '7', '8', '9', '11', '12', '13', '15', '16'])
  })

  test('is left out if hidden by a later style rule', () => {
    assert.deepEqual(texts('<p>a<p class=x>b<style>.x{display:none}</style><p>c'), ['a', 'c'])
    assert.deepEqual(texts('<p>a<p class=x>b<noscript><style>.x{display:none}</style></noscript>'), ['a', 'b'])
    assert.deepEqual(texts('<p>a<p class=x>b<template><style>.x{display:none}</style></template>'), ['a', 'b'])
  })

  test('is left out in elements that are not displayed', () => {
    const page = `<title>t</title><noscript>a<p>b</noscript><template>c<p>d</template><script>e</script><style>f{}</style>
      <datalist><option>g</datalist><svg><title>h</title><text>i</text></svg><svg style="display:none"><text>j</text></svg>k`
    assert.deepEqual(texts(page), ['t', 'i k'])
  })

  test('zero-width characters are dropped, and accents and spaces normalised', () => {
    const page =
      '<p>a\u200bb\u00adc&shy;d\ufeffe&#8203;f\u2060g &zwj;<p>\u200b<p>e\u0301 \u212b<p>x&nbsp;&nbsp;y\u3000z\u2009w'
    assert.deepEqual(texts(page), ['abcdefg', 'é Å', 'x y z w'])
    const joined = ['👩\u200d💻', 'क्\u200dष', 'می\u200cخواهم']
    assert.deepEqual(texts(joined.map((text) => `<p>${text}`).join('')), joined)
    assert.deepEqual(texts('<title>a\u200bb\u0308</title>'), ['ab\u0308'])
  })
})

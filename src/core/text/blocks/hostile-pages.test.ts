import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readBlocks } from '../blocks.ts'

const megabyte = 1024 * 1024

function read(page: string, contentType = 'text/html; charset=utf-8') {
  return readBlocks(Buffer.from(page), { contentType })!
}

function fill(piece: string, bytes: number): string {
  return piece.repeat(Math.ceil(bytes / piece.length))
}

describe('blocks of hostile pages', () => {
  test('are limited to a hundred thousand and marked as cut', () => {
    for (const page of ['<p>a', '<pre>a\n\n', '<table><tr><td>a', '<h1>a', '<textarea>a\n', '<dt>a<dd>b']) {
      const { blocks, isCut } = read(fill(page, 2 * megabyte))
      assert.deepEqual([isCut, blocks.length], [true, 100_000], page)
    }
    const lines = read(fill('a\n', 3 * megabyte), 'text/plain')
    assert.deepEqual([lines.isCut, lines.blocks.length], [true, 100_000])
  })

  test('are cut if the body exceeds ten megabytes', () => {
    const { blocks, isCut } = read(`<p>${fill('word ', 11 * megabyte)}<p>end`)
    assert.deepEqual([isCut, blocks.length], [true, 1])
  })

  test('include all rows of a table with fifty thousand rows', () => {
    const rows = Array.from({ length: 50_000 }, (_, n) => `<tr><td>${n}</td><td>name ${n}</td></tr>`)
    const { blocks, isCut } = read(`<table>${rows.join('')}</table>`)
    assert.deepEqual([isCut, blocks.length, blocks[49_999]?.text], [false, 50_000, '49999\tname 49999'])
  })

  test('are found before and after extremely deep nesting', () => {
    for (const name of ['div', 'b hidden', 'ul><li', 'table><tr><td', 'span', 'section><h2', 'blockquote', 'form']) {
      const end = name
        .split('>')
        .reverse()
        .map((each) => `</${each.split(' ')[0]}>`)
      const page = `<p>first</p>${`<${name}>`.repeat(100_000)}x${end.join('').repeat(100_000)}<p>last`
      const texts = read(page).blocks.map(({ text }) => text)
      assert.equal(texts[0], 'first', name)
      assert.equal(texts.at(-1), 'last', name)
      assert.equal(texts.length <= 3, true, name)
    }
  })

  test('are read despite endless unclosed or repeated markup', () => {
    const invisible = [
      ...[
        '<b hidden>a',
        '<p><b hidden>a',
        '<b hidden><div></b>',
        '<a hidden>',
        '<button><p>',
        '<svg><p>',
        '<template>',
        '<table>',
      ],
      ...['<form>', '<select><option>', '</p></li></x></b></form>', '<!-- ', '<![CDATA[', '<a "', '<dialog>'],
      ...['\u200b', '\u200d ', '\ufeff', '<li><div>', '<dd><div>'],
    ]
    const textsOf = (page: string) => read(page).blocks.map(({ text }) => text)
    for (const piece of invisible) {
      assert.deepEqual(textsOf(`<p>first</p>${fill(piece, megabyte / 2)}`), ['first'], piece)
    }
    for (const piece of ['< ', '&', '\u0301\u0327']) {
      const text = fill(piece, megabyte / 2)
      assert.deepEqual(textsOf(`<p>first</p>${text}`), ['first', text.trim()], piece)
    }
    const titles = fill('<title>', megabyte / 2)
    assert.deepEqual(textsOf(`<p>first</p>${titles}`), [titles.slice('<title>'.length), 'first'])
    const styles = '<style>.x{display:none}</style>a<i class=x>b</i>'.repeat(10_000)
    assert.deepEqual(textsOf(`<p>first</p>${styles}`), ['first', 'a'.repeat(10_000)])
  })

  test('keep their places beside blocks of zero-width characters', () => {
    const blank = '<div>\u200b</div>'
    for (const page of [
      `${blank}<p>first</p><h1>last</h1>`,
      `<p>first</p>${blank}<h1>last</h1>`,
      `<p>first</p><h1>last</h1>${blank}`,
    ]) {
      const blocks = read(page).blocks.map(({ kind, text, place }) => [kind, text, place])
      assert.deepEqual(
        blocks,
        [
          ['paragraph', 'first', 'p'],
          ['heading', 'last', 'h1'],
        ],
        page,
      )
    }
  })

  test('are hidden or shown despite hostile style sheets', () => {
    const page = `<p class="x z">a<p class="${fill('x ', megabyte)}">b${'<p class="x y z">c'.repeat(20_000)}<p>last`
    const textsOf = (sheet: string) => read(`<style>${sheet}</style>${page}`).blocks.map(({ text }) => text)
    for (const sheet of [
      `.x{display:none}${fill('a{', megabyte)}`,
      `.x{display:none}/*${fill('/* ', megabyte)}`,
      `.x{display:none}${fill('"\\', megabyte)}`,
      `.x{display:none}${fill('@media screen{', megabyte)}`,
      `.x{display:none}${fill('.b,', megabyte)}{display:none}`,
    ])
      assert.deepEqual(textsOf(sheet), ['last'], sheet.slice(0, 40))
    const all = ['a', 'b', ...Array<string>(20_000).fill('c'), 'last']
    for (const sheet of [
      fill('.a{display:none}', megabyte),
      `.x{display:none;display:a${' '.repeat(megabyte)}1}`,
      `.x{display${' '.repeat(megabyte)}:none}`,
      Array.from({ length: 5000 }, (_, n) => `.x.y${n}{display:none}`).join(''),
    ])
      assert.deepEqual(textsOf(sheet), all, sheet.slice(0, 40))
  })

  test('have places and headings of limited length', () => {
    const names = 'abcdefghijklmnopqrstuvwxyz'
    const { blocks } = read(
      `${`<div id=${names} class="${names} ${names}2">`.repeat(400)}<h1>${'word '.repeat(90)}</h1><p>x`,
    )
    assert.equal(blocks.length, 2)
    assert.equal(
      blocks.every(({ place }) => place.length < 400),
      true,
    )
    assert.equal(blocks[1]!.trail[0]!.length, 200)
  })
})

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
    const pages = [
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
      ...[
        '<form>',
        '<select><option>',
        '</p></li></x></b></form>',
        '<!-- ',
        '<![CDATA[',
        '<a "',
        '< ',
        '&',
        '<dialog>',
        '<title>',
      ],
      ...['\u200b', '\u200d ', '\ufeff', '\u0301\u0327', '<li><div>', '<dd><div>', '<style>.x{display:none}</style>a'],
    ]
    for (const piece of pages) assert.equal(read(fill(piece, megabyte / 2)).kind, 'html', piece)
  })

  test('are read despite hostile style sheets', () => {
    const sheets = [
      fill('.a{display:none}', megabyte),
      `.x{display:none}${fill('a{', megabyte)}`,
      `.x{display:none}/*${fill('/* ', megabyte)}`,
      `.x{display:none}${fill('"\\', megabyte)}`,
      `.x{display:none}${fill('@media screen{', megabyte)}`,
      `.x{display:none;display:a${' '.repeat(megabyte)}1}`,
      `.x{display${' '.repeat(megabyte)}:none}`,
      `.x{display:none}${fill('.b,', megabyte)}{display:none}`,
      Array.from({ length: 5000 }, (_, n) => `.x.y${n}{display:none}`).join(''),
    ]
    const page = `<p class="x z">a<p class="${fill('x ', megabyte)}">b${'<p class="x y z">c'.repeat(20_000)}`
    for (const sheet of sheets) assert.equal(read(`<style>${sheet}</style>${page}`).kind, 'html')
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

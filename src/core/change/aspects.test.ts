import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Aspect } from '../profile.ts'
import { aspectChanges, readAspects } from './aspects.ts'

const url = 'https://a.example/shop/kettle'
const answer = (html: string, status = 200, header = '') => ({
  body: Buffer.from(html),
  contentType: 'text/html; charset=utf-8',
  url,
  status,
  header: `HTTP/1.1 ${status} OK\r\n${header}`,
})

function changes(old: string, next: string, asked: readonly Aspect[]): string[] {
  const found = aspectChanges(readAspects(answer(old), asked), readAspects(answer(next), asked))
  return found.map(({ kind, path, before = '', after = '' }) => `${kind} ${path}: ${before} → ${after}`)
}

describe('page aspects other than text', () => {
  test('report a download link that points to another file, matched by its link text', () => {
    assert.deepEqual(
      changes(
        '<a href=/f/a.pdf>Download</a><a href=/f/x.zip?sid=1>All files</a><a href=/next>Next</a>',
        '<p><a href=/f/x.zip?sid=2>All files</a><a href=/f/b.pdf>Download</a><a href=/other>Next</a><a href=/c.csv>Data</a>',
        ['text', 'links'],
      ),
      ['changed Link: Download: a.pdf → Download: b.pdf', 'added Link:  → Data: c.csv'],
    )
  })

  test('ignore navigation links, session ids, timestamps and tracking parameters', () => {
    const page = (n: number) =>
      `<nav><a href=/plan${n}.pdf>Plan</a></nav><footer><a href=/legal${n}.pdf>Legal</a></footer>
       <a href="/files;jsessionid=${n}/list.pdf?ts=${n}&utm_source=x${n}#page=${n}">List</a><a href="javascript:x(${n}).pdf">x</a>`
    assert.deepEqual(changes(page(1), page(2), ['links']), [])
  })

  test('ignore cache busters, but report a changed version or host in an address', () => {
    const page = (cache: string, version: number) =>
      `<a href="/a.pdf?v=${cache}">A</a><a href="/b.pdf?v=${version}">B</a><img src="/c.png?hash=${cache}&_t=${version}" alt=C>`
    assert.deepEqual(changes(page('20261116', 1), page('20261117', 1), ['links', 'images']), [])
    assert.deepEqual(changes(page('3f2a1b9c', 1), page('9c8d7e6f', 2), ['links', 'images']), [
      'changed Link: B: https://a.example/b.pdf?v=1 → B: https://a.example/b.pdf?v=2',
    ])
    assert.deepEqual(changes('<a href=/d.pdf>D</a>', '<a href=https://b.example/shop/d.pdf>D</a>', ['links']), [
      'changed Link: D: https://a.example/d.pdf → D: https://b.example/shop/d.pdf',
    ])
  })

  test('report images, description and structured data under their own names', () => {
    const page = (n: number) =>
      `<meta name=description content="Text ${n}"><meta property=og:title content="T${n}">
       <script type=application/ld+json>{"@type":"Product","offers":[{"price":"${n}"}]}</script>
       <img src=/p${n}.jpg?cb=${n} alt="The kettle"><span itemprop=sku content=S${n}></span>`
    assert.deepEqual(changes(page(1), page(2), ['images']), ['changed Image: The kettle: p1.jpg → The kettle: p2.jpg'])
    assert.deepEqual(changes(page(1), page(2), ['description']), ['changed Description: Text 1 → Text 2'])
    assert.deepEqual(changes(page(1), page(2), ['data']), [
      'changed Data: og:title: T1 → og:title: T2',
      'changed Data: offers › price: 1 → offers › price: 2',
      'changed Data: sku: S1 → sku: S2',
    ])
    assert.deepEqual(changes(page(1), page(2), ['text', 'links']), [])
  })

  test('report the status and selected headers', () => {
    const read = (status: number, header: string) => readAspects(answer('', status, header), ['status', 'headers'])
    const found = aspectChanges(
      read(200, 'Content-Type: text/html;charset=utf-8\r\nDate: a\r\n'),
      read(203, 'Content-Type: text/html\r\nDate: b\r\nContent-Language: en\r\n'),
    )
    assert.deepEqual(
      found.map(({ path, before, after }) => [path, before, after]),
      [
        ['Status', '200', '203'],
        ['Header', 'content-type: text/html; charset=utf-8', 'content-type: text/html'],
        ['Header', undefined, 'content-language: en'],
      ],
    )
  })

  test('are limited in number on hostile pages', () => {
    const valuesOf = (page: string) => readAspects(answer(page), ['links', 'images', 'data', 'description'])
    const link = { aspect: 'links', name: 'A', value: 'https://a.example/shop/x.pdf' }
    assert.deepEqual(valuesOf('<a href=x.pdf>A</a>'.repeat(20_000)), Array(2000).fill(link))
    const deep = '['.repeat(1000) + ']'.repeat(1000)
    const json = `{"a":${JSON.stringify(Array(100_000).fill(1))},"b":${deep},"c":2}`
    assert.deepEqual(
      valuesOf(`<script type=application/ld+json>${json}</script>`),
      Array(500).fill({ aspect: 'data', name: 'a', value: '1' }),
    )
    assert.deepEqual(valuesOf(`<script type=application/ld+json>{"b":${deep},"c":2}</script>`), [
      { aspect: 'data', name: 'c', value: '2' },
    ])
    assert.deepEqual(valuesOf(`<div itemprop=a>${'<i itemprop=b>x</i>'.repeat(10_000)}</div>`), [
      { aspect: 'data', name: 'a', value: 'x'.repeat(1000) },
      ...Array(1999).fill({ aspect: 'data', name: 'b', value: 'x' }),
    ])
    assert.deepEqual(valuesOf('<a href=x.pdf>A'.repeat(400_000)), [], 'too large to be parsed')
  })
})

/**
 * Link finding: our one-pass finder against two established parsers on the same pages, generated ones or, with --root, the HTML
 * files of a folder. All search for the same links, and the table says whether they found the same. Our finder also runs with a
 * memo: as in a crawl, links seen on earlier pages are recognised without creating strings for them.
 */
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Parser } from 'htmlparser2'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { fastfind } from '../src/crawl/extract/fastfind.ts'
import { createLinkMemo } from '../src/crawl/extract/scanner/link-memo.ts'
import type { BenchOptions, BenchTable } from './table.ts'

type Finder = (page: Buffer) => string[]

const linkAttributes: Record<string, string> = {
  a: 'href',
  area: 'href',
  link: 'href',
  iframe: 'src',
  frame: 'src',
  img: 'src',
  script: 'src',
  form: 'action',
}

const neverFetched = /^(?:#|mailto:|javascript:|tel:|data:|$)/i

function keep(links: string[], value: string | undefined): void {
  const href = value?.trim() ?? ''
  if (!neverFetched.test(href)) links.push(href)
}

const findWithFastfind: Finder = (page) => fastfind(page).links.map((link) => link.href)

const memo = createLinkMemo<string>()

/** As if all pages were in one folder. */
const findWithMemo: Finder = (page) => {
  memo.enter('http://news.example', 'http://news.example/')
  return fastfind(page, { memo }).links.map(({ href, known, slot }) => {
    if (slot !== undefined) memo.keep(slot, withoutFragment(href))
    return known ?? withoutFragment(href)
  })
}

function withoutFragment(href: string): string {
  const hash = href.indexOf('#')
  return hash === -1 ? href : href.slice(0, hash)
}

const findWithParse5: Finder = (page) => {
  const links: string[] = []
  const walk = (node: DefaultTreeAdapterMap['parentNode']): void => {
    for (const child of node.childNodes) {
      if (!('tagName' in child)) continue
      const name = linkAttributes[child.tagName]
      if (name !== undefined) keep(links, child.attrs.find((attribute) => attribute.name === name)?.value)
      walk(child)
    }
  }
  walk(parse(page.toString('utf8'), { scriptingEnabled: false }))
  return links
}

const findWithHtmlparser2: Finder = (page) => {
  const links: string[] = []
  const parser = new Parser({
    onopentag(tagName, attributes) {
      const name = linkAttributes[tagName]
      if (name !== undefined) keep(links, attributes[name])
    },
  })
  parser.end(page.toString('utf8'))
  return links
}

/** A page like that of a news site: head, navigation, inline script and style, teasers with images, comments. */
function generatePage(targetBytes: number, seed: number): Buffer {
  let state = seed
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const words = 'the report said that markets of the region were calm while prices of wheat and oil rose again'.split(
    ' ',
  )
  const sentence = (length: number): string => Array.from({ length }, () => words[random(words.length)]).join(' ')
  const head = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${sentence(6)} &amp; more</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="${sentence(20)}">
<link rel="stylesheet" href="/assets/site.css?v=${random(1e6)}"><link rel="alternate" type="application/rss+xml" href="/feed.xml">
<style>.card > a{color:#123}${'.grid{display:grid;gap:1rem}'.repeat(40)}</style>
<script src="/assets/app.js" async></script>
<script>window.settings={"a":"<b>",list:[${Array.from({ length: 200 }, () => random(1e5)).join(',')}]}</script></head>
<body class="home page" data-theme="light">`
  const nav = Array.from(
    { length: 24 },
    (_, i) => `<li class="nav-item"><a class="nav-link" href="/section/${i}/">Section ${i}</a></li>`,
  )
  const parts = [head, `<nav id="main"><ul>${nav.join('\n')}</ul></nav><main>`]
  for (let size = parts.join('').length, i = 0; size < targetBytes - 200; i++) {
    const path = `/news/${2000 + random(26)}/${sentence(4).replaceAll(' ', '-')}-${i}.html`
    const part = `
<!-- teaser ${i} -->
<article class="card card--wide" id="item-${i}" data-tracking='{"id":${i}}'>
  <h2><a href="${path}?ref=home&amp;pos=${i}" title="${sentence(5)}">${sentence(7)}</a></h2>
  <img src="/img/${random(1e6)}.jpg" alt="${sentence(4)}" width="320" height="180" loading="lazy">
  <p>${sentence(40)} <em>${sentence(3)}</em> ${sentence(30)} &mdash; ${sentence(10)}.</p>
  <p class="meta"><span class="author">${sentence(2)}</span> <time datetime="2026-01-0${1 + random(9)}">today</time>
  <a href="#item-${i}">permalink</a> <a rel="nofollow" href="https://other.example/${i}">source</a></p>
</article>`
    size += part.length
    parts.push(part)
  }
  parts.push(
    '</main><footer><a href="mailto:desk@news.example">Write to us</a> <a href="/imprint">Imprint</a></footer></body></html>',
  )
  return Buffer.from(parts.join(''))
}

const finders: [string, Finder][] = [
  ['fastfind', findWithFastfind],
  ['fastfind, known links', findWithMemo],
  ['htmlparser2', findWithHtmlparser2],
  ['parse5', findWithParse5],
]

const ROUNDS = 8
const ROUND_MS = 150

/** CPU time per page. The finders take turns and the best round counts, so that other load affects all alike. */
function cpuMsPerPage(pages: Buffer[]): number[] {
  const best = finders.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < ROUNDS; round++) {
    finders.forEach(([, find], index) => {
      const start = performance.now()
      const cpu = process.cpuUsage()
      let count = 0
      for (; performance.now() - start < ROUND_MS; count += pages.length) for (const page of pages) find(page)
      const { user, system } = process.cpuUsage(cpu)
      best[index] = Math.min(best[index]!, (user + system) / 1000 / count)
    })
  }
  return best
}

const MAX_FILES = 200

/** HTML files of at least 20 KB, and of 200 KB at most. */
function filesUnder(roots: readonly string[]): Buffer[] {
  const paths = roots.flatMap((root) => globSync('**/*.html', { cwd: root }).map((path) => join(root, path)))
  const sized = paths.filter((path) => {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    return size >= 20 * 1024 && size <= 200 * 1024
  })
  return sized.slice(0, MAX_FILES).map((path) => readFileSync(path))
}

/** Whether the same links were found. With the memo, fragments are ignored. */
function areEqual(name: string, found: string[][], wanted: string[][]): boolean {
  const bare = (links: string[][]) =>
    name !== 'fastfind, known links' ? links : links.map((page) => page.map(withoutFragment))
  return JSON.stringify(found) === JSON.stringify(bare(wanted))
}

export async function run({ roots }: BenchOptions): Promise<BenchTable> {
  const rows: BenchTable['rows'] = []
  const stats: BenchTable['stats'] = {}
  const generated = [36, 70].map((kilobytes) => {
    return Array.from({ length: 8 }, (_, i) => generatePage(kilobytes * 1024, kilobytes * 100 + i))
  })
  for (const pages of roots.length === 0 ? generated : [filesUnder(roots)]) {
    const kilobytes = Math.round(pages.reduce((sum, { length }) => sum + length, 0) / pages.length / 1024)
    const wanted = pages.map(findWithParse5)
    const times = cpuMsPerPage(pages)
    finders.forEach(([name, find], index) => {
      const ms = times[index]!
      const ratio = ms / times[0]!
      const links = pages.map(find)
      const isEqual = areEqual(name, links, wanted)
      const mean = Math.round(links.reduce((sum, { length }) => sum + length, 0) / pages.length)
      rows.push([`${kilobytes} KB`, name, ms.toFixed(3), ratio.toFixed(1), mean, isEqual ? 'yes' : 'NO'])
      stats[`${name.replace(', known links', '_known')}_${kilobytes}kb_ms`] = ms
      if (index > 1) stats[`${name}_over_fastfind_${kilobytes}kb`] = ratio
      else if (index === 0) stats[`links_equal_${kilobytes}kb`] = isEqual ? 1 : 0
    })
  }
  const columns = ['page', 'finder', 'CPU ms/page', 'times fastfind', 'links', 'equal']
  return { name: 'fastfind', columns, rows, stats }
}

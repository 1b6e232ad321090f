import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from './up-run.ts'
import { engines, type Page, withWorld } from './world.ts'

const MEGABYTE = 1_000_000

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)
const html = (title: string, body: string): Page => ({ body: `<title>${title}</title>${body}` })
/** Lines that have nothing in common with their neighbours. */
const words = (n: number): string => `line ${n.toString(36)} ${(n * 2654435761).toString(36)}`
const paragraphs = (count: number, last: string): string =>
  `${range(count)
    .map((n) => `<p>${words(n)}</p>`)
    .join('')}<p>${last}</p>`
const nested = (depth: number, last: string): string => `${'{"a":'.repeat(depth)}"${last}"${'}'.repeat(depth)}`

/** Pages as large or as deep as pages get; each contains its state in its last part. */
const pages: Record<string, (state: string) => Page> = {
  '/blocks': (state) => html('Blocks', paragraphs(99_000, state)),
  '/rows': (state) =>
    html(
      'Rows',
      `<table>${range(50_000)
        .map((n) => `<tr><td>${words(n)}</td><td>${state}</td></tr>`)
        .join('')}</table>`,
    ),
  '/large': (state) => html('Large', `<p>${'all the same words '.repeat((9 * MEGABYTE) / 19)}</p><p>${state}</p>`),
  '/word': (state) => html('Word', `<p>${'x'.repeat(5 * MEGABYTE)}</p><p>${state}</p>`),
  '/deep.json': (state) => ({ body: nested(1000, state), type: 'application/json' }),
  '/nested': (state) => html('Nested', `${'<div>'.repeat(50_000)}<p>${state}</p>`),
  '/price': (state) =>
    html('Price', `<p><b>€ ${state === 'open' ? '1e999' : '1e998'}</b></p><p>The shop is ${state}.</p>`),
}

/** Sources with expensive pages or selectors; each check must succeed or be refused within its limits. */
const sources: Record<string, { path: string } & Record<string, unknown>> = {
  blocks: { path: '/blocks' },
  rows: { path: '/rows' },
  large: { path: '/large' },
  word: { path: '/word' },
  json: { path: '/deep.json' },
  nested: { path: '/nested' },
  price: { path: '/price', select: ['b'], conditions: ['below 30'] },
  everything: { path: '/blocks', select: ['*'] },
  siblings: { path: '/blocks', select: ['p:has(~ p:has(~ p:has(~ p)))'] },
  xpath: { path: '/blocks', select: ['//p[count(preceding::p[count(preceding::p) > 1]) > 1]'] },
  anyValue: { path: '/deep.json', select: ['$..*'] },
}

/** Sources whose selectors are given up, with a reason; the whole page is compared instead. */
const expensive = new Set(['everything', 'siblings', 'xpath'])

for (const [engine, start] of Object.entries(engines))
  test(`huge pages and expensive selectors stay within limits, and other sources continue, on ${engine}`, async () => {
    const healthy = (state: string): Page => html('Ferry', `<p>The ferry is ${state}.</p>`)
    const served = (state: string): [string, Page][] => [
      ...Object.entries(pages).map(([path, of]): [string, Page] => [path, of(state)]),
      ['/ferry', healthy(state)],
    ]
    await withWorld(
      start,
      Object.fromEntries(served('open')),
      async ({ site, me, serve, told }) => {
        await me.watch(`${site.origin}/ferry`)
        for (const [name, { path, ...parts }] of Object.entries(sources)) {
          const source = { uri: site.origin + path, process: 'track', ...parts }
          await me.ask('POST', '/profiles', { name, sources: [source] })
        }
        await me.visited()
        for (const [path, page] of served('closed')) serve(path, page)
        await me.checkAll()
        const lines = async () => new Map((await told()).map(({ profile, summary }) => [profile.name, summary.text]))
        const changed = Object.keys(sources).filter((name) => name !== 'price')
        await until('all changes', async () => {
          const known = await lines()
          return changed.every((name) => known.has(name))
        })
        const all = await lines()
        for (const name of changed) assert.match(all.get(name)!, /open → closed/, name)
        assert.ok([...all.values()].includes('The ferry is open → closed.'))
        assert.ok(!all.has('price'), 'no number is below the line')
        const states = new Map((await me.sources()).map(({ profile, state }) => [profile.name, state]))
        for (const name of changed)
          assert.equal(states.get(name), expensive.has(name) ? 'too-expensive' : 'changed', name)
      },
      { ERACE_CRAWL_MAXBODY: '20MB' },
    )
  })

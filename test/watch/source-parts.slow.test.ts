import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Annotation } from '../../ui/src/api/types.ts'
import { type StartService, startCluster, startUp } from '../kit/service.ts'
import { createAccount } from '../pages/account.ts'
import { createHandlerSite } from '../site/handler-site.ts'
import { until } from './up-run.ts'

type State = {
  price: string
  kind: string
  visitors: number
  file: string
  status: number
  language: string
  title: string
}
const first: State = {
  price: '39.90',
  kind: 'price',
  visitors: 1,
  file: 'a',
  status: 200,
  language: 'en',
  title: 'State',
}

/** The answers of the site in a given state: body, type, status and language. */
const pages: Record<string, (state: State) => { body: string; type?: string; status?: number; language?: string }> = {
  '/shop': ({ price, kind, visitors, file }) => ({
    body: `<title>Kettle</title><p>Now <b class="${kind}">€ ${price}</b></p><p>Ships to ${'abcdef'[visitors]} today</p>
      <div id="files"><p>Papers</p><a href="/${file}.pdf">Manual</a><img src="/${file}.jpg" alt="Kettle"></div>
      <p><a href="/always.pdf">Terms</a>`,
  }),
  '/offer.json': ({ price, visitors }) => ({
    body: JSON.stringify({ offers: [{ price: Number(price) }], seen: `by ${'abcdef'[visitors]}` }),
    type: 'application/json',
  }),
  '/state': ({ status, language, title, file }) => ({
    body: `<title>${title}</title><meta name="description" content="About ${file}"><p>All is well.</p>
      <script type="application/ld+json">{"@type":"Event","name":"Fair ${file}"}</script>`,
    status,
    language,
  }),
}

const sources: Record<string, { path: string } & Record<string, unknown>> = {
  part: { path: '/shop', select: ['.price'] },
  rest: { path: '/shop', omit: ['.price, .cost', '/Ships/', '#files'], aspects: ['text'] },
  files: { path: '/shop', select: ['#files'], aspects: ['text', 'links', 'images'] },
  cheap: { path: '/shop', select: ['b'], conditions: ['below 30'] },
  json: { path: '/offer.json', select: ['$.offers[*].price'] },
  status: { path: '/state', aspects: ['status'] },
  language: { path: '/state', aspects: ['headers'] },
  title: { path: '/state', aspects: ['title'] },
  about: { path: '/state', aspects: ['description', 'data'] },
  words: { path: '/state', aspects: ['text'] },
}

const steps: [change: Partial<State>, told: Record<string, string>][] = [
  [
    { price: '34.50', visitors: 2, status: 203 },
    { part: '€ 39.90 → € 34.50', json: '$.offers[0].price: 39.9 → 34.5', status: '200 → 203' },
  ],
  [
    { kind: 'cost', visitors: 3, language: 'de', file: 'b' },
    {
      part: 'Nothing on the page matches “.price”',
      files: 'Manual: a.pdf → b.pdf · Kettle: a.jpg → b.jpg',
      language: 'content-language: en → de',
      about: 'About a → About b · name: Fair a → Fair b',
    },
  ],
  [
    { price: '29.00', kind: 'price', visitors: 4, status: 200, title: 'Condition' },
    {
      part: '€ 34.50 → € 29.00',
      cheap: '€ 34.50 → € 29.00',
      json: '$.offers[0].price: 34.5 → 29',
      status: '203 → 200',
      title: 'State → Condition',
    },
  ],
]

for (const [engine, start] of Object.entries({ SQLite: startUp, PostgreSQL: startCluster } satisfies Record<
  string,
  StartService
>))
  test(`the selectors, aspects and conditions of a source decide what is reported, on ${engine}`, async () => {
    let state = first
    const site = await createHandlerSite((path, response) => {
      const page = Object.hasOwn(pages, path) ? pages[path]!(state) : { body: '', status: 404 }
      response.setHeader('content-type', page.type ?? 'text/html')
      if (page.language !== undefined) response.setHeader('content-language', page.language)
      response.writeHead(page.status ?? 200).end(page.body)
    })
    const service = await start()
    try {
      const me = await createAccount(service)
      for (const [name, { path, ...source }] of Object.entries(sources))
        await me.ask('POST', '/profiles', {
          name,
          sources: [{ uri: `${site.origin}${path}`, process: 'track', ...source }],
        })
      await me.visited()
      const told = async () => {
        const { items } = await me.ask<{ items: Annotation[] }>('GET', '/annotations?limit=200')
        return items
          .filter(({ backlog }) => !backlog)
          .map(({ profile, summary }) => `${profile?.name}: ${summary.text}`)
          .sort()
      }
      const expected: string[] = []
      for (const [change, news] of steps) {
        state = { ...state, ...change }
        await me.checkAll()
        expected.push(...Object.entries(news).map(([name, text]) => `${name}: ${text}`))
        await until('the news', async () => (await told()).length >= expected.length)
        assert.deepEqual(await told(), expected.sort(), JSON.stringify(change))
      }
      await me.checkAll()
      assert.deepEqual(await told(), expected)
    } finally {
      await service.destroy()
      await site.close()
    }
  })

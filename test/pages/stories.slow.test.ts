import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Annotation } from '../../ui/src/api/types.ts'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'
import { until } from '../watch/up-run.ts'
import { seriousFindings } from './accessibility-checks.ts'
import { type Account, createAccount } from './account.ts'
import { sizes, useStage, visit, withoutBrowser } from './browser.ts'

const articles = [
  [
    'The ministry of finance said on Monday that the budget for next year grows by four percent.',
    'Most of the new money goes to schools, hospitals and the repair of bridges all over the country.',
    'Opposition parties called the plan a gift to builders and asked for a debate in parliament this week.',
  ],
  [
    'Fishermen in the north have caught so few herring since Monday that the ministry may close the harbour.',
    'Biologists blame a warm current which drives the shoals into deeper water where no net can follow them.',
    'Whoever has a boat of more than twelve metres shall be paid for staying on land until the first frost.',
  ],
]

describe('the same article on two sites, in a browser', { skip: withoutBrowser }, () => {
  const stage = useStage({})
  const sites: HandlerSite[] = []
  let me: Account
  const all = async () => (await me.ask<{ items: Annotation[] }>('GET', '/annotations')).items

  before(async () => {
    for (const [n, address] of ['127.0.0.2', '127.0.0.3'].entries())
      sites.push(
        await createHandlerSite((path, response) => {
          const article = articles[Number(path.slice(1))] ?? []
          const text = article.map((line) => `<p>${n === 0 ? line : line.replace('Monday', 'Tuesday')}</p>`)
          response
            .writeHead(article.length === 0 ? 404 : 200)
            .end(`<title>Plans ${path} at ${address}</title>${text.join('')}`)
        }, address),
      )
    me = await createAccount(stage.service)
    const sources = sites.flatMap(({ origin }) => articles.map((_, n) => ({ uri: `${origin}/${n}` })))
    await me.ask('POST', '/profiles', {
      name: 'Plans',
      sources,
      interests: { keywords: [{ key: 'ministry', weight: 1 }] },
    })
    await me.visited()
    await until(
      'both articles to be joined',
      async () => (await all()).map(({ alsoAt }) => alsoAt.length).join() === '1,1',
    )
  })
  after(() => Promise.all(sites.map((site) => site.close())))

  for (const [n, size] of (['desktop', 'phone'] as const).entries())
    test(`is one inbox item, and can be split into two on a ${size}`, async () => {
      const { context, page, faults, picture, watched } = await visit(stage.browser, size)
      await me.enter(context)
      await watched(async () => {
        const item = (await all()).find(({ url, alsoAt }) => url.endsWith(`/${n}`) && alsoAt.length === 1)!
        const [other] = item.alsoAt
        await page.goto(`${stage.service.url}/inbox?id=${item.id}`)
        const split = page.getByRole('button', { name: `Not the same: ${other}` })
        await split.scrollIntoViewIfNeeded()
        await picture('also-at')
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), sizes[size].width)
        assert.deepEqual(await seriousFindings(page, ({ size: each }) => picture(`also-at-${each}`)), [])
        await split.click()
        await page.getByText('Split off: it has its own item now').waitFor()
        await picture('split-off')
        await split.waitFor({ state: 'detached' })
        const after = await all()
        assert.deepEqual(
          [item.url, other].map((url) => after.filter((each) => each.url === url).map(({ alsoAt }) => alsoAt)),
          [[[]], [[]]],
        )
        assert.deepEqual(faults, [])
      })
      await context.close()
    })
})

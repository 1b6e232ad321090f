import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Annotation, Version } from '../../ui/src/api/types.ts'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'
import { until } from '../watch/up-run.ts'
import { type Account, createAccount } from './account.ts'
import { useStage, visit, withoutBrowser } from './browser.ts'

const html = (title: string, body: string) => ({ type: 'text/html', body: `<title>${title}</title><body>${body}` })
const kettle = (price: string, stock: string) =>
  html(
    'Kettle 1.7 l',
    `<h1>Shop</h1><h2>Kettle</h2><p>Price: € ${price}</p><p>${stock}</p><p>Boils water in two minutes.</p>`,
  )
const list = (items: readonly string[]) => items.map((item) => `<p>${item}</p>`).join('')
const entry = (n: number, title: string) =>
  `<item><guid>urn:${n}</guid><title>${title}</title><link>http://feed.example/${n}</link><description>Text of ${n}</description></item>`
const feed = (entries: string) => ({
  type: 'application/rss+xml',
  body: `<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour news</title><link>http://feed.example/</link>${entries}</channel></rss>`,
})
const json = (value: unknown) => ({ type: 'application/json', body: JSON.stringify(value) })

const rules = [
  'Dogs are welcome on the beach from October to April.',
  'Open fires are not allowed anywhere on the island.',
  'The Donaudampfschifffahrtsgesellschaft runs the ferry twice a day.',
]
const steps = [
  'First, read the instructions from beginning to end.',
  'Then check that all of the parts are in the box.',
  'Put the frame together on a level floor.',
  'Tighten the screws by hand, and never with a machine.',
]

type Answer = { type: string; body: string }

/** Noise that can be recognised only by its repetition. */
const census = (n: number) =>
  html('Wombat wood', `<h1>Wombat wood</h1><p>The paths are open all year.</p><footer>Juniper ${n} quokkas</footer>`)

/** The pages of the site before and after the change. */
const pages: Record<string, [Answer, Answer]> = {
  '/kettle': [kettle('39.90', 'In stock'), kettle('34.50', 'Only 3 left')],
  '/stock': [
    html('Bicycle lamp', '<h1>Bicycle lamp</h1><p>Sold out</p><p>Shines for 40 hours.</p>'),
    html('Bicycle lamp', '<h1>Bicycle lamp</h1><p>In stock, delivered tomorrow</p><p>Shines for 40 hours.</p>'),
  ],
  '/roads': [
    html('Road reports', `<h1>Roads</h1><h2>North</h2>${list(['The pass is open.'])}<h2>South</h2><p>No reports.</p>`),
    html(
      'Road reports',
      `<h1>Roads</h1><h2>North</h2>${list(['The pass is open.', 'Bridge at Juniper Ridge closed until Friday.'])}<h2>South</h2><p>No reports.</p>`,
    ),
  ],
  '/rules': [
    html('Rules of the island', `<h1>Rules</h1>${list(rules)}`),
    html('Rules of the island', `<h1>Rules</h1>${list([rules[0]!, rules[2]!])}`),
  ],
  '/feed.xml': [
    feed(entry(1, 'Ferry timetable for winter')),
    feed(entry(2, 'Lighthouse opens to visitors') + entry(1, 'Ferry timetable for winter')),
  ],
  '/status.json': [
    json({ service: 'ferry', status: 'running', delay: { minutes: 0, reason: null } }),
    json({ service: 'ferry', status: 'delayed', delay: { minutes: 25, reason: 'fog' } }),
  ],
  '/steps': [
    html('Building the shelf', `<h1>Steps</h1>${list(steps)}`),
    html('Building the shelf', `<h1>Steps</h1>${list([steps[0]!, steps[2]!, steps[3]!, steps[1]!])}`),
  ],
}

describe('changes, in a browser', { skip: withoutBrowser }, () => {
  const stage = useStage({})
  let me: Account
  let site: HandlerSite
  let version: 0 | 1 = 0
  let quokkas = 4711

  before(async () => {
    site = await createHandlerSite((path, response) => {
      const answer = path === '/wood' ? census(quokkas++) : pages[path]?.[version]
      if (answer !== undefined) response.setHeader('content-type', answer.type)
      response.writeHead(answer === undefined ? 404 : 200).end(answer?.body)
    })
    me = await createAccount(stage.service)
    const tracked = (...paths: string[]) => paths.map((path) => ({ uri: `${site.origin}${path}`, process: 'track' }))
    await me.ask('POST', '/profiles', { name: 'My pages', sources: tracked(...Object.keys(pages), '/wood') })
    await me.ask('POST', '/profiles', { name: 'Bargains', sources: tracked('/kettle') })
    await me.visited()
    version = 1
    await me.checkAll()
    await until('a change of each page', async () => {
      const { items } = await me.ask<{ items: { url: string }[] }>('GET', '/annotations?group=page&state=unread')
      return new Set(items.map(({ url }) => new URL(url).pathname)).size === Object.keys(pages).length + 1
    })
  })
  after(() => site?.close())

  /** Marks all items as unread, except those of first versions, which arrive as read. */
  async function unreadAgain(): Promise<void> {
    const { items } = await me.ask<{ items: Annotation[] }>('GET', '/annotations?limit=200')
    const ids = items.filter(({ backlog }) => !backlog).map(({ id }) => id)
    await me.ask('PATCH', '/annotations', { ids, read: false })
  }

  const rowOf = (page: Page, title: string) => page.locator('.inbox-row').filter({ hasText: title })
  const lineOf = async (page: Page, title: string) => {
    const line = rowOf(page, title).locator('.inbox-row-summary')
    await line.waitFor()
    // Strip the invisible marks for text direction.
    return (await line.innerText()).replace(/[\u2066-\u2069]/g, '')
  }

  test('the inbox summarises each change in one line', async () => {
    const { context, page, faults, picture, watched } = await visit(stage.browser, 'desktop')
    await me.enter(context)
    await watched(async () => {
      await page.goto(`${stage.service.url}/inbox`)
      await rowOf(page, 'Kettle').waitFor()
      assert.match(await lineOf(page, 'Kettle'), /€ 39\.90 → € 34\.50.*In stock → Only 3 left/)
      assert.match(await lineOf(page, 'Bicycle lamp'), /Sold out → In stock, delivered tomorrow/)
      assert.match(await lineOf(page, 'Road reports'), /\+ Bridge at Juniper Ridge closed until Friday/)
      assert.match(await lineOf(page, 'Rules of the island'), /Open fires are not allowed/)
      await rowOf(page, 'Rules of the island').locator('del').filter({ hasText: 'Open fires' }).waitFor()
      assert.match(await lineOf(page, 'status.json'), /status: "?running"? → "?delayed"?/)
      assert.match(await lineOf(page, 'Building the shelf'), /moved: Then check/)
      assert.equal(await lineOf(page, 'Lighthouse opens'), 'Text of 2', 'below its title')
      const kettle = await rowOf(page, 'Kettle').innerText()
      assert.ok(kettle.includes('My pages') && kettle.includes('Bargains'), kettle)
      assert.equal(await rowOf(page, 'Kettle').count(), 1)
      await picture('changes-inbox')
      assert.deepEqual(faults, [])
    })
    await context.close()
  })

  test('nothing overflows a phone screen, in light and dark mode, even at double text size', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const { context, page, faults, picture, watched } = await visit(stage.browser, 'phone', { scheme })
      await me.enter(context)
      await watched(async () => {
        await page.goto(`${stage.service.url}/inbox`)
        await rowOf(page, 'Kettle').waitFor()
        await page.getByRole('button', { name: 'Mark all read' }).waitFor()
        await picture('changes-inbox')
        await page.evaluate('document.documentElement.style.fontSize = "200%"')
        await rowOf(page, 'Bicycle lamp').waitFor()
        await picture('changes-large')
        const width = () => page.evaluate('document.documentElement.scrollWidth')
        assert.equal(await width(), 390)
        await page.goto(`${stage.service.url}/inbox`)
        await rowOf(page, 'Rules of the island').getByRole('link').click()
        await page.getByRole('toolbar', { name: 'This item' }).waitFor()
        await picture('changes-pane')
        assert.equal(await width(), 390)
        assert.deepEqual(faults, [])
      })
      // The page marks what it shows as read, which must not come after it is marked as unread.
      await until('the opened page to be read', async () => {
        const { items } = await me.ask<{ items: { url: string }[] }>('GET', '/annotations?group=page&state=unread')
        return items.every(({ url }) => !url.endsWith('/rules'))
      })
      await unreadAgain()
      await context.close()
    }
  })

  test('opening a page shows its latest change first, and earlier ones below', async () => {
    const { context, page, faults, picture, watched } = await visit(stage.browser, 'desktop')
    await me.enter(context)
    pages['/kettle']![1] = kettle('29.00', 'Only 1 left')
    await me.checkAll()
    await watched(async () => {
      await page.goto(`${stage.service.url}/inbox`)
      const row = rowOf(page, 'Kettle')
      await row.getByText('29.00').waitFor()
      assert.equal(await row.locator('.inbox-row-count').innerText(), '2\n2 changes')
      await row.getByRole('link').click()
      const pane = page.locator('.pane')
      const change = pane.getByRole('region', { name: 'What changed' })
      await change.locator('del').filter({ hasText: '34.50' }).waitFor()
      await change.locator('ins').filter({ hasText: '29.00' }).waitFor()
      assert.match(await change.innerText(), /Shop › Kettle/)
      const earlier = pane.locator('.pane-earlier > li')
      await earlier.first().locator('del').filter({ hasText: '39.90' }).first().waitFor()
      await earlier.nth(1).getByText('New', { exact: true }).waitFor()
      assert.equal(await earlier.count(), 2, 'one for each version, though two profiles have them')
      await picture('changes-opened')
      await page.locator('.inbox-row-open.inbox-row-read').waitFor()
      await until('all changes of the page are read', async () => {
        const { items } = await me.ask<{ items: { url: string }[] }>('GET', '/annotations?state=unread')
        return items.every(({ url }) => !url.endsWith('/kettle'))
      })
      await pane.getByRole('link', { name: 'What changed' }).click()
      await page.locator('.change-list').waitFor()
      await page.locator('.change del').filter({ hasText: '34.50' }).waitFor()
      await page.getByRole('button', { name: 'Ignore this block' }).first().waitFor()
      await picture('changes-compared')
      for (const path of ['/status.json', '/steps', '/roads']) {
        await page.goto(`${stage.service.url}/inbox?state=all`)
        const title = { '/status.json': 'status.json', '/steps': 'Building the shelf', '/roads': 'Road reports' }[path]!
        await rowOf(page, title).getByRole('link').click()
        await page.getByRole('region', { name: 'What changed' }).waitFor()
        await picture(`changes-opened${path.replace('/', '-').replace('.', '-')}`)
      }
      assert.deepEqual(faults, [])
    })
    await context.close()
  })

  test('one button marks everything as read, undo reverts it, and the navigation shows the count', async () => {
    const { context, page, faults, watched } = await visit(stage.browser, 'phone')
    await me.enter(context)
    await unreadAgain()
    const unread = page.locator('.inbox-row:not(.inbox-row-read)')
    const counted = async () => {
      const { pages: counts } = await me.ask<{ pages: { unread: number } }>('GET', '/annotations/counts')
      return counts.unread
    }
    await watched(async () => {
      await page.goto(`${stage.service.url}/inbox`)
      await rowOf(page, 'Kettle').waitFor()
      const rows = await unread.count()
      assert.equal(await counted(), rows)
      await page.getByRole('link', { name: new RegExp(`Inbox.*${rows}`) }).waitFor()
      await page.getByRole('button', { name: 'Mark all read' }).click()
      await page.getByText(`${rows} items marked as read`).waitFor()
      await unread.first().waitFor({ state: 'detached' })
      assert.equal(await counted(), 0)
      assert.equal(await page.getByRole('button', { name: 'Mark all read' }).isDisabled(), true)
      await page.getByRole('button', { name: 'Undo' }).click()
      await unread.nth(rows - 1).waitFor()
      assert.equal(await counted(), rows)
      await page.getByLabel('Select all').check()
      await page.getByText(`${rows} selected`).waitFor()
      await page.getByRole('button', { name: 'Mark as read' }).click()
      await until('the selected are read', async () => (await counted()) === 0)
      assert.deepEqual(faults, [])
    })
    await context.close()
  })

  test('a counter is muted automatically, the reason is shown, and one click unmutes it', async () => {
    type News = { items: Pick<Annotation, 'url' | 'document'>[] }
    const told = async () => {
      const { items } = await me.ask<News>('GET', '/annotations?state=unread&limit=200')
      return items.filter(({ url }) => url.endsWith('/wood'))
    }
    const { items } = await me.ask<News>('GET', '/annotations?limit=200')
    const { document } = items.find(({ url }) => url.endsWith('/wood'))!
    const notices = async () => {
      const { items } = await me.ask<{ items: Version[] }>('GET', `/documents/${document}/versions`)
      return items.map(({ notice }) => notice).sort()
    }
    await me.ask('PATCH', '/annotations?state=unread', { read: true })
    assert.deepEqual(await notices(), ['notified', 'notified', null], 'told while it is being learned')
    for (const quiet of [1, 2]) {
      await me.checkAll()
      await until(
        'a version of noise',
        async () => (await notices()).filter((each) => each === 'noise').length === quiet,
      )
      assert.deepEqual(await told(), [])
    }
    for (const scheme of ['light', 'dark'] as const)
      for (const size of ['desktop', 'phone'] as const) {
        const { context, page, faults, picture, watched } = await visit(stage.browser, size, { scheme })
        await me.enter(context)
        await watched(async () => {
          await page.goto(`${stage.service.url}/documents/${document}`)
          const muted = page.getByRole('region', { name: 'Muted here' })
          await muted.getByText(/Juniper \d+ quokkas/).waitFor()
          await muted.getByText('only its numbers change, at nearly every check').waitFor()
          assert.equal(await page.locator('.document-stop').filter({ hasText: 'noise' }).count(), 2)
          await page.getByText('Only noise changed, so no one was notified.').waitFor()
          await picture('changes-muted')
          assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
          if (scheme === 'dark' && size === 'phone') {
            await muted.getByRole('button', { name: 'Notify me again' }).click()
            await muted.getByText('You are notified of its changes again').waitFor()
            await picture('changes-unmuted')
          }
          assert.deepEqual(faults, [])
        })
        await context.close()
      }
    await me.checkAll()
    await until('the counter is told again', async () => (await told()).length === 1)
  })
})

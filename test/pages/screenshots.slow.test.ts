import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'
import { until } from '../watch/up-run.ts'
import { seriousFindings } from './accessibility-checks.ts'
import { type Account, createAccount } from './account.ts'
import { sizes, useStage, visit, withoutBrowser } from './browser.ts'

/** A script sets the text and the colour. */
const shell = `<!doctype html><title>Tide table</title><style>body { margin: 0; font: 40px sans-serif } div { padding: 40px }</style>
<div id="tide"></div><p>Harbour office</p><script src="/tide.js"></script>`
const script = (words: string, colour: string) =>
  `const tide = document.getElementById('tide'); tide.textContent = '${words}'; tide.style.background = '${colour}'`

/** Natural width of the image; 0 until it is loaded. */
const widthOf = (image: Locator): Promise<number> =>
  image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)

describe('screenshots beside a change, in a browser', { skip: withoutBrowser }, () => {
  const stage = useStage({})
  let site: HandlerSite
  let me: Account
  let document = 0
  let tide = script('High water at 10:40', 'lightblue')

  before(async () => {
    site = await createHandlerSite((path, response) => {
      const answer = path === '/' ? shell : path === '/tide.js' ? tide : null
      if (path === '/tide.js') response.setHeader('content-type', 'text/javascript')
      response.writeHead(answer === null ? 404 : 200).end(answer ?? '')
    })
    me = await createAccount(stage.service)
    await me.ask('POST', '/profiles', {
      name: 'Tides',
      sources: [{ uri: `${site.origin}/`, render: 'browser', process: 'track' }],
    })
    await me.visited()
    tide = script('Low water at 16:55', 'gold')
    await me.checkAll()
    const [change] = await me.changes(1)
    document = change!.document
  })
  after(() => site?.close())

  for (const size of ['desktop', 'phone'] as const)
    test(`show before, after and the differences on a ${size}`, async () => {
      const { context, page, faults, picture, watched } = await visit(stage.browser, size)
      await me.enter(context)
      await watched(async () => {
        await page.goto(`${stage.service.url}/documents/${document}`)
        const part = page.getByRole('region', { name: 'Screenshots' })
        await part.waitFor()
        await part.scrollIntoViewIfNeeded()
        await part.getByText(/\d% differs/).waitFor()
        const shots = part.getByRole('img')
        const isLoaded = (name: RegExp) =>
          until(`the picture ${name}`, async () => (await widthOf(part.getByRole('img', { name }))) === 1280)
        if (size === 'desktop') {
          assert.equal(await shots.count(), 3)
          for (const name of [/of version 1$/, /of version 2$/, /differences/]) await isLoaded(name)
          const tops = await Promise.all([0, 1, 2].map(async (at) => (await shots.nth(at).boundingBox())!.y))
          assert.equal(new Set(tops).size, 1, 'side by side')
          await picture('screenshots')
        } else {
          for (const [label, name] of [
            ['Before', /of version 1$/],
            ['After', /of version 2$/],
            ['Differences', /differences/],
          ] as const) {
            await part.getByRole('button', { name: label }).click()
            await isLoaded(name)
            assert.equal(await shots.count(), 1, 'one at a time')
            await picture(`screenshots-${label.toLowerCase()}`)
          }
          assert.equal(await page.evaluate('document.documentElement.scrollWidth'), sizes.phone.width)
        }
        const opened = context.waitForEvent('page')
        await shots.last().click()
        const whole = await opened
        await whole.waitForLoadState()
        assert.equal(await widthOf(whole.locator('img')), 1280, 'in full size')
        await whole.close()
        assert.deepEqual(await seriousFindings(page, ({ size: each }) => picture(`screenshots-${each}`)), [])
        assert.deepEqual(faults, [])
      })
      await context.close()
    })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { type Service, startUp } from '../kit/service.ts'
import { createSite, type Site } from '../site/site.ts'
import { overflows, seriousFindings } from './accessibility-checks.ts'
import { createAccount } from './account.ts'
import { startBrowser, visit, withoutBrowser } from './browser.ts'

describe('crawls in the service, in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser
  let service: Service
  let site: Site
  before(async () => {
    browser = await startBrowser()
    site = await createSite({ pages: 30 })
    service = await startUp()
  })
  after(async () => {
    await browser?.close()
    await service?.destroy()
    await site?.close()
  })

  test('an administrator starts a crawl, sees it finish, and finds one of its pages', async () => {
    const me = await createAccount(service, 'Ada')
    const { promise, resolve } = Promise.withResolvers<void>()
    site.set('/page/3.html', { body: '<p>held</p>', until: promise })
    for (const device of ['desktop', 'phone'] as const) {
      const visitor = await visit(browser, device, { permitted: /status of 400/ })
      const { page } = visitor
      await me.enter(visitor.context)
      page.setDefaultTimeout(20_000)
      await visitor.watched(async () => {
        await page.goto(`${service.url}/activity`)
        await page.getByRole('button', { name: 'Start a crawl' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Start at').fill('ftp://example.org/')
        await dialog.getByRole('button', { name: 'Start crawl' }).click()
        await dialog.getByText('seeds that cannot be fetched').waitFor()
        await dialog.getByLabel('Start at').fill(`${site.origin()}/`)
        await dialog.getByLabel('Page limit').fill('100')
        await visitor.picture('crawl-dialog')
        await dialog.getByRole('button', { name: 'Start crawl' }).click()
        await dialog.waitFor({ state: 'detached' })
        const crawls = page.getByRole('region', { name: 'Crawls' })
        if (device === 'desktop') await crawls.getByText('running', { exact: true }).waitFor()
        await crawls.scrollIntoViewIfNeeded()
        await visitor.picture('crawls')
        assert.deepEqual(await overflows(page), [])
        resolve()
        await crawls.getByText('finished', { exact: true }).first().waitFor()
        assert.deepEqual(await seriousFindings(page, async () => {}), [])
        assert.deepEqual(visitor.faults, [])
      })
    }
    const found = await me.ask<{ items: { url: string }[] }>('GET', '/search?q=held')
    assert.deepEqual(
      found.items.map(({ url }) => url),
      [`${site.origin()}/page/3.html`],
    )
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { type Service, startService } from '../kit/service.ts'
import { type ChangingPages, createChangingPages } from '../site/handler-site.ts'
import { until } from '../watch/up-run.ts'
import { type Account, createAccount } from './account.ts'
import { startBrowser, type Visit, visit, withoutBrowser } from './browser.ts'
import { setHidden } from './in-page.ts'

/** Longer than a hidden tab keeps its stream. */
const LONG_MS = 15_000

describe('the event stream, in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser
  let service: Service
  let news: ChangingPages
  let me: Account
  let look: Visit

  async function openStreams(): Promise<number> {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    return Number(/^erace_event_streams (\d+)$/m.exec(text)?.[1])
  }

  async function change(words: string): Promise<void> {
    news.pages['/'] = { words }
    await me.checkAll()
  }

  before(async () => {
    browser = await startBrowser()
    service = await startService()
    news = await createChangingPages({ '/': { words: 'Quiet.' } })
    me = await createAccount(service)
    await me.watch(`${news.origin}/`)
    await me.visited()
    // The browser logs an unreachable server to the console.
    look = await visit(browser, 'desktop', { permitted: /ERR_|Failed to/ })
    look.page.setDefaultTimeout(15_000)
    await look.page.clock.install()
    await me.enter(look.context)
    await look.page.goto(`${service.url}/inbox?state=all`)
    await until('the stream', async () => (await openStreams()) === 1)
  })
  after(async () => {
    await browser?.close()
    await service?.destroy()
    await news?.close()
  })

  test('a hidden tab releases its connection, and catches up later', () =>
    look.watched(async () => {
      const { page } = look
      await setHidden(page, true)
      await page.clock.fastForward(LONG_MS)
      await until('the end of the stream', async () => (await openStreams()) === 0)
      await change('Apricots are ripe.')
      await me.changes(1)
      await setHidden(page, false)
      await page.locator('.inbox-row').filter({ hasText: 'Apricots' }).waitFor()
      assert.equal(await openStreams(), 1)
    }))

  test('switching away briefly keeps it open', () =>
    look.watched(async () => {
      const { page } = look
      const opened: string[] = []
      page.on('request', (request) => opened.push(request.url()))
      await setHidden(page, true)
      await setHidden(page, false)
      await page.clock.fastForward(LONG_MS)
      await change('Bananas are late.')
      await page.locator('.inbox-row').filter({ hasText: 'Bananas' }).waitFor()
      assert.equal(opened.filter((url) => url.includes('/events')).length, 0)
    }))

  test('a lost server is reported, and failed requests are shown when it returns', () =>
    look.watched(async () => {
      const { page } = look
      const gone = page.getByText(/^No connection\. You can still read/)
      const failed = page.getByRole('button', { name: 'Try again' })
      await page.getByRole('link', { name: /^Search/ }).click()
      const box = page.getByRole('searchbox')
      await box.waitFor()
      await service.killAndStart(async () => {
        await gone.waitFor()
        await box.fill('bananas')
        await page.keyboard.press('Enter')
        await failed.waitFor()
      })
      await gone.waitFor({ state: 'detached' })
      await page.locator('mark').first().waitFor()
      // A view whose code is not loaded yet.
      await service.killAndStart(async () => {
        await gone.waitFor()
        await page.getByRole('link', { name: /^Profiles/ }).click()
        await page.getByText("This page couldn't be loaded").waitFor()
      })
      await page.getByText('every change').waitFor()
    }))
})

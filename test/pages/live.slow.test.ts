import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { until } from '../watch/up-run.ts'
import { type Account, createAccount } from './account.ts'
import { useStage, type Visit, visit, withoutBrowser } from './browser.ts'
import { setHidden } from './in-page.ts'

/** Longer than a hidden tab keeps its stream. */
const LONG_MS = 15_000

describe('the event stream, in a browser', { skip: withoutBrowser }, () => {
  const stage = useStage({ '/': { words: 'Quiet.' } })
  let me: Account
  let visitor: Visit

  async function openStreams(): Promise<number> {
    const text = await (await fetch(`${stage.service.url}/metrics`)).text()
    return Number(/^erace_event_streams (\d+)$/m.exec(text)?.[1])
  }

  async function change(words: string): Promise<void> {
    stage.news.pages['/'] = { words }
    await me.checkAll()
  }

  before(async () => {
    me = await createAccount(stage.service)
    await me.watch(`${stage.news.origin}/`)
    await me.visited()
    // The browser logs an unreachable server to the console.
    visitor = await visit(stage.browser, 'desktop', { permitted: /ERR_|Failed to/ })
    visitor.page.setDefaultTimeout(15_000)
    await visitor.page.clock.install()
    await me.enter(visitor.context)
    await visitor.page.goto(`${stage.service.url}/inbox?state=all`)
    await until('the stream', async () => (await openStreams()) === 1)
  })

  test('a hidden tab releases its connection, and catches up when shown again', () =>
    visitor.watched(async () => {
      const { page } = visitor
      await setHidden(page, true)
      await page.clock.fastForward(LONG_MS)
      await until('the end of the stream', async () => (await openStreams()) === 0)
      await change('Apricots are ripe.')
      await me.changes(1)
      await setHidden(page, false)
      await page.locator('.inbox-row').filter({ hasText: 'Apricots' }).waitFor()
      assert.equal(await openStreams(), 1)
    }))

  test('hiding the tab briefly keeps the stream open', () =>
    visitor.watched(async () => {
      const { page } = visitor
      const opened: string[] = []
      page.on('request', (request) => opened.push(request.url()))
      await setHidden(page, true)
      await setHidden(page, false)
      await page.clock.fastForward(LONG_MS)
      await change('Bananas are late.')
      await page.locator('.inbox-row').filter({ hasText: 'Bananas' }).waitFor()
      assert.equal(opened.filter((url) => url.includes('/events')).length, 0)
    }))

  test('a lost connection is reported, and failed requests are retried when the server returns', () =>
    visitor.watched(async () => {
      const { page } = visitor
      const gone = page.getByText(/^No connection\. You can still read/)
      const failed = page.getByRole('button', { name: 'Try again' })
      await page.getByRole('link', { name: /^Search/ }).click()
      const box = page.getByRole('searchbox')
      await box.waitFor()
      await stage.service.killAndStart(async () => {
        await gone.waitFor()
        await box.fill('bananas')
        await page.keyboard.press('Enter')
        await failed.waitFor()
      })
      await gone.waitFor({ state: 'detached' })
      await page.locator('mark').first().waitFor()
      // A view whose code is not loaded yet.
      await stage.service.killAndStart(async () => {
        await gone.waitFor()
        await page.getByRole('link', { name: /^Profiles/ }).click()
        await page.getByText("This page couldn't be loaded").waitFor()
      })
      await page.getByText('every change').waitFor()
    }))
})

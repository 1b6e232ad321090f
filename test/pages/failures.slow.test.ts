import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Account, createAccount } from './account.ts'
import { useStage, type Visit, visit, withoutBrowser } from './browser.ts'

const BUSY = JSON.stringify({ error: { code: 'too-many-requests', message: 'too many requests' } })
/** Longer than an answer counts as fresh. */
const STALE_MS = 30_000

describe('when requests fail, in a browser', { skip: withoutBrowser }, () => {
  const stage = useStage({ '/a': { words: 'One pear.' }, '/b': { words: 'One plum.' }, '/c': { words: 'One fig.' } })
  let me: Account
  let visitor: Visit
  let page: Page

  before(async () => {
    me = await createAccount(stage.service)
    for (const path of ['/a', '/b', '/c']) await me.watch(`${stage.news.origin}${path}`, { name: path })
    await me.visited()
    for (const path of ['/a', '/b', '/c']) stage.news.pages[path] = { words: 'Two pears today.' }
    await me.checkAll()
    await me.changes(3)
    // The browser logs refused requests to the console.
    visitor = await visit(stage.browser, 'desktop', { permitted: /429/ })
    page = visitor.page
    await me.enter(visitor.context)
  })

  /** Refuses these requests until the end, and counts them. */
  async function refuse(urls: string): Promise<{ refused: number; end(): Promise<void> }> {
    const counted = { refused: 0, end: () => page.unroute(urls) }
    await page.route(urls, (route) => {
      counted.refused++
      return route.fulfill({ status: 429, contentType: 'application/json', body: BUSY })
    })
    return counted
  }

  /** Pages of one row each, of which only the first loads. */
  async function withoutSecondPage(list: string, limit: number) {
    await page.route(`**/api/v1/${list}?*limit=${limit}*`, (route) =>
      route.fallback({ url: route.request().url().replace(`limit=${limit}`, 'limit=1') }),
    )
    return refuse(`**/api/v1/${list}?*cursor=*`)
  }

  const tryAgain = () => page.getByRole('alert').getByRole('button', { name: 'Try again' })
  const isRefused = () => page.waitForResponse((response) => response.status() === 429)
  const isCutOff = () => page.getByText("The rest couldn't be loaded").waitFor()

  for (const { list, path, limit, row } of [
    { list: 'sources', path: '/watches', limit: 100, row: 'tbody .watches-row' },
    { list: 'annotations', path: '/inbox?state=all', limit: 50, row: '.inbox-row' },
  ]) {
    test(`a list that can't be loaded to its end says so, and asks again only when the user does (${list})`, () =>
      visitor.watched(async () => {
        const second = await withoutSecondPage(list, limit)
        await page.goto(`${stage.service.url}${path}`)
        await isCutOff()
        assert.equal(await page.locator(row).count(), 1)
        const again = isRefused()
        await tryAgain().click()
        await again
        await isCutOff()
        assert.equal(second.refused, 2)
        await second.end()
        await tryAgain().click()
        await page.locator(row).nth(2).waitFor()
        assert.equal(await page.getByRole('alert').count(), 0)
        await page.unrouteAll({ behavior: 'wait' })
      }))
  }

  test('results stay when no more can be loaded', () =>
    visitor.watched(async () => {
      const second = await withoutSecondPage('search', 20)
      await page.goto(`${stage.service.url}/search?q=pears`)
      await page.getByRole('button', { name: 'More results' }).click()
      await isCutOff()
      await page.getByText('1+ results').waitFor()
      await second.end()
      await tryAgain().click()
      await page.getByText('2+ results').waitFor()
      await page.unrouteAll({ behavior: 'wait' })
    }))

  test('a document whose versions could not be read appears when trying again', () =>
    visitor.watched(async () => {
      const [item] = await me.changes(3)
      const versions = await refuse('**/api/v1/documents/*/versions?*')
      await page.goto(`${stage.service.url}/documents/${item!.document}`)
      await page.getByText("This document can't be shown").waitFor()
      await versions.end()
      await tryAgain().click()
      await page.getByRole('heading', { level: 1, name: item!.title }).waitFor()
    }))

  test('a document stays when reading it again fails', () =>
    visitor.watched(async () => {
      const [item] = await me.changes(3)
      await page.clock.install()
      await page.goto(`${stage.service.url}/documents/${item!.document}`)
      const heading = page.getByRole('heading', { level: 1, name: item!.title })
      await heading.waitFor()
      const refused = await refuse('**/api/v1/documents/**')
      await page.keyboard.press('g')
      await page.keyboard.press('w')
      await page.getByRole('heading', { level: 1, name: 'Watches' }).waitFor()
      await page.clock.fastForward(STALE_MS)
      const answer = isRefused()
      await page.goBack()
      await answer
      await page.clock.runFor(1000)
      await heading.waitFor()
      assert.equal(await page.getByText("This document can't be shown").count(), 0)
      await refused.end()
    }))
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createAccount, email, password } from './account.ts'
import { useStage, visit, withoutBrowser } from './browser.ts'

describe('quick add', { skip: withoutBrowser }, () => {
  const stage = useStage({ '/prices': { words: 'Kettle 39.90' } })

  const watched = (): string => `${stage.news.origin}/prices`

  const fieldsOf = async (page: Page): Promise<[string, string]> => {
    const address = page.getByLabel('Address', { exact: true })
    await address.waitFor()
    return [await address.inputValue(), await page.getByLabel('Name', { exact: true }).inputValue()]
  }

  test('keeps the shared page across sign-in, and the bookmarklet opens the same form', async () => {
    const { browser, service } = stage
    const account = await createAccount(service)
    const manifest = (await (await fetch(`${service.url}/manifest.webmanifest`)).json()) as {
      share_target: { action: string; method: string; params: Record<string, string> }
    }
    const { action, method, params } = manifest.share_target
    assert.equal(method, 'GET')
    const shared = new URLSearchParams({ [params.title!]: 'Page /prices', [params.text!]: `Look: ${watched()}` })

    const phone = await visit(browser, 'phone', { permitted: /401/ })
    await phone.watched(async () => {
      await phone.page.goto(`${service.url}${action}?${shared}`)
      await phone.page.getByLabel('Email address').fill(email)
      await phone.page.getByLabel('Password').fill(password)
      await phone.page.getByRole('button', { name: 'Sign in' }).click()
      assert.deepEqual(await fieldsOf(phone.page), [watched(), 'Page /prices'])
      await phone.picture('quick-add-shared')
      await phone.page.goto(`${service.url}/settings/quickadd`)
      await phone.page.getByRole('link', { name: 'Watch in eRACE' }).waitFor()
      await phone.picture('quick-add-settings')
    })

    const desktop = await visit(browser, 'desktop', { permitted: /favicon|404/ })
    await desktop.watched(async () => {
      const { context, page } = desktop
      await account.enter(context)
      await page.goto(`${service.url}/settings/quickadd`)
      const link = page.getByRole('link', { name: 'Watch in eRACE' })
      const code = await link.getAttribute('href')
      await desktop.picture('quick-add-settings')
      await link.click()
      await page.getByText('Drag it to your bookmarks bar').waitFor()
      await page.goto(watched())
      const opened = context.waitForEvent('page')
      // Same as a click on the bookmark.
      await page.evaluate(`location.assign(${JSON.stringify(code)})`)
      const form = await opened
      assert.deepEqual(await fieldsOf(form), [watched(), 'Page /prices'])
      await form.getByRole('button', { name: 'Save', exact: true }).click()
      await form.waitForURL(/\/profiles\/[\da-f-]{36}$/)
      assert.deepEqual(
        (await account.sources()).map(({ uri }) => uri),
        [watched()],
      )
    })
    assert.deepEqual([...phone.faults, ...desktop.faults], [])
  })
})

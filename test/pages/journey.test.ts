import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContext } from 'playwright-core'
import { type Service, type StartService, startCluster, startService } from '../kit/service.ts'
import { email, password } from './account.ts'
import { useStage, visit, withoutBrowser } from './browser.ts'

/** Checks the page in another tab, like an impatient user. */
async function checkNowIn(context: BrowserContext, { url }: Service): Promise<void> {
  const tab = await context.newPage()
  await tab.goto(`${url}/watches`)
  await tab.getByRole('button', { name: 'Page /', exact: true }).waitFor()
  await tab.keyboard.press('j')
  await tab.keyboard.press('c')
  await tab
    .getByText(/mayor|asked|checked|Changed/i)
    .first()
    .waitFor()
  await tab.close()
}

function journey(where: string, start: StartService): void {
  describe(`from the first start to the first change, in a browser, ${where}`, { skip: withoutBrowser }, () => {
    const stage = useStage({ '/': { words: 'Nothing has happened yet in this town.' } }, start)

    test('set up, watch a page, see it checked, see its change arrive, compare, archive, undo, sign out', async () => {
      // The session request is answered with 401 by design.
      const { context, page, faults, picture, watched } = await visit(stage.browser, 'desktop', {
        permitted: /401 \(Unauthorized\)/,
      })
      await watched(async () => {
        await page.goto(stage.service.setupUrl!)
        await page.getByLabel('Email address').fill(email)
        await page.getByLabel('Password', { exact: false }).fill(password)
        await picture('1-set-up')
        await page.getByRole('button', { name: /create/i }).click()
        await page.getByRole('heading', { level: 1 }).waitFor()
        await picture('2-welcome')

        await page
          .getByRole('link', { name: /watches/i })
          .first()
          .click()
        await page.getByLabel('Watch a page').fill(`${stage.news.origin}/`)
        await page.keyboard.press('Enter')
        const row = page.getByRole('row').filter({ hasText: 'Page /' })
        await row.getByText(/^(?:Changed|Unchanged)$/).waitFor()
        await picture('3-watched')
        for (const [text, why] of [
          [`${stage.news.origin}/`, 'Already watched'],
          ['nonsense', "That isn't a web address"],
        ] as const) {
          await page.getByLabel('Watch a page').fill(text)
          await page.keyboard.press('Enter')
          await page.getByText(why).waitFor()
        }
        assert.equal(await page.locator('.watches-body > .watches-row').count(), 1)

        await page.getByRole('link', { name: /inbox/i }).first().click()
        await page.getByRole('heading', { name: 'Inbox' }).waitFor()
        await picture('4-quiet')
        stage.news.pages['/'] = { words: 'The mayor has resigned and the town celebrates.' }
        await checkNowIn(context, stage.service)
        await page.getByText('celebrates').first().waitFor()
        await picture('5-arrived')

        const item = page.getByRole('link', { name: 'Page /' }).first()
        await item.click()
        await page.getByRole('toolbar', { name: 'This item' }).waitFor()
        await picture('6-opened')
        await page.keyboard.press('d')
        await page.locator('ins').filter({ hasText: 'resigned' }).waitFor()
        await page.locator('del').filter({ hasText: 'happened' }).waitFor()
        await picture('7-compared')

        await page.goBack()
        await page.getByRole('toolbar', { name: 'This item' }).waitFor()
        await page.keyboard.press('e')
        await page.getByRole('button', { name: 'Undo' }).waitFor()
        await page.keyboard.press('u')
        await page.getByText(/^Undone/).waitFor()
        // It was read, so a fresh list of unread rows no longer contains it.
        await page.goto(`${stage.service.url}/inbox?state=all`)
        await page.getByText('celebrates').first().waitFor()

        await page.goto(`${stage.service.url}/settings`)
        await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        assert.equal((await stage.service.api('/session')).status, 401)
        await picture('8-signed-out')
        assert.deepEqual(faults, [])
      })
    })
  })
}

journey('in one process', startService)
journey('on serve and two workers', startCluster)

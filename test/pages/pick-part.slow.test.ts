import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Profile } from '../../ui/src/api/types.ts'
import { until } from '../watch/up-run.ts'
import { seriousFindings } from './accessibility-checks.ts'
import { type Account, createAccount } from './account.ts'
import { useStage, visit, withoutBrowser } from './browser.ts'

/** A page that tries to impersonate the picker script, and to run its own. */
const shop = (price: string, visitors: number) => ({
  words: `Shop</p><div class="product-card css-1a2b3c"><h2>Steel kettle</h2>
    <p class="offer">Now <b class="price">€ ${price}</b> with tax</p></div>
    <table><tr><td>Visitors</td><td>${visitors}</td></tr></table>
    <script>parent.postMessage({ erace: 'picked', at: 0, path: [{ label: 'x', selector: 'evil' }] }, '*')</script>
    <img src=x onerror="parent.postMessage({ erace: 'picked', at: 0, path: [{ label: 'x', selector: 'evil' }] }, '*')"><p>`,
})

describe('choosing a part of a page by pointing at it', { skip: withoutBrowser }, () => {
  const stage = useStage({ '/kettle': shop('39.90', 1) })
  let account: Account
  let document = 0

  before(async () => {
    account = await createAccount(stage.service)
    // Another profile comes first in the list.
    await account.watch(`${stage.news.origin}/kettle`, { name: 'A kettle' })
    await account.watch(`${stage.news.origin}/kettle`, { name: 'Kettle' })
    await account.visited()
    stage.news.pages['/kettle'] = shop('34.50', 17)
    await account.checkAll()
    const [found] = (await account.ask<{ items: { id: number }[] }>('GET', '/documents')).items
    document = found!.id
    await until('two versions', async () => {
      const { items } = await account.ask<{ items: unknown[] }>('GET', `/documents/${document}/versions`)
      return items.length === 2
    })
  })

  async function selectOf(): Promise<string[]> {
    const { items } = await account.ask<{ items: Profile[] }>('GET', '/profiles')
    return items.find(({ name }) => name === 'Kettle')!.sources[0]!.select
  }

  test('works with the mouse, shows the part in all versions, and updates the profile', async () => {
    const { context, page, faults, picture, watched } = await visit(stage.browser, 'desktop')
    await account.enter(context)
    await watched(async () => {
      await page.goto(`${stage.service.url}/watches`)
      await page
        .locator('.watches-row')
        .filter({ hasText: /Kettle/ })
        .locator('.watches-open')
        .click()
      await page.getByRole('link', { name: 'Only this part…' }).waitFor()
      await picture('part-0-watch')
      await page.getByRole('link', { name: 'Only this part…' }).click()
      const frame = page.frameLocator('iframe')
      await frame.getByText('€ 34.50').hover()
      await picture('part-1-hover')
      await frame.getByText('€ 34.50').click()
      const selector = page.getByLabel('Selector')
      await until('the selector', async () => (await selector.inputValue()) === '.price')
      const versions = page.getByRole('list').filter({ hasText: 'Version 2' })
      await versions.getByText('€ 34.50', { exact: true }).waitFor()
      await versions.getByText('€ 39.90', { exact: true }).waitFor()
      await picture('part-2-chosen')

      const path = page.getByRole('navigation', { name: 'Around the chosen part' })
      await path.getByRole('button', { name: 'div.product-card' }).click()
      await until('the wider one', async () => (await selector.inputValue()) === '.product-card')
      await versions.getByText('Now € 39.90 with tax').waitFor()
      await picture('part-3-widened')
      assert.deepEqual(await seriousFindings(page, ({ size }) => picture(`part-4-${size}`)), [])
      await path.getByRole('button', { name: 'b.price' }).click()
      await until('the price again', async () => (await selector.inputValue()) === '.price')
      const profile = page.getByLabel('In profile').locator('option:checked')
      assert.equal(await profile.innerText(), 'Kettle', 'the one whose watch it was')
      await page.getByRole('button', { name: 'Use this part' }).click()
      await page.getByText('“Kettle” now watches only this part.').waitFor()
      assert.deepEqual(faults, [], 'what is in the page runs nothing')
    })
    assert.deepEqual(await selectOf(), ['.price'])
    await context.close()
  })

  test('works on a phone and with the keyboard, and reports selectors that are invalid or match nothing', async () => {
    const { context, page, picture, watched } = await visit(stage.browser, 'phone', { permitted: /4\d\d/ })
    await account.enter(context)
    await watched(async () => {
      await page.goto(`${stage.service.url}/documents/${document}?tab=part`)
      const frame = page.frameLocator('iframe')
      const selector = page.getByLabel('Selector')
      await frame.getByText('17', { exact: true }).click()
      await until('a cell', async () => (await selector.inputValue()) === 'tr td:nth-of-type(2)')
      await picture('part-5-phone')
      await page.keyboard.press('ArrowUp')
      await until('its row', async () => (await selector.inputValue()) === 'tr')
      await page.keyboard.press('ArrowDown')
      await until('its first cell', async () => (await selector.inputValue()) === 'tr td:nth-of-type(1)')
      await page.getByRole('list').getByText('Visitors', { exact: true }).first().waitFor()
      await selector.fill('td[')
      await page.getByRole('alert').filter({ hasText: 'invalid CSS selector' }).waitFor()
      await selector.fill('.nowhere')
      await page.getByText('nothing matches').first().waitFor()
      assert.equal(await page.getByRole('button', { name: 'Use this part' }).isDisabled(), true)
      await picture('part-6-nothing')
    })
    await context.close()
  })
})

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Account, createAccount } from './account.ts'
import { useStage, type Visit, visit, withoutBrowser } from './browser.ts'

describe('watches and profiles, in a browser', { skip: withoutBrowser }, () => {
  const stage = useStage({ '/': { words: 'Nothing has happened yet.' } })
  let me: Account
  let visitor: Visit

  before(async () => {
    me = await createAccount(stage.service)
    await me.watch(`${stage.news.origin}/`, { name: 'Harbour 2' })
    for (const name of ['Harbour 10', 'airport', 'Harbour 1', 'Zoo']) await me.watch(`${stage.news.origin}/`, { name })
    await me.visited()
    visitor = await visit(stage.browser, 'desktop')
    await me.enter(visitor.context)
  })

  test('after its first check a watch has a baseline, and neither a change nor a rate of changes', () =>
    visitor.watched(async () => {
      const { page } = visitor
      const [source] = await me.sources()
      await page.goto(`${stage.service.url}/watches?watch=${source!.id}`)
      const drawer = page.getByRole('complementary', { name: 'Watch details' })
      await drawer.getByText('The first check saved the baseline.').waitFor()
      await drawer.getByText('saved as the baseline').waitFor()
      assert.equal(await drawer.getByText('Changes', { exact: true }).count(), 0)
      stage.news.pages['/'] = { words: 'The ferry has come.' }
      await me.checkAll()
      await me.changes(1)
      await page.reload()
      await drawer.getByText('The last check found a change.').waitFor()
      await drawer.getByText('changed, 1 new version').first().waitFor()
      await drawer.getByText('Changes', { exact: true }).waitFor()
    }))

  test('profiles are in alphabetical order, in their list and in the inbox', () =>
    visitor.watched(async () => {
      const { page } = visitor
      const ordered = ['airport', 'Harbour 1', 'Harbour 2', 'Harbour 10', 'Zoo']
      await page.goto(`${stage.service.url}/profiles`)
      await page.getByRole('link', { name: 'Zoo', exact: true }).waitFor()
      const names = await page.getByRole('link', { name: /^(?:airport|Harbour \d+|Zoo)$/ }).allTextContents()
      assert.deepEqual(names, ordered)
      await page.goto(`${stage.service.url}/inbox`)
      const choices = page.getByRole('combobox', { name: 'Profile' }).locator('option')
      await choices.nth(ordered.length).waitFor({ state: 'attached' })
      const offered = (await choices.allTextContents()).slice(1).map((name) => name.replace(/ \(\d+\)$/, ''))
      assert.deepEqual(offered, ordered)
    }))
})

import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Account, createAccount } from './account.ts'
import { useStage, type Visit, visit, withoutBrowser } from './browser.ts'
import { isFocusedIn } from './in-page.ts'

const paths = ['/a', '/b', '/c', '/d', '/e', '/f']

describe('when the row that has the focus leaves, in a browser', { skip: withoutBrowser }, () => {
  const stage = useStage(Object.fromEntries(paths.map((path) => [path, { words: `Nothing at ${path} yet.` }])))
  let me: Account
  let visitor: Visit
  let page: Page

  before(async () => {
    me = await createAccount(stage.service)
    for (const path of paths) await me.watch(`${stage.news.origin}${path}`)
    await me.visited()
    for (const path of paths) stage.news.pages[path] = { words: `The mayor opens a bridge to ${path.slice(1)}.` }
    await me.checkAll()
    await me.changes(paths.length)
    visitor = await visit(stage.browser, 'desktop')
    page = visitor.page
    await me.enter(visitor.context)
  })

  /** The number of the row that has the focus, once the list has that many rows. */
  async function hasFocus(row: string, place: number, rows: number): Promise<void> {
    await page
      .locator(row)
      .nth(rows - 1)
      .waitFor()
    await page.locator(row).nth(rows).waitFor({ state: 'detached' })
    await isFocusedIn(page, `:nth-child(${place} of :has(${row}), ${row})`)
  }
  const inInbox = (place: number, rows: number) => hasFocus('.inbox-row', place, rows)
  const inWatches = (place: number, rows: number) => hasFocus('.watches-body > .watches-row', place, rows)

  async function press(...keys: string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key)
  }

  test('archiving an item moves the focus to the next one, and from the last to the one before', () =>
    visitor.watched(async () => {
      await page.goto(`${stage.service.url}/inbox?state=all`)
      await page.locator('.inbox-row').nth(5).waitFor()
      await press('j', 'j')
      await inInbox(2, 6)
      await press('e')
      await inInbox(2, 5)
      await press('j', 'j', 'j')
      await inInbox(5, 5)
      await press('e')
      await inInbox(4, 4)
    }))

  test('archiving the selection keeps the place in the list, by key and by button', () =>
    visitor.watched(async () => {
      await press('k', 'k', 'x', 'j', 'x', 'e')
      await inInbox(2, 2)
      await press('k', 'x')
      await page.getByRole('toolbar', { name: 'Selected items' }).getByRole('button', { name: 'Archive' }).focus()
      await press('Enter')
      await inInbox(1, 1)
    }))

  test('closing an item from inside it returns the focus to its row', () =>
    visitor.watched(async () => {
      await press('Enter')
      await page.getByRole('link', { name: 'Saved copy' }).focus()
      await press('Escape')
      await isFocusedIn(page, '.inbox-row')
    }))

  test('removing watches moves the focus to the next one', () =>
    visitor.watched(async () => {
      await page.goto(`${stage.service.url}/watches`)
      await page.locator('.watches-body > .watches-row').nth(5).waitFor()
      await press('j', 'j', '#')
      await page.getByRole('button', { name: 'Remove 1 watch' }).click()
      await inWatches(2, 5)
      await press('x', 'j', 'x', '#')
      await page.getByRole('button', { name: 'Remove 2 watches' }).click()
      await inWatches(2, 3)
    }))
})

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { type Account, createAccount, email, password } from './account.ts'
import { useStage, type Visit, visit, withoutBrowser } from './browser.ts'
import { focusOf, isFocusedIn } from './in-page.ts'

const MAX_TABS = 60

describe('with the keyboard only, in a browser', { skip: withoutBrowser }, () => {
  const stage = useStage({
    '/': { words: 'Nothing has happened yet in this town.' },
    '/sport': { words: 'Nobody has won.' },
  })
  let me: Account
  let visitor: Visit
  let page: Page

  before(async () => {
    me = await createAccount(stage.service)
    await me.watch(`${stage.news.origin}/sport`, { name: 'Sport' })
    visitor = await visit(stage.browser, 'desktop', { permitted: /401/ })
    page = visitor.page
  })

  /** Presses keys one after the other. */
  async function press(...keys: string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key)
  }
  async function seesFocus(where: string): Promise<void> {
    const focus = await focusOf(page)
    assert.equal(focus.isLost, false, `${where}: the focus is lost`)
    assert.ok(focus.isMarked, `${where}: the focus on ${focus.what} is not visible`)
  }
  /** Presses Tab until the target has the focus, which must be visible at every stop. */
  async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await target.first().waitFor()
    for (let step = 0; step < MAX_TABS; step++) {
      if (await target.first().evaluate((element) => element === element.ownerDocument.activeElement)) return
      await page.keyboard.press(key)
      await seesFocus(`on the way to ${target}`)
    }
    assert.fail(`Tab does not lead to ${target}`)
  }
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor()
  const row = (text: string) => page.locator('.inbox-row').filter({ hasText: text })

  /** Moves to a row with the list's keys, starting at the top. */
  async function moveTo(text: string): Promise<void> {
    const count = await page.locator('.inbox-row').count()
    await press(...Array.from({ length: count }, () => 'k'))
    const current = page.locator('.inbox-row-current')
    for (let step = 0; step < count; step++) {
      await isFocusedIn(page, '.inbox-row-current')
      if ((await current.textContent())?.includes(text)) return
      await press('j')
    }
    assert.fail(`no key leads to ${text}`)
  }

  test('sign in, watch a page, open it, check it', () =>
    visitor.watched(async () => {
      await page.goto(`${stage.service.url}/sign-in`)
      await tabTo(page.getByLabel('Email address'))
      await page.keyboard.type(email)
      await press('Tab')
      await page.keyboard.type(password)
      await press('Enter')
      await heading('Inbox')
      await press('g', 'w')
      await heading('Watches')
      await press('a')
      await page.keyboard.type(`${stage.news.origin}/`)
      await press('Enter')
      await page.getByRole('button', { name: 'Page /', exact: true }).waitFor()
      await tabTo(page.getByRole('button', { name: 'Page /', exact: true }))
      await press('Enter')
      await page.getByRole('heading', { name: 'Recent checks' }).waitFor()
      await seesFocus('in the drawer')
      await press('Escape')
      await page.getByRole('heading', { name: 'Recent checks' }).waitFor({ state: 'detached' })
      await seesFocus('after the drawer')
      await me.visited()
      stage.news.pages['/'] = { words: 'The mayor has resigned and the town celebrates.' }
      stage.news.pages['/sport'] = { words: 'The town has won the cup.' }
      await press('*', 'a', 'c')
      await me.changes(2)
    }))

  test('read, mark, star, archive, choose and undo', () =>
    visitor.watched(async () => {
      await press('Escape', 'g', 'i')
      await heading('Inbox')
      await row('celebrates').first().waitFor()
      await press('j')
      await seesFocus('at the first item')
      await press('j', 'k', 'Enter')
      await page.getByRole('toolbar', { name: 'This item' }).waitFor()
      const open = page.locator('.inbox-row-open')
      await open.waitFor()
      await page.locator('.inbox-row-open.inbox-row-read').waitFor()
      await press('m')
      await page.locator('.inbox-row-open:not(.inbox-row-read)').waitFor()
      await press('s')
      await open.getByRole('button', { name: 'Unstar' }).waitFor()
      await press('Escape')
      await page.getByRole('toolbar', { name: 'This item' }).waitFor({ state: 'detached' })
      await seesFocus('after the item')
      const rows = page.locator('.inbox-row')
      const count = await rows.count()
      await press('e')
      await page.getByText('1 item archived').waitFor()
      await press('u')
      await page.getByText('1 item archived').waitFor({ state: 'detached' })
      await rows.nth(count - 1).waitFor()
      await press('j', 'x')
      await page.getByText('1 selected').waitFor()
      await press('*', 'a')
      await page.getByText(`${count} selected`).waitFor()
      await press('*', 'n')
      await page.getByRole('toolbar', { name: 'Selected items' }).waitFor({ state: 'detached' })
      await press('A')
      await page.getByText(/marked as read/).waitFor()
      await page.locator('.inbox-row:not(.inbox-row-read)').first().waitFor({ state: 'detached' })
      await press('u')
      await page.locator('.inbox-row:not(.inbox-row-read)').first().waitFor()
    }))

  test('selecting items does not move rows, and a bulk action applies to the whole selection', () =>
    visitor.watched(async () => {
      const rows = page.locator('.inbox-row')
      const unread = page.locator('.inbox-row:not(.inbox-row-read)')
      await press('j', 'Enter')
      await page.locator('.inbox-row-open.inbox-row-read').waitFor()
      const position = await rows.first().boundingBox()
      await press('*', 'a')
      await page.getByRole('toolbar', { name: 'Selected items' }).waitFor()
      assert.deepEqual(await rows.first().boundingBox(), position)
      // The open item is already read; the others are not.
      await press('m')
      await unread.first().waitFor({ state: 'detached' })
      await press('u')
      await unread.first().waitFor()
      await press('m')
      await page.locator('.inbox-row-open:not(.inbox-row-read)').waitFor()
      await press('Escape')
    }))

  test('when all loaded items are archived, the next ones load', () =>
    visitor.watched(async () => {
      await page.route('**/api/v1/annotations?*limit=50*', (route) =>
        route.continue({ url: route.request().url().replace('limit=50', 'limit=1') }),
      )
      // Hold back further pages, which would load until the window is full.
      const further = Promise.withResolvers<void>()
      await page.route('**/api/v1/annotations?*cursor=*', async (route) => {
        await further.promise
        await route.fallback()
      })
      await page.goto(`${stage.service.url}/inbox?state=all`)
      await page.locator('.inbox-row').first().waitFor()
      await press('*', 'a', 'e')
      await page.getByText('1 item archived').waitFor()
      assert.equal(await page.getByText('Nothing here yet').count(), 0)
      further.resolve()
      await page.locator('.inbox-row').nth(1).waitFor()
      await page.unrouteAll({ behavior: 'wait' })
      await press('u')
      await page.getByText('Undone').waitFor()
    }))

  test('Escape closes a menu or the open item, and never leaves eRACE', () =>
    visitor.watched(async () => {
      await page.goto(`${stage.service.url}/watches`)
      await heading('Watches')
      await press('g', 'i')
      await row('celebrates').first().waitFor()
      await press('j', 'Enter')
      await page.locator('.inbox-row-open.inbox-row-read').waitFor()
      await press('m', 'Escape')
      await page.getByRole('toolbar', { name: 'This item' }).waitFor({ state: 'detached' })
      // Back does not reopen it.
      await page.goBack()
      await heading('Watches')
      await tabTo(page.getByRole('button', { name: /^Export/ }))
      await press('Enter')
      await page.getByRole('menu').waitFor()
      await press('Escape')
      await page.getByRole('menu').waitFor({ state: 'hidden' })
      await seesFocus('after the menu')
      // A page opened by its URL.
      const other = await visitor.context.newPage()
      await other.goto(`${stage.service.url}/profiles`)
      await other.getByRole('link', { name: 'Sport' }).waitFor()
      await other.keyboard.press('Escape')
      await other.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
      await other.close()
      assert.equal(new URL(page.url()).pathname, '/watches')
      await press('g', 'i')
      await row('celebrates').first().waitFor()
    }))

  test('help opens and closes, and focus returns', () =>
    visitor.watched(async () => {
      await press('j')
      // The focus moves after the next render; the dialog returns it to this element later.
      await isFocusedIn(page, '[id^=inbox-item-]')
      await press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      await press('Escape')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
      // It returns after the dialog is gone.
      await isFocusedIn(page, '[id^=inbox-item-]')
      await seesFocus('after the help')
    }))

  test('compare versions with the arrow keys', () =>
    visitor.watched(async () => {
      await press('g', 'i')
      await row('celebrates').first().waitFor()
      await moveTo('celebrates')
      await press('d')
      await page.locator('ins').filter({ hasText: 'resigned' }).waitFor()
      await press('ArrowLeft')
      await page
        .getByText('Only one version so far')
        .or(page.locator('[aria-current=true]').filter({ hasText: '1' }))
        .first()
        .waitFor()
      await press('ArrowRight')
      await page.locator('ins').filter({ hasText: 'resigned' }).waitFor()
      await press('Escape')
      await heading('Inbox')
    }))

  test('search the inbox and the archive', () =>
    visitor.watched(async () => {
      await press('/')
      await page.keyboard.type('mayor')
      await press('Enter')
      await row('mayor').first().waitFor()
      await press('Tab')
      await press('g', 'p')
      await heading('Profiles')
      await press('/')
      await heading('Search')
      await page.keyboard.type('celebrates')
      await press('Enter')
      await page.getByText(/results? in/).waitFor()
      await press('Tab', 'Tab', 'j', 'Enter')
      await page.getByText('The mayor has resigned').first().waitFor()
    }))

  test('add a term to a profile and save it', () =>
    visitor.watched(async () => {
      await press('g', 'p')
      await heading('Profiles')
      await page.getByRole('link', { name: 'Sport' }).waitFor()
      await press('j')
      await seesFocus('at the first profile')
      await tabTo(page.getByRole('link', { name: 'Sport' }))
      await press('Enter')
      await heading('Sport')
      await tabTo(page.getByLabel('Add a term'))
      await page.keyboard.type('cup')
      await press('Enter')
      await page.getByRole('textbox', { name: 'Term 1' }).waitFor()
      await press('Control+s')
      await page.getByText('“Sport” saved.').waitFor()
      await seesFocus('after saving')
    }))

  test('choose dark mode, which survives a reload', () =>
    visitor.watched(async () => {
      await press('Tab', 'g', 's')
      await heading('Settings')
      await tabTo(page.getByRole('link', { name: 'Appearance' }))
      await press('Enter')
      await tabTo(page.getByRole('radio', { name: 'System' }))
      const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
      await press('ArrowUp')
      await seesFocus('at the colours')
      assert.equal((await saved).status(), 200)
      const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
      assert.equal(await ground(), 'rgb(17, 22, 26)')
      await page.reload()
      await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor()
      assert.equal(await ground(), 'rgb(17, 22, 26)')
      await tabTo(page.getByRole('radio', { name: 'Dark' }))
      await press('ArrowDown')
      await page.getByRole('radio', { name: 'System', checked: true }).waitFor()
      assert.equal(await ground(), 'rgb(244, 246, 247)')
    }))

  test('add a channel and remove it', () =>
    visitor.watched(async () => {
      await press('Tab', 'g', 's')
      await heading('Settings')
      await tabTo(page.getByRole('link', { name: 'Notifications' }))
      await press('Enter')
      await tabTo(page.getByRole('button', { name: 'Add a channel' }))
      await press('Enter')
      await tabTo(page.getByRole('button', { name: /^Feed/ }))
      await press('Enter')
      await page.getByLabel('Name').fill('Reader')
      await press('Enter')
      await page.getByText('“Reader” added').waitFor()
      await seesFocus('after adding')
      await tabTo(page.getByRole('button', { name: 'Actions for Reader' }))
      await press('Enter', 'ArrowUp', 'Enter')
      await tabTo(page.getByRole('button', { name: 'Remove “Reader”' }))
      await press('Enter')
      await page.getByText('No channels yet').waitFor()
      await seesFocus('after removing')
    }))

  test('look up why a URL was fetched', () =>
    visitor.watched(async () => {
      await press('Tab')
      await page.keyboard.press('Escape')
      await tabTo(page.getByRole('link', { name: /^Activity/ }), 'Shift+Tab')
      await press('Enter')
      await heading('Activity')
      await tabTo(page.getByLabel('Why was this fetched, or not?'))
      await page.keyboard.type(`${stage.news.origin}/sport`)
      await press('Enter')
      await page.getByRole('link', { name: 'Open document' }).waitFor()
    }))

  test('when all loaded watches are removed, the next ones load', () =>
    visitor.watched(async () => {
      const text = Array.from({ length: 40 }, (_, n) => `${stage.news.origin}/gone/${n}`).join('\n')
      await me.ask('POST', '/sources/import', { text })
      // Wait for the first checks: a check during removal would be wasted.
      await me.visited()
      // The shortest page that doesn't load the next one at once.
      await visitor.context.route(/\/sources\?.*limit=100/, (route) =>
        route.continue({ url: route.request().url().replace('limit=100', 'limit=35') }),
      )
      await page.goto(`${stage.service.url}/watches`)
      await page.getByText('/gone/39').first().waitFor()
      await press('*', 'a', '#')
      await tabTo(page.getByRole('button', { name: 'Remove 35 watches' }))
      await press('Enter')
      await page.getByRole('button', { name: 'Page /sport', exact: true }).waitFor()
      assert.equal(await page.getByText('/gone/39').count(), 0)
    }))

  test('turn off single-key shortcuts, and sign out', () =>
    visitor.watched(async () => {
      await tabTo(page.getByRole('link', { name: /^Settings/ }), 'Shift+Tab')
      await press('Enter')
      await heading('Settings')
      await tabTo(page.getByRole('link', { name: 'Keyboard' }))
      await press('Enter')
      await tabTo(page.getByRole('switch', { name: /Single-key/ }))
      await press('Space')
      await page.locator('[role=switch]:not(:checked):not([disabled])').waitFor()
      await tabTo(page.getByRole('link', { name: /^Inbox/ }), 'Shift+Tab')
      await press('Enter')
      await heading('Inbox')
      await row('celebrates').first().waitFor()
      await press('j', 'x', '?', 'A', 'g', 'w')
      assert.equal(await page.locator('.inbox-row-current, .inbox-bulk, dialog[open]').count(), 0)
      assert.equal(new URL(page.url()).pathname, '/inbox')
      await press('ArrowDown')
      await page.locator('.inbox-row-current').waitFor()
      await tabTo(page.getByRole('button', { name: 'Sign out' }), 'Shift+Tab')
      await press('Enter')
      await heading('Sign in')
      assert.deepEqual(visitor.faults, [])
    }))
})

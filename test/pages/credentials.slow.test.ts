import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Credentials } from '../../ui/src/api/types.ts'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'
import { until } from '../watch/up-run.ts'
import { inspected } from './accessibility-checks.ts'
import { type Account, createAccount } from './account.ts'
import { useStage, type Visit, visit, withoutBrowser } from './browser.ts'

const right = `Basic ${Buffer.from('ada:the right one').toString('base64')}`

describe('credentials, in a browser', { skip: withoutBrowser }, () => {
  const stage = useStage({})
  let site: HandlerSite
  let me: Account
  let visitor: Visit
  let page: Page
  const signs: string[] = []

  before(async () => {
    site = await createHandlerSite((path, response, request) => {
      if (path !== '/accounts') return response.writeHead(404).end()
      const sign = request.headers.authorization ?? ''
      signs.push(sign)
      if (sign !== right) return response.writeHead(401, { 'www-authenticate': 'Basic' }).end('no entry')
      return response.writeHead(200).end('<title>Accounts</title><p>Balance: 12.50</p>')
    })
    me = await createAccount(stage.service)
    visitor = await visit(stage.browser, 'desktop')
    page = visitor.page
    await me.enter(visitor.context)
  })
  after(async () => {
    await visitor?.context.close()
    await site?.close()
  })

  const open = () => page.goto(`${stage.service.url}/settings/credentials`)
  const rowOf = (name: string): Locator => page.locator('.settings-list > li', { hasText: name })
  const stored = async (): Promise<Credentials[]> =>
    (await me.ask<{ items: Credentials[] }>('GET', '/credentials')).items

  async function add(name: string, kind: string, fill: (dialog: Locator) => Promise<void>): Promise<void> {
    await page.getByRole('button', { name: 'Add credentials' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill(name)
    await dialog.getByLabel('Kind').selectOption({ label: kind })
    await fill(dialog)
    await dialog.getByRole('button', { name: 'Store credentials' }).click()
  }

  test('of several kinds can be added, and the form reports a missing field', () =>
    visitor.watched(async () => {
      await open()
      await page.getByText('No credentials yet').waitFor()
      await add('Bank', 'User name and password', async (dialog) => {
        await dialog.getByLabel('User name').fill('ada')
        await dialog.getByRole('button', { name: 'Store credentials' }).click()
        await dialog.getByText('Is missing').waitFor()
        assert.deepEqual(await inspected(visitor, 'credentials-form'), [])
        await dialog.getByLabel('Password').fill('a wrong one')
      })
      await rowOf('Bank').waitFor()
      await add('Shop', 'Header', async (dialog) => {
        await dialog.getByLabel('Name of the header').fill('X-Api-Key')
        await dialog.getByLabel('Value').fill('abc')
      })
      await rowOf('X-Api-Key').waitFor()
      await add('Portal', 'Sign-in in a browser', async (dialog) => {
        await dialog.getByLabel('Steps').fill('go https://portal.example/\nfill #user:={user}\nclick #in')
        await dialog.getByLabel('User name').fill('ada')
      })
      await rowOf('Portal').waitFor()
      assert.deepEqual(
        (await stored()).map(({ name, kind, hint }) => [name, kind, hint]),
        [
          ['Bank', 'password', 'ada'],
          ['Portal', 'steps', 'ada'],
          ['Shop', 'header', 'X-Api-Key'],
        ],
      )
    }))

  test('that fail are shown and not tried again until they are changed', () =>
    visitor.watched(async () => {
      await me.ask('POST', '/profiles', {
        name: 'My accounts',
        sources: [{ uri: `${site.origin}/accounts`, credentials: 'Bank' }],
      })
      await until('the refusal', async () => (await stored())[0]!.failedSince !== null)
      await open()
      await rowOf('Bank').getByText('Sign-in failed since').waitFor()
      assert.deepEqual(await inspected(visitor, 'credentials-failing'), [])
      await me.checkAll()
      assert.equal(signs.filter((sign) => sign !== '').length, 1, 'it was tried once')
      await rowOf('Bank').getByRole('button', { name: 'Edit' }).click()
      const dialog = page.getByRole('dialog')
      assert.equal(await dialog.getByLabel('User name').inputValue(), 'ada')
      assert.equal(await dialog.getByLabel('Password').inputValue(), '')
      await dialog.getByLabel('Password').fill('the right one')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('“Bank” saved.').waitFor()
      await until('a sign-in', async () => {
        await me.checkAll()
        return (await stored())[0]!.usedAt !== null
      })
      assert.equal(signs.at(-1), right)
    }))

  test('that a profile uses cannot be deleted, others can', () =>
    visitor.watched(async () => {
      await open()
      await rowOf('Bank').getByRole('link', { name: 'My accounts' }).waitFor()
      await rowOf('Bank').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Delete “Bank”' }).click()
      await page.getByText('The profile "My accounts" still uses these credentials').waitFor()
      await page.keyboard.press('Escape')
      await rowOf('Shop').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Delete “Shop”' }).click()
      await page.getByText('“Shop” deleted.').waitFor()
      assert.deepEqual(
        (await stored()).map(({ name }) => name),
        ['Bank', 'Portal'],
      )
      assert.deepEqual(
        visitor.faults.filter((fault) => !/status of 400/.test(fault)),
        [],
      )
    }))
})

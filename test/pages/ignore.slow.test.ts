import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Annotation } from '../../ui/src/api/types.ts'
import { until } from '../watch/up-run.ts'
import { seriousFindings } from './accessibility-checks.ts'
import { type Account, createAccount } from './account.ts'
import { useStage, visit, withoutBrowser } from './browser.ts'

/** A counter that is not muted automatically. */
const counted = (visitors: string, news: string) => ({ words: `Berths: ${visitors}</p><p>${news}` })

const expression = 'Berths:\\s+\\d+'

describe('ignoring text selected in a diff', { skip: withoutBrowser }, () => {
  const stage = useStage({ '/': counted('123', 'The town is quiet.') })
  let account: Account

  before(async () => {
    account = await createAccount(stage.service)
    await account.watch(`${stage.news.origin}/`, { name: 'Town' })
    await account.visited()
  })

  async function changes(): Promise<Annotation[]> {
    const { items } = await account.ask<{ items: Annotation[] }>('GET', '/annotations?limit=200')
    return items.filter(({ backlog }) => !backlog)
  }

  async function change(visitors: string, words: string): Promise<void> {
    stage.news.pages['/'] = counted(visitors, words)
    await account.checkAll()
  }

  /** Selects the counter's line with a triple click. */
  async function selectCounter(page: Page): Promise<void> {
    await page.locator('ins').filter({ hasText: /\d/ }).first().click({ clickCount: 3 })
    await page.getByRole('button', { name: 'Ignore this from now on' }).waitFor()
  }

  test('hides a counter from diffs and notifications, while other changes are still reported', async () => {
    await change('124', 'The town is quiet.')
    await until('the first change', async () => (await changes()).length === 1)
    const { document } = (await changes())[0]!
    const { context, page, faults, picture, watched } = await visit(stage.browser, 'desktop')
    await account.enter(context)
    await watched(async () => {
      await page.goto(`${stage.service.url}/documents/${document}?tab=diff&to=2`)
      await selectCounter(page)
      await picture('ignore-1-selected')
      await page.getByRole('button', { name: 'Ignore this from now on' }).click()
      const dialog = page.getByRole('dialog')
      assert.equal(await dialog.getByRole('textbox').inputValue(), expression)
      assert.equal(await dialog.getByRole('checkbox', { name: 'Town' }).isChecked(), true)
      assert.deepEqual(await seriousFindings(page, ({ size }) => picture(`ignore-2-dialog-${size}`)), [])

      await dialog.getByRole('textbox').fill('Berths: (')
      await dialog.getByRole('button', { name: 'Ignore' }).click()
      await dialog.getByText(/invalid regular expression/).waitFor()
      await dialog.getByRole('textbox').fill(expression)
      await dialog.getByRole('button', { name: 'Ignore' }).click()
      await page.getByText('1 ignore pattern applied').waitFor()
      await page.getByText('No differences').waitFor()
      await picture('ignore-3-ignored')

      await page.getByRole('button', { name: 'Show all' }).click()
      await page.locator('ins').filter({ hasText: '124' }).waitFor()
      assert.match(page.url(), /ignored=show/)
      await page.getByRole('button', { name: 'Hide it' }).click()
      await page.getByText('No differences').waitFor()
      // The invalid expression was rejected once, on purpose.
      assert.deepEqual(
        faults.filter((fault) => !/ 4\d\d /.test(fault)),
        [],
      )
    })

    await change('1250', 'The town is quiet.')
    await change('9999', 'The mayor has resigned.')
    await until('the change of the text', async () =>
      (await changes()).some(({ summary }) => summary.text.includes('mayor')),
    )
    const notified = await changes()
    assert.equal(notified.length, 2)
    const last = notified.find(({ summary }) => summary.text.includes('mayor'))!
    assert.doesNotMatch(last.summary.text, /9999/)
    await context.close()
  })

  test('works by keyboard and on a phone, and can be undone', async () => {
    const [item] = await changes()
    const { context, page, faults, picture, watched } = await visit(stage.browser, 'phone')
    await account.enter(context)
    await watched(async () => {
      await page.goto(`${stage.service.url}/documents/${item!.document}?tab=diff&from=3&to=4`)
      await page.getByText('1 ignore pattern applied').waitFor()
      await page.locator('ins').filter({ hasText: 'mayor' }).click({ clickCount: 3 })
      await page.getByRole('button', { name: 'Ignore this from now on' }).waitFor()
      await picture('ignore-4-selected')
      await page.keyboard.press('i')
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('checkbox', { name: 'Town' }).waitFor()
      await picture('ignore-5-dialog')
      await dialog.getByRole('button', { name: 'Ignore' }).click()
      await page.getByText('2 ignore patterns applied').waitFor()
      await page.keyboard.press('u')
      await page.getByText('1 ignore pattern applied').waitFor()
      await page.locator('ins').filter({ hasText: 'mayor' }).waitFor()
      assert.deepEqual(faults, [])
    })
    await context.close()
  })

  test('shows the expressions in the profile, one per line, and reports which line is invalid', async () => {
    const [source] = await account.sources()
    const { context, page, picture, watched } = await visit(stage.browser, 'phone', { permitted: /4\d\d/ })
    await account.enter(context)
    await watched(async () => {
      await page.goto(`${stage.service.url}/profiles/${source!.profile.id}`)
      const field = page.getByLabel('Text to ignore')
      assert.equal(await field.inputValue(), expression)
      await field.fill(`${expression}\n\n(b\n\\d+ likes`)
      await page.getByRole('button', { name: 'Save' }).first().click()
      await page.getByText(/^Line 3: invalid regular expression/).waitFor()
      await page.getByText('Fix the highlighted field').waitFor()
      await field.scrollIntoViewIfNeeded()
      assert.deepEqual(
        await seriousFindings(page, ({ size, scheme }) => picture(`ignore-6-field-${size}-${scheme}`)),
        [],
      )
      await field.fill(`${expression}\n\n\\d+ likes`)
      await page.getByRole('button', { name: 'Save' }).first().click()
      await until('it to be saved', async () => {
        const { interests } = await account.ask<{ interests: { ignore: string[] } }>(
          'GET',
          `/profiles/${source!.profile.id}`,
        )
        return interests.ignore.join(' ') === `${expression} \\d+ likes`
      })
    })
    await context.close()
  })
})

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type StartService, startCluster, startService } from '../kit/service.ts'
import { type Account, createAccount } from './account.ts'
import { type sizes, useStage, visit, withoutBrowser } from './browser.ts'

const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>Town news</title>
<item><title>The mayor resigns</title><link>/1</link><guid>1</guid></item>
<item><title>The bridge is open</title><link>/2</link><guid>2</guid></item></channel></rss>`
const blog = `<title>Town</title><link rel="alternate" type="application/rss+xml" title="All news" href="/news.xml"><p>Welcome.</p>`

function sourceForms(where: string, start: StartService, size: keyof typeof sizes): void {
  describe(`source forms, ${where}`, { skip: withoutBrowser }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'erace-forms-'))
    const stage = useStage({}, (more) =>
      start({ ...more, ERACE_FILES_ROOTS: folder, ERACE_CREDENTIALS_KEY: 'ab'.repeat(32) }),
    )
    const site = createServer((request, response) => {
      const isFeed = request.url === '/news.xml'
      if (request.url === '/robots.txt') response.writeHead(404).end()
      else response.setHeader('content-type', isFeed ? 'application/rss+xml' : 'text/html').end(isFeed ? feed : blog)
    })
    let me: Account
    let origin: string
    before(async () => {
      mkdirSync(join(folder, 'minutes'))
      writeFileSync(join(folder, 'report.txt'), 'The report of the council.')
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
      origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
      me = await createAccount(stage.service)
    })
    after(() => {
      site.close()
      rmSync(folder, { recursive: true, force: true })
    })

    test('a folder and a feed can be tried, saved and checked', async () => {
      const { context, page, faults, picture, watched } = await visit(stage.browser, size, {
        permitted: /400 \(Bad Request\)/,
      })
      await me.enter(context)
      await watched(async () => {
        await page.goto(`${stage.service.url}/profiles/new`)
        await page.getByLabel('Kind of source').selectOption('Files')
        await page.getByLabel('Folder or file').fill('/etc/')
        await page.getByRole('button', { name: 'Try it' }).click()
        await page
          .getByText(/outside the folders/)
          .first()
          .waitFor()
        await page.getByLabel('Folder or file').fill(`${folder}/`)
        await page.getByRole('button', { name: 'Try it' }).click()
        const tried = page.locator('.profiles-tried')
        await tried.getByText('report.txt').waitFor()
        await tried.getByText('2 items found').waitFor()
        await picture(`source-folder`)

        await page.getByRole('button', { name: 'Add address' }).click()
        const second = page.locator('.profiles-source').nth(1)
        await second.getByRole('textbox', { name: 'Address 2' }).fill(`${origin}/`)
        await second.getByRole('button', { name: 'Try it' }).click()
        await second.getByText('Welcome.').waitFor()
        await picture(`source-page`)
        await second.getByRole('button', { name: 'Watch the feed “All news” instead' }).click()
        assert.equal(await second.getByLabel('Kind of source').inputValue(), 'feed')
        assert.equal(await second.getByRole('textbox', { name: 'Address 2' }).inputValue(), `${origin}/news.xml`)
        await second.getByRole('button', { name: 'Try it' }).click()
        await second.getByText('The bridge is open').waitFor()
        await picture(`source-feed`)
        for (const kind of ['Mailbox', 'Newsgroup', 'Database', 'Web query', 'Web page']) {
          await second.getByLabel('Kind of source').selectOption(kind)
          if (kind === 'Mailbox') {
            await second.getByLabel('Sign in with').selectOption('New credentials…')
            const dialog = page.getByRole('dialog')
            await dialog.getByLabel('Name', { exact: true }).fill('Town mail')
            await dialog.getByLabel('User name').fill('ada')
            await dialog.getByLabel('Password').fill('a secret')
            await picture('source-credentials')
            await dialog.getByRole('button', { name: 'Store credentials' }).click()
            await dialog.waitFor({ state: 'detached' })
            assert.equal(await second.getByLabel('Sign in with').inputValue(), 'Town mail')
            assert.match(page.url(), /profiles\/new$/)
          }
          if (kind === 'Web page') await second.getByLabel('Needs a browser').check()
          await second.scrollIntoViewIfNeeded()
          await picture(`source-${kind.toLowerCase().replace(' ', '-')}`)
        }
        await second.getByLabel('Kind of source').selectOption('feed')
        await second.getByRole('textbox', { name: 'Address 2' }).fill(`${origin}/news.xml`)
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('All changes saved').waitFor()
        assert.equal(await page.getByLabel('Folder or file').inputValue(), `${folder}/`)
        assert.equal(await second.getByLabel('Kind of source').inputValue(), 'feed')

        await page.goto(`${stage.service.url}/watches`)
        await page.getByLabel('Watch a page').fill(`file://${folder}/minutes/`)
        await page.keyboard.press('Enter')
        await page.getByText('Now watching this page').waitFor()
      })
      await me.visited()
      const states = (await me.sources()).map(({ uri, state, status }) => [uri, state, status])
      assert.deepEqual(
        states.map(([uri, , status]) => [uri, status]).sort(),
        [
          [`file://${folder}/`, 200],
          [`file://${folder}/minutes/`, 200],
          [`${origin}/news.xml`, 200],
        ].sort(),
        JSON.stringify(states),
      )
      assert.deepEqual(faults, [])
      await context.close()
    })
  })
}

sourceForms('in one process', startService, 'desktop')
sourceForms('on serve and two workers', startCluster, 'phone')

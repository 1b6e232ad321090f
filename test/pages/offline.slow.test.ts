import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Annotation } from '../../ui/src/api/types.ts'
import { until } from '../watch/up-run.ts'
import { type Account, createAccount } from './account.ts'
import { useStage, visit, withoutBrowser } from './browser.ts'
import { isKeptForOffline } from './in-page.ts'

type Manifest = {
  name: string
  start_url: string
  display: string
  icons: { src: string; type: string; sizes: string; purpose: string }[]
}

describe('offline, in a browser', { skip: withoutBrowser }, () => {
  const stage = useStage({
    '/a': { words: 'Nothing yet.' },
    '/b': { words: 'Quiet.' },
    '/c': { words: '…' },
  })
  let me: Account

  before(async () => {
    me = await createAccount(stage.service)
    for (const path of Object.keys(stage.news.pages)) await me.watch(stage.news.origin + path)
    await me.visited()
    stage.news.pages['/a'] = { words: 'Apricots are ripe.' }
    stage.news.pages['/b'] = { words: 'Bananas are late.' }
    stage.news.pages['/c'] = { words: 'Cherries are gone.' }
    await me.checkAll()
    await me.changes(3)
  })

  test('the web app is installable: its manifest refers to existing pages and icons', async () => {
    const answer = await fetch(`${stage.service.url}/manifest.webmanifest`)
    assert.match(answer.headers.get('content-type')!, /^application\/manifest\+json/)
    const { name, start_url, display, icons } = (await answer.json()) as Manifest
    assert.equal(name, 'eRACE')
    assert.equal(display, 'standalone')
    assert.equal((await fetch(new URL(start_url, stage.service.url))).status, 200)
    for (const { src, type, sizes } of icons) {
      const icon = await fetch(new URL(src, stage.service.url))
      assert.equal(icon.headers.get('content-type')?.split(';', 1)[0], type)
      if (type !== 'image/png') continue
      const bytes = Buffer.from(await icon.arrayBuffer())
      // Width and height are in the first chunk of the file.
      assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes)
    }
    for (const size of ['192x192', '512x512']) assert.ok(icons.some(({ sizes }) => sizes === size))
    assert.ok(icons.some(({ purpose }) => purpose.includes('maskable')))
  })

  test('recent items are readable, and marks are sent on reconnect', async () => {
    // The browser logs failed requests to the console.
    const { context, page, picture, watched } = await visit(stage.browser, 'phone', {
      permitted: /ERR_INTERNET|Failed to/,
    })
    page.setDefaultTimeout(15_000)
    await me.enter(context)
    const ids = new Map((await me.changes(3)).map(({ id, url }) => [new URL(url).pathname, id]))
    const marksOf = (path: string) => me.ask<Annotation>('GET', `/annotations/${ids.get(path)}`)
    const row = (word: string) => page.locator('.inbox-row').filter({ hasText: word })

    await watched(async () => {
      await page.goto(`${stage.service.url}/inbox`)
      await row('Apricots').waitFor()
      await until('all that is needed without a connection', () => isKeptForOffline(page))

      await context.setOffline(true)
      await page.reload()
      await row('Apricots').waitFor()
      await page
        .getByText(/No connection/)
        .first()
        .waitFor()
      await row('Bananas').getByRole('link').click()
      await page.getByRole('heading', { name: 'Page /b' }).waitFor()
      await page.getByText('Why did I get this?').waitFor()
      await picture('offline')
      await page.getByRole('button', { name: /^Archive/ }).click()
      await page.getByText('1 item archived').waitFor()
      await page.goto(`${stage.service.url}/inbox?state=all`)
      await row('Cherries').getByRole('button', { name: 'Star' }).click()
      await page.getByText('1 item starred').waitFor()
      await row('Apricots').getByRole('link').click()
      await page.getByRole('button', { name: /^Mark as unread/ }).waitFor()
      assert.equal((await marksOf('/b')).archived, false)

      // A server that is not ready yet: rejected marks are sent again.
      let refused = 0
      await page.route('**/api/v1/annotations*', (route) =>
        route.request().method() === 'PATCH' && refused++ === 0 ? route.fulfill({ status: 503 }) : route.continue(),
      )
      await context.setOffline(false)
      await until('what was marked', async () => {
        const [apricots, bananas, cherries] = await Promise.all(['/a', '/b', '/c'].map(marksOf))
        return apricots!.read && bananas!.read && bananas!.archived && cherries!.starred
      })
      assert.ok(refused > 1)
      await page
        .getByText(/No connection/)
        .first()
        .waitFor({ state: 'detached' })
    })
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import type { Annotation, Source } from '../../ui/src/api/types.ts'
import { type Service, startService } from '../kit/service.ts'
import { until } from '../watch/up-run.ts'
import { type Account, createAccount, email, password } from './account.ts'
import { startBrowser, visit, withoutBrowser } from './browser.ts'
import { createHostileNews, type HostileNews, WORD } from './hostile-news.ts'
import { addFrames, foreignMarkupOf, originOf, readablesOf, readCookie, turnPage } from './in-page.ts'

/** Permissions of a frame with a saved page: its links open our page for leaving. */
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox'

/** A phrase has at most sixteen words. */
const asTerm = (attack: string) => attack.slice(0, 55).trim()
const oneSpace = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Describes everything that an attack achieves. */
async function detectHits(context: BrowserContext, page: Page, { url }: Service): Promise<string[]> {
  const hits: string[] = []
  await context.exposeBinding('__hit', ({ frame }, what) => {
    hits.push(`${String(what)} ran in ${frame.url()}`)
  })
  page.on('dialog', (dialog) => {
    hits.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('page', (opened) => hits.push(`a window: ${opened.url()}`))
  // Blocked requests are reported too, though they never left the browser.
  const left = (request: Request) => {
    const isOurs = new URL(request.url()).origin === url || /^(?:data|blob|about):/.test(request.url())
    const why = request.failure()?.errorText ?? ''
    if (!isOurs && !/csp|BLOCKED_BY/i.test(why)) hits.push(`a request: ${request.url()} ${why}`)
  }
  context.on('requestfinished', left)
  context.on('requestfailed', left)
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame() && new URL(frame.url()).origin !== url) hits.push(`a navigation: ${frame.url()}`)
  })
  return hits
}

describe('hostile content, in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser
  let service: Service
  let news: HostileNews
  let me: Account
  let page: Page
  let context: BrowserContext
  let hits: string[]
  let sources: Source[]
  let items: Annotation[]

  before(async () => {
    browser = await startBrowser()
    service = await startService()
    news = await createHostileNews()
    me = await createAccount(service, news.attacks[0])
    await prepare()
    // Policy violations are expected here.
    const opened = await visit(browser, 'desktop', { permitted: /./ })
    ;({ page, context } = opened)
    page.setDefaultTimeout(15_000)
    hits = await detectHits(context, page, service)
    await me.enter(context)
  })
  after(async () => {
    await browser?.close()
    await service?.destroy()
    await news?.close()
  })

  /** Submits each attack to every input, which must accept it or say why not. */
  async function prepare(): Promise<void> {
    const { attacks, origin } = news
    for (const [index, attack] of attacks.entries()) {
      await me.watch(origin + news.pathOf(index), {
        name: attack,
        interests: {
          keywords: [
            { key: WORD, weight: 1 },
            { key: asTerm(attack), weight: 2 },
          ],
          exclude: [`never ${asTerm(attack)}`],
          threshold: 1,
        },
      })
    }
    await me.watch(origin + news.allPath, {
      name: 'All',
      interests: { keywords: attacks.map((attack) => ({ key: asTerm(attack), weight: 1 })) },
    })
    for (const uri of Object.values(news.odd)) await me.watch(uri, { name: `<b>${uri}</b>` })
    for (const name of attacks) await me.ask('POST', '/tokens', { name: name.slice(0, 100) })
    await me.ask('POST', '/users', { email: `"><svg/onload=__hit('email')>@example.org`, name: attacks[8], password })
    await fetch(`${service.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `<img src=x onerror=__hit('agent')>` },
      body: JSON.stringify({ email, password }),
    })
    await me.visited()
    news.publish()
    await me.checkAll()
    sources = await me.sources()
    const quiet = ['picture', 'drawing.svg', 'error', 'gone', 'moved']
    items = await me.changes(sources.length - quiet.length)
  }

  /** Opens a view, waits for one of its texts, and checks that everything expected is shown as text. */
  async function open(path: string, texts: readonly string[], ready: string | RegExp): Promise<void> {
    await page.goto(service.url + path)
    await shows(path, texts, ready)
  }
  /** The same, without a page load. */
  async function turnTo(path: string, texts: readonly string[], ready: string | RegExp): Promise<void> {
    await turnPage(page, path)
    await shows(path, texts, ready)
  }
  async function shows(where: string, texts: readonly string[], ready: string | RegExp): Promise<void> {
    await page.getByText(ready).first().waitFor()
    const wanted = texts.map(oneSpace)
    let missing = wanted
    await until(
      `${where} to show what it should`,
      async () => {
        const shown = await readablesOf(page)
        missing = wanted.filter((text) => !shown.includes(text))
        return missing.length === 0
      },
      8000,
    ).catch(() => assert.deepEqual(missing, [], where))
    assert.deepEqual(await foreignMarkupOf(page), [], where)
    unharmed(where)
  }
  function unharmed(where: string): void {
    assert.deepEqual(hits.splice(0), [], where)
    assert.deepEqual(news.asked, [], where)
  }
  /** Tall enough to show every row of a long list, or desktop size. */
  const stretch = (height = 8000) => page.setViewportSize({ width: 1280, height })

  test('attacks on an unprotected page are detected', async () => {
    const other = await browser.newContext()
    const unguarded = await other.newPage()
    const found = await detectHits(other, unguarded, service)
    for (const index of [0, 8, 37]) await unguarded.goto(news.origin + news.pathOf(index))
    await other.close()
    for (const kind of [/^script ran/, /^img ran/, /^a request/, /^a navigation/])
      assert.ok(
        found.some((hit) => kind.test(hit)),
        String(kind),
      )
    assert.ok(news.asked.splice(0).length > 0)
  })

  test('watches show titles, URLs and errors as text', async () => {
    await stretch()
    await open('/watches', news.attacks, 'All of them')
    await stretch(800)
    for (const { id, uri, message } of sources.filter(({ uri }) => uri.includes('/odd/')))
      await turnTo(`/watches?watch=${id}`, [uri, message], uri)
  })

  test('the inbox shows titles, summaries, terms and URLs as text', async () => {
    await stretch()
    await open('/inbox?state=all', news.attacks, WORD)
    await stretch(800)
    const changed = items.filter(({ url }) => url.includes('/attack/'))
    assert.equal(changed.length, news.attacks.length)
    // The list has shown all of them; a sample is enough for the pane.
    for (const { id, title, url, summary, profile } of changed.filter((_, index) => index % 4 === 0))
      await turnTo(`/inbox?state=all&id=${id}`, [title, url, summary.text, profile.name, asTerm(title)], url)
  })

  test('document tabs show attacks as text, and saved pages in a sandboxed frame', async () => {
    const { document } = sources.find(({ uri }) => uri.endsWith(news.allPath))!
    const responses: Record<string, string>[] = []
    page.on('response', (response) => {
      if (/\/content$|format=page/.test(response.url())) responses.push(response.headers())
    })
    await open(`/documents/${document}?tab=diff`, news.attacks, 'in edition')
    await turnTo(`/documents/${document}?tab=text`, news.attacks, 'in edition')
    await turnTo(`/documents/${document}?tab=about`, [`${news.origin}/all`], 'Digest')
    for (const tab of ['page', 'sides']) {
      await turnTo(`/documents/${document}?tab=${tab}`, [], 'Side by side')
      const frame = page.frameLocator('iframe').last()
      await frame.getByText('in edition 2').waitFor()
    }
    const inner = page.frames().at(-1)!
    const shown = await readablesOf(inner)
    for (const attack of news.attacks) assert.ok(shown.includes(oneSpace(attack)), `the frame does not show ${attack}`)
    assert.equal(await originOf(inner), 'null')
    for (const element of await page.locator('iframe').all())
      assert.equal(await element.getAttribute('sandbox'), SANDBOX)
    await turnTo(`/documents/${document}?tab=merged`, [], 'Side by side')
    await page.frameLocator('iframe').locator('ins.erace-added').first().waitFor()
    assert.equal(await originOf(page.frames().at(-1)!), 'null')
    assert.equal(await page.locator('iframe').getAttribute('sandbox'), SANDBOX)
    assert.ok(responses.length >= 3)
    for (const headers of responses) {
      assert.ok(headers['content-security-policy']!.startsWith(`sandbox ${SANDBOX}; default-src 'none'`))
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
    unharmed('the frames')
  })

  test('links to scripts do nothing', async () => {
    const { document } = odd('/odd/links')
    await open(`/documents/${document}?tab=links`, [`${news.origin}/linked/`, 'elsewhere'], 'elsewhere')
    await turnTo(`/documents/${document}?tab=page`, [], 'Side by side')
    const frame = page.frameLocator('iframe')
    // Links to scripts are removed; the others open our page for leaving.
    const links = frame.getByRole('link')
    await links.first().waitFor()
    assert.equal(await frame.getByText('go', { exact: true }).count(), 8)
    assert.equal(await links.count(), 3)
    for (const link of await frame.getByText('go', { exact: true }).all()) await link.click({ noWaitAfter: true })
    await until('three tabs', async () => context.pages().length === 4)
    for (const tab of context.pages().filter((each) => each !== page)) {
      await tab.waitForURL(`${service.url}/leave#http**`)
      await tab.close()
    }
    for (const hit of hits.splice(0)) assert.match(hit, /^a window: /)
    assert.equal(new URL(page.url()).pathname, `/documents/${document}`)
    unharmed('links')
  })

  test('content opened directly runs no scripts and cannot read cookies', async () => {
    const versions = new Map(items.map(({ url, version }) => [url, version]))
    const addressOf = (uri: string) => `${service.url}/api/v1/versions/${versions.get(uri)}/content`
    const odds = ['drawing.xml', 'plain', 'untold', 'json', 'seven', 'strict', 'headers', 'feed', 'address']
    const expected = new Map([
      ...news.attacks.map((attack, index) => [addressOf(news.origin + news.pathOf(index)), oneSpace(attack)] as const),
      ...odds.map((name) => [addressOf(odd(`/odd/${name}`).uri), WORD] as const),
    ])
    // Frames on our own page without the sandbox attribute.
    await page.goto(`${service.url}/nothing`)
    await addFrames(page, [...expected.keys()])
    for (const [address, text] of expected) {
      const frame = page.frames().find((each) => each.url() === address)!
      assert.ok((await readablesOf(frame)).includes(text), `${address} does not show ${text}`)
      assert.equal(await originOf(frame), 'null')
    }
    unharmed('content in frames')
    await page.goto([...expected.keys()][0]!)
    assert.ok((await readablesOf(page)).includes(news.attacks[0]!))
    await assert.rejects(readCookie(page))
    unharmed('content in a window')
  })
  function odd(path: string): Source {
    return sources.find(({ uri }) => uri.startsWith(news.origin + path))!
  }

  test('a download has a safe file name', async () => {
    const { document } = odd('/odd/file')
    await open(`/documents/${document}?tab=about`, ['X-Y%3A%20z%E2%80%AEgpj.html'], 'Digest')
    const link = page.getByRole('link', { name: 'Original bytes' })
    const saved = await context.request.get(new URL((await link.getAttribute('href'))!, service.url).href)
    const { 'content-disposition': disposition, ...headers } = saved.headers()
    assert.match(disposition!, /^attachment; filename="[^"<>\\]*"(?:; filename\*=UTF-8''[\w.%~-]+)?$/)
    assert.doesNotMatch(disposition!, /%(?:0D|0A|E2%80%AE)/i)
    assert.equal(headers['x-y'], undefined)
    assert.equal(headers['content-type'], 'application/octet-stream')
    assert.match(headers['content-security-policy']!, /^sandbox/)
  })

  test('server headers and feed titles are shown as text', async () => {
    const { document } = odd('/odd/headers')
    await open(`/documents/${document}?tab=about`, [`<img src=x onerror=__hit('etag')>`], 'Digest')
    const titles = news.attacks.filter((attack) => !attack.includes(news.origin))
    await open(`/documents/${odd('/odd/feed').document}?tab=text`, titles, WORD)
  })

  test('profiles, their XML and preview show names, terms and URLs as text', async () => {
    await stretch()
    await open('/profiles', news.attacks, WORD)
    await stretch(800)
    const all = (await me.ask<{ items: { id: string; name: string }[] }>('GET', '/profiles?limit=200')).items
    const { id } = all.find(({ name }) => name === 'All')!
    await open(`/profiles/${id}`, news.attacks.map(asTerm), /Would have matched/)
    await turnTo(`/profiles/${id}?view=xml`, [`&lt;script`], 'Profile as XML')
    const hostile = new URLSearchParams({ url: news.attacks[48]!, name: news.attacks[0]!, q: news.attacks[8]! })
    await open(`/profiles/new?${hostile}`, [news.attacks[0]!, news.attacks[48]!], 'What to watch')
  })

  test('search shows queries and results as text', async () => {
    await open('/search?q=quote', [`"><img src=x onerror=__hit('quote')>`], /results? in/)
    await open(`/search?q=${encodeURIComponent(news.attacks[8]!)}`, [news.attacks[8]!], /results? in|No results/)
  })

  test('activity shows crawled URLs as text', async () => {
    const { uri } = odd('/odd/address')
    await open(`/activity?url=${encodeURIComponent(uri)}`, [uri], 'fetched')
    await turnTo(`/activity?url=${encodeURIComponent(odd('/odd/moved').uri)}`, [], 'failed')
    await turnTo(`/activity?url=${encodeURIComponent(news.attacks[48]!)}`, [news.attacks[48]!], 'Activity')
    await page.getByRole('button', { name: 'Show graph' }).click()
    await page.getByText('Pages as a list').click()
    await shows('the list of pages', [news.attacks[0]!, news.attacks[8]!], 'All of them')
  })

  test('settings show tokens, sessions and users as text', async () => {
    await open(
      '/settings?part=tokens',
      news.attacks.map((attack) => attack.slice(0, 100)),
      'API tokens',
    )
    await turnTo('/settings?part=sessions', [`<img src=x onerror=__hit('agent')>`], "Where you're signed in")
    await turnTo('/settings?part=users', [`"><svg/onload=__hit('email')>@example.org`, news.attacks[8]!], 'Add user')
    await turnTo('/settings?part=account', [news.attacks[0]!], 'Your account')
    await open('/welcome', [`Get started, ${news.attacks[0]!}`], 'Get started')
  })

  test('rejected imports are shown as text', async () => {
    await open('/watches', [], 'Watches')
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByLabel(/Addresses, one per line/).fill(news.attacks.join('\n'))
    await page.getByRole('button', { name: 'Import', exact: true }).last().click()
    await shows('the import', [news.attacks[48]!, news.attacks[8]!], /skipped/)
  })

  test('crafted links to our own pages do nothing', async () => {
    const attack = encodeURIComponent(`"><img src=x onerror=__hit('address')>`)
    const script = encodeURIComponent(`javascript:__hit('next')`)
    for (const path of [
      '/inbox?q=',
      '/inbox?profile=',
      '/watches?q=',
      '/profiles?q=',
      '/documents/1?tab=',
      '/documents/',
      '/nothing/',
    ])
      await turnTo(path + attack, [], /./)
    await open(`/sign-in?next=${script}`, [], /./)
    await open(`/sign-in?next=${encodeURIComponent(`//${new URL(news.origin).host}/next`)}`, [], /./)
    for (const path of [
      `/api/v1/search?q=${attack}`,
      `/api/v1/documents?url=${attack}`,
      `/api/v1/${attack}`,
      '/api/v1/annotations?format=xml',
      '/api/v1/annotations?format=text',
      '/api/v1/profiles',
    ]) {
      await page.goto(service.url + path)
      unharmed(path)
    }
  })

  test('scripts cannot read the session cookie', async () => {
    await open('/inbox', [], WORD)
    assert.equal(await readCookie(page), '')
    const [cookie] = (await context.cookies()).filter(({ name }) => name === 'erace_session')
    assert.equal(cookie?.httpOnly, true)
    unharmed('everything')
  })
})

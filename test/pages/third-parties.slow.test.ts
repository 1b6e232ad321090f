import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { filled, waysAway, waysOut } from '../../src/core/inert/reaching-out.testkit.ts'
import type { Annotation } from '../../ui/src/api/types.ts'
import { type Service, startService } from '../kit/service.ts'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'
import { until } from '../watch/up-run.ts'
import { seriousFindings } from './accessibility-checks.ts'
import { type Account, createAccount } from './account.ts'
import { startBrowser, type Visit, visit, withoutBrowser } from './browser.ts'

/** The browser resolves all names in this domain to the third party. */
const NAME = 'third-party.test'

/** Another site: every connection to it counts, whether a request follows or not. */
async function createThirdParty() {
  const asked: string[] = []
  let connections = 0
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(204).end()
  })
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.2')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.2:${(server.address() as AddressInfo).port}`,
    asked,
    connections: () => connections,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

describe('saved pages and third parties, in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser
  let service: Service
  let third: Awaited<ReturnType<typeof createThirdParty>>
  let news: HandlerSite
  /** Serves the same content as the service, without any of its headers. */
  let bare: HandlerSite
  let served = ''
  let me: Account
  let item: Annotation
  let context: BrowserContext
  let page: Page
  let opened: Visit
  let edition = 1

  const link = () => `${third.origin}/clicked?a=1&b=2`
  const hostile = (ways: readonly string[]) => filled(ways, { third: third.origin, name: NAME })

  before(async () => {
    third = await createThirdParty()
    browser = await startBrowser({ flags: [`--host-resolver-rules=MAP *.${NAME} ${new URL(third.origin).host}`] })
    service = await startService()
    news = await createHandlerSite((path, response) => {
      const links = `<a href="${link()}" target=_top>Away</a> <a href="mailto:ada@example.org">Write</a> <a href="#end">Down</a>`
      const start = `<!doctype html><title>News</title><p>harbour in edition ${edition}</p><p>${links}</p>`
      const ways = path === '/all' ? [...waysOut, ...waysAway] : path === '/stays' ? waysOut : []
      response.writeHead(path === '/robots.txt' ? 404 : 200).end(`${start}${hostile(ways)}<p id=end>the end`)
    })
    bare = await createHandlerSite((_path, response) => response.end(served))
    me = await createAccount(service)
    await me.watch(`${news.origin}/all`, { name: 'News' })
    await me.visited()
    edition++
    await me.checkAll()
    ;[item] = (await me.changes(1)) as [Annotation]
    opened = await visit(browser, 'desktop', { permitted: /./ })
    ;({ context, page } = opened)
    page.setDefaultTimeout(15_000)
    await me.enter(context)
  })
  after(async () => {
    await browser?.close()
    await service?.destroy()
    await Promise.all([news?.close(), bare?.close(), third?.close()])
  })

  const contentPath = () => `/api/v1/versions/${item.version}/content`
  const mergedPath = () => `/api/v1/documents/${item.document}/diff?format=page&form=words`

  /** Asserts that the third party was not contacted. Loads further pages first, by when pending requests would have been sent. */
  async function untouched(where: string): Promise<void> {
    const other = await context.newPage()
    for (let count = 0; count < 3; count++)
      await other.goto(`${service.url}/leave#${count}`, { waitUntil: 'networkidle' })
    await other.close()
    assert.deepEqual({ asked: third.asked, connections: third.connections() }, { asked: [], connections: 0 }, where)
  }

  /** Clicks a link that opens a tab; returns the tab. */
  async function follow(name: string, within: Pick<Page, 'getByRole'>): Promise<Page> {
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      within.getByRole('link', { name, exact: true }).click(),
    ])
    await tab.waitForLoadState()
    return tab
  }

  for (const [tab, form] of [
    ['page', 'cached'],
    ['merged', 'merged'],
  ] as const)
    test(`a ${form} page in its frame contacts no third party, and its links open the leave page`, async () => {
      await page.goto(`${service.url}/documents/${item.document}?tab=${tab}`)
      const frame = page.frameLocator('iframe')
      await frame.getByText('the end').first().waitFor()
      await untouched(`${form} in the frame`)
      const away = await follow('Away', frame)
      assert.equal(away.url(), `${service.url}/leave#${encodeURIComponent(link())}`)
      await away.getByText(link(), { exact: true }).waitFor()
      const open = away.getByRole('link', { name: /^Open/ })
      assert.equal(await open.getAttribute('href'), link())
      assert.equal(await open.getAttribute('rel'), 'noopener noreferrer')
      await away.close()
      await frame.getByRole('link', { name: 'Down' }).click()
      assert.equal(new URL(page.url()).pathname, `/documents/${item.document}`)
      await untouched(`${form}, a link clicked`)
    })

  for (const [form, path] of [
    ['cached', contentPath],
    ['merged', mergedPath],
  ] as const) {
    test(`a ${form} page opened directly contacts no third party, and its links open the leave page`, async () => {
      await page.goto(service.url + path())
      await page.getByText('the end').first().waitFor()
      await untouched(`${form} in a tab`)
      const mail = await follow('Write', page)
      await mail.getByText('ada@example.org', { exact: true }).waitFor()
      assert.equal(await mail.getByRole('link').count(), 0)
      await mail.close()
      await untouched(`${form} in a tab, a link clicked`)
    })

    test(`a ${form} page contacts no third party even without a content security policy and a sandbox`, async () => {
      served = await (await context.request.get(service.url + path())).text()
      await page.goto(bare.origin)
      await page.getByText('the end').first().waitFor()
      await untouched(`${form} without a policy`)
    })
  }

  test('the leave page is accessible on every screen, and does not navigate by itself', async () => {
    const shown = async (address: string, text: string | RegExp): Promise<void> => {
      await page.goto(`${service.url}/leave#${encodeURIComponent(address)}`)
      await page.getByText(text).first().waitFor()
    }
    for (const [name, address, text] of [
      ['leave', link(), /Open 127/],
      [
        'leave-lookalike',
        'https://user:secret@xn--80ak6aa92e.com/a/long/path?with=a&query=and&more=of&it=all',
        /beyond a to z/,
      ],
      ['leave-mail', 'mailto:ada@example.org', 'ada@example.org'],
      ['leave-nowhere', 'javascript:alert(1)', 'leads nowhere'],
    ] as const) {
      await shown(address, text)
      const found = await seriousFindings(page, ({ size, scheme }) => opened.picture(name, `${size}-${scheme}`))
      assert.deepEqual(found, [], name)
    }
    await untouched('the page for leaving')
    // Nor can another site embed it in a frame for clickjacking.
    const { headers } = await fetch(`${service.url}/leave`)
    assert.match(headers.get('content-security-policy')!, /frame-ancestors 'none'/)
    assert.equal(headers.get('x-frame-options'), 'DENY')
  })

  test('the original pages, opened unprotected, do contact the third party', async () => {
    const unguarded = await browser.newContext()
    await (await unguarded.newPage()).goto(`${news.origin}/stays`)
    await until('the third party to be reached in many ways', async () => new Set(third.asked).size >= 20)
    await unguarded.close()
  })
})

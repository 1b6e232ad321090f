import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { inspected } from './accessibility-checks.ts'
import { type Account, createAccount } from './account.ts'
import { useStage, type Visit, visit, withoutBrowser } from './browser.ts'
import { turnPage } from './in-page.ts'

/** Part of the page's title, as long as in real titles. */
const harbour = '/all-that-is-new-in-the-harbour-of-the-town-and-on-the-piers-around-it-day-by-day/harbour'

/** How to reach a state of a page from any other. */
type State = { name: string; path: string; ready: string | RegExp; next?: (page: Page) => Promise<unknown> }

const signedOut: State[] = [{ name: 'set-up', path: '/setup', ready: 'Create the first account' }]
const signedOutLater: State[] = [{ name: 'sign-in', path: '/sign-in', ready: 'No account yet?' }]

const nothingYet: State[] = [
  { name: 'welcome', path: '/welcome', ready: 'Paste an address' },
  { name: 'inbox-empty', path: '/inbox', ready: 'Nothing here yet' },
  { name: 'watches-empty', path: '/watches', ready: 'No watches yet' },
  { name: 'profiles-empty', path: '/profiles', ready: 'No profiles yet' },
  { name: 'notifications-empty', path: '/settings/notifications', ready: 'No channels yet' },
  { name: 'search-empty', path: '/search', ready: 'What are you looking for?' },
  { name: 'missing', path: '/nowhere', ready: "This page doesn't exist" },
]

const toolbar = (page: Page) => page.getByRole('toolbar', { name: 'This item' }).waitFor()

const openAddresses = (page: Page) => page.getByText('Addresses', { exact: true }).click()

async function chooseKind(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add a channel' }).click()
  await page.getByRole('button', { name: /^Microsoft Teams/ }).waitFor()
}

function withItems(ids: { item: number; document: number; watch: number; profile: string }): State[] {
  const { item, document, watch, profile } = ids
  const ofDocument = (tab: string, ready: string | RegExp): State => ({
    name: `document-${tab}`,
    path: `/documents/${document}?tab=${tab}`,
    ready,
  })
  return [
    { name: 'inbox', path: '/inbox?state=all', ready: 'this week' },
    { name: 'inbox-open', path: `/inbox?state=all&id=${item}`, ready: 'Why did I get this?', next: toolbar },
    {
      name: 'inbox-chosen',
      path: '/inbox?state=all',
      ready: 'this week',
      next: async (page) => {
        await page.locator('.inbox-row').getByRole('checkbox').first().check()
        await page.getByText('1 selected').waitFor()
      },
    },
    { name: 'watches', path: '/watches', ready: 'Page /town' },
    { name: 'watch', path: `/watches?watch=${watch}`, ready: 'Recent checks' },
    { name: 'import', path: '/watches?import=1', ready: 'Import watches' },
    { name: 'profiles', path: '/profiles', ready: 'Harbour news' },
    { name: 'profile', path: `/profiles/${profile}`, ready: /Would have matched/ },
    { name: 'profile-xml', path: `/profiles/${profile}?view=xml`, ready: 'Profile as XML' },
    { name: 'profile-new', path: '/profiles/new', ready: 'What to watch' },
    { name: 'search', path: '/search?q=harbour', ready: /results? in/ },
    ofDocument('diff', /^\d+ changes?$/),
    ofDocument('sides', /^Before ·/),
    ofDocument('merged', /what it replaced/),
    ofDocument('text', 'this week'),
    ofDocument('page', 'Side by side'),
    ofDocument('links', 'pier'),
    ofDocument('about', 'Digest'),
    {
      name: 'activity',
      path: '/activity',
      ready: 'Crawl graph',
      next: async (page) => {
        await page.getByRole('button', { name: 'Show graph' }).click()
        await page.getByText('Pages as a list').click()
      },
    },
    ...['account', 'appearance', 'sessions', 'tokens', 'shortcuts', 'users'].map((part) => ({
      name: `settings-${part}`,
      path: `/settings?part=${part}`,
      ready: /Your account|Follows your device|Where you're|No tokens yet|Single-key|Add user/,
    })),
    {
      name: 'channels',
      path: '/settings/notifications',
      ready: 'Pager',
      next: openAddresses,
    },
    { name: 'channel-kinds', path: '/settings/notifications', ready: 'Pager', next: chooseKind },
    ...['Email', 'Webhook', 'SMS', 'Matrix', 'Feed'].map((kind) => ({
      name: `channel-new-${kind.toLowerCase()}`,
      path: '/settings/notifications',
      ready: 'Pager',
      next: async (page: Page) => {
        await chooseKind(page)
        await page
          .getByRole('dialog')
          .getByRole('button', { name: new RegExp(`^${kind}`) })
          .click()
        await page.getByRole('button', { name: 'Add channel' }).waitFor()
      },
    })),
    {
      name: 'profile-delivery',
      path: `/profiles/${profile}`,
      ready: 'Pager (off)',
      next: async (page) => {
        await page.getByLabel('Pager (off)').check()
        await page.getByLabel('How often').selectOption('weekly')
        await page.getByText('Quiet hours, limits and escalation').click()
        await page.getByRole('switch', { name: 'Own quiet hours' }).check()
        await page.getByRole('switch', { name: "If it isn't read in time" }).check()
        await page.getByLabel('If its urgency is').waitFor()
        // The preview is pale while it is out of date.
        await page.locator('.profiles-preview-behind').waitFor({ state: 'detached' })
      },
    },
    // Last: it stays open over the next view.
    {
      name: 'help',
      path: '/inbox?state=all',
      ready: 'this week',
      next: async (page) => {
        await page.keyboard.press('?')
        await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
      },
    },
  ]
}

const ships = 'Ships come into the harbour of the town every morning, and leave it in the evening.'

describe('every view is accessible', { skip: withoutBrowser }, () => {
  const stage = useStage({
    '/town': { words: ships, links: ['/pier', '/market'] },
    [harbour]: { words: ships, links: ['/pier'] },
  })
  let me: Account
  let visitor: Visit

  before(async () => {
    visitor = await visit(stage.browser, 'desktop', { permitted: /401/ })
    visitor.page.setDefaultTimeout(15_000)
  })

  async function inspect(states: readonly State[]): Promise<void> {
    const { page } = visitor
    const found: string[] = []
    for (const { name, path, ready, next } of states) {
      // A different view needs no page load; the same view in another state does.
      const isOther = page.url().startsWith(stage.service.url) && new URL(page.url()).pathname !== path.split('?', 1)[0]
      await (isOther ? turnPage(page, path) : page.goto(stage.service.url + path))
      await page.getByText(ready).first().waitFor()
      await next?.(page)
      found.push(...(await inspected(visitor, name)))
    }
    assert.deepEqual(found, [])
  }

  test('before the first account exists', () => inspect(signedOut))

  test('signed out, and signed in with no data yet', async () => {
    me = await createAccount(stage.service, 'Ada')
    await inspect(signedOutLater)
    await me.enter(visitor.context)
    await visitor.page.goto(stage.service.url)
    await inspect(nothingYet)
  })

  test('with watches, annotations and documents', async () => {
    const interests = {
      keywords: [
        { key: 'harbour', weight: 3 },
        { key: 'festival', weight: 2 },
      ],
      threshold: 2,
    }
    const { id: profile } = await me.watch(stage.news.origin + harbour, { name: 'Harbour news', interests, urgency: 2 })
    await me.watch(`${stage.news.origin}/town`)
    await me.watch(`${stage.news.origin}/lost`)
    await me.visited()
    const words = 'The harbour celebrates a festival this week. Ships come into the harbour of the town every morning.'
    stage.news.pages[harbour] = { words, links: ['/pier'] }
    stage.news.pages['/town'] = { words, links: ['/pier', '/market'] }
    await me.checkAll()
    const changed = await me.changes(2)
    const { id: item, document } = changed.find(({ url }) => url.endsWith(harbour))!
    const watch = (await me.sources()).find(({ uri }) => uri.endsWith('/lost'))!.id
    const add = (kind: string, name: string, settings: object) =>
      me.ask<{ id: string }>('POST', '/channels', { kind, name, settings })
    await add('feed', 'Reader', { profile })
    await add('webhook', 'A webhook with a name as long as names of channels are', {
      url: 'https://hooks.example.org/',
    })
    const { id: pager } = await add('gotify', 'Pager', { url: 'https://push.example.org', token: 'secret' })
    await me.ask('PATCH', `/channels/${pager}`, { state: 'off' })
    await inspect(withItems({ item, document, watch, profile }))
  })
})

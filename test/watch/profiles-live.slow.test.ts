import assert from 'node:assert/strict'
import { test } from 'node:test'
import { profileOf, sourceOf, until } from './up-run.ts'
import { type Watching, withWatching } from './watching.ts'

/** Checked twice a second, as a clock for how long a profile change may take. */
const tickerPages = { '/': { words: 'tick' } }
const SOON = 4

function tickerOf({ sites }: Watching) {
  const ticker = sites[1]!
  return {
    profile: profileOf('ticker', 'tick@example.org', [sourceOf(`${ticker.origin}/`)], { nothing: 1 }),
    /** Waits for this many more checks. */
    async passes(checks: number): Promise<void> {
      const from = ticker.asked('/')
      await until(`${checks} ticks`, () => ticker.asked('/') >= from + checks)
    },
    /** Asserts that something happens within a few checks. */
    async sees(what: string, holds: () => boolean): Promise<void> {
      const from = ticker.asked('/')
      await until(what, holds)
      const passed = ticker.asked('/') - from
      assert.ok(passed <= SOON, `${what} after ${passed} checks`)
    },
  }
}

const ann = 'ann@example.org'

const quickProfile = (origin: string) =>
  profileOf('java', ann, [sourceOf(`${origin}/`, { everyMs: 200, everyMaxMs: 200 })], { java: 1 })

test('a new profile is watched immediately, and later changes to it take effect', async () => {
  const pages = { '/': { words: 'java', links: ['/more'] }, '/more': { words: 'java' } }
  await withWatching({ pages: [pages, tickerPages] }, async (watching) => {
    const { news, put, begin, notified } = watching
    const ticker = tickerOf(watching)
    await put(ticker.profile)
    begin()
    await ticker.passes(1)
    await put(profileOf('java', ann, [sourceOf(`${news.origin}/`)], { java: 1 }))
    await ticker.sees('the new source', () => news.asked('/') > 0)
    await watching.checked()
    assert.equal(news.asked('/more'), 0)
    assert.deepEqual(await notified(), ['ann java / new'])

    await put(profileOf('java', ann, [sourceOf(`${news.origin}/`, { depth: 1 })], { java: 1 }))
    await ticker.sees('the deeper page', () => news.asked('/more') > 0)
    await watching.checked()

    await put(profileOf('java', ann, [sourceOf(`${news.origin}/`, { depth: 1 })], { tea: 1 }))
    await ticker.passes(2)
    news.pages['/'] = { ...news.pages['/'], words: 'java still' }
    await watching.checked(2)
    news.pages['/'] = { ...news.pages['/'], words: 'tea' }
    await watching.checked(2)
    const last = (await watching.annotations()).at(-1)!
    assert.deepEqual([last.n, last.kind, last.summary.text.includes('tea')], [3, 'changed', true])
    assert.equal((await notified()).filter((line) => line.includes(' / ')).length, 2, 'java alone no longer matches')
  })
})

test('a page that a profile change brings into scope is reported', async () => {
  const pages = { '/': { words: 'java', links: ['/more'] }, '/more': { words: 'java' } }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, notified }) => {
    await put(profileOf('java', ann, [sourceOf(`${news.origin}/`)], { java: 1 }))
    begin()
    await checked(2)
    await put(profileOf('java', ann, [sourceOf(`${news.origin}/`, { depth: 1 })], { java: 1 }))
    await checked(3)
    assert.deepEqual(await notified(), ['ann java / new', 'ann java /more new'])
  })
})

test('a paused profile is neither checked nor notified, and catches up when resumed', async () => {
  await withWatching({ pages: [{ '/': { words: 'java one' } }, tickerPages] }, async (watching) => {
    const { news, put, begin, notified } = watching
    const ticker = tickerOf(watching)
    const profile = quickProfile(news.origin)
    await put(ticker.profile, profile)
    begin()
    await watching.checked()
    await put({ ...profile, paused: true })
    await ticker.passes(SOON)
    const asked = news.asked('/')
    news.pages['/'] = { words: 'java two' }
    await ticker.passes(SOON)
    news.pages['/'] = { words: 'java three' }
    assert.equal(news.asked('/'), asked)
    await put(profile)
    await ticker.sees('the check after the pause', () => news.asked('/') > asked)
    await watching.checked(2)
    assert.deepEqual(await notified(), ['ann java / new', 'ann java / changed'])
    const [, change] = await watching.annotations()
    assert.equal(change!.backlog, false)
    assert.match(change!.summary.text, /java one → three/)
  })
})

test('a removed profile is no longer checked, and its annotations remain', async () => {
  await withWatching({ pages: [{ '/': { words: 'java one' } }, tickerPages] }, async (watching) => {
    const { news, put, begin, notified } = watching
    const ticker = tickerOf(watching)
    const profile = quickProfile(news.origin)
    await put(ticker.profile, profile)
    begin()
    await watching.checked()
    await watching.profiles.remove(['java'])
    await ticker.passes(SOON)
    const asked = news.asked('/')
    news.pages['/'] = { words: 'java two' }
    await ticker.passes(SOON)
    assert.equal(news.asked('/'), asked)
    assert.deepEqual(await notified(), ['ann java / new'])
    await put(profile)
    await ticker.sees('the check after it came back', () => news.asked('/') > asked)
    await watching.checked(2)
    assert.deepEqual(await notified(), ['ann java / new', 'ann java / changed'])
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startErace } from '../kit/erace.ts'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf } from './up-run.ts'
import { withWatching } from './watching.ts'

const [ann, bob, cat] = ['ann@example.org', 'bob@example.org', 'cat@example.org']

test('gone and back notify users who were notified of the page, and those who track every change', async () => {
  const pages: Record<string, ChangingPage> = {
    '/': { words: 'front', links: ['/java', '/tea'] },
    '/java': { words: 'java' },
    '/tea': { words: 'tea' },
  }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, notified, annotations }) => {
    const source = sourceOf(`${news.origin}/`, { depth: 1 })
    await put(
      profileOf('java', ann, [source], { java: 1 }),
      profileOf('all', bob, [{ ...source, process: 'track' }], {}),
    )
    begin()
    await checked()
    const java = pages['/java']!
    delete pages['/java']
    delete pages['/tea']
    await checked(2)
    pages['/java'] = java
    pages['/tea'] = { words: 'tea and java' }
    await checked(2)
    const lines = (await notified()).filter((line) => !line.includes(' / '))
    assert.deepEqual(
      lines.filter((line) => line.startsWith('ann')).sort(),
      ['back', 'gone', 'new'].map((kind) => `ann java /java ${kind}`).concat('ann java /tea back'),
    )
    assert.deepEqual(
      lines.filter((line) => line.startsWith('bob')).sort(),
      ['/java', '/tea'].flatMap((path) => ['back', 'gone', 'new'].map((kind) => `bob all ${path} ${kind}`)),
    )
    const gone = (await annotations()).find(({ kind, profile }) => kind === 'gone' && profile === 'java')!
    assert.match(gone.summary.text, /404/)
    assert.equal(gone.backlog, false)
  })
})

test('the summary for a tracked page is its change, and archive sources do not notify', async () => {
  const pages: Record<string, ChangingPage> = { '/': { words: 'the price is ten today' } }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, annotations, query }) => {
    const uri = `${news.origin}/`
    await put(
      profileOf('track', ann, [sourceOf(uri, { process: 'track' })], {}),
      profileOf('archive', bob, [sourceOf(uri, { process: 'archive' })], { price: 1 }),
    )
    begin()
    await checked()
    pages['/']!.words = 'the price is eleven today'
    await checked(2)
    const all = await annotations()
    assert.deepEqual(
      all.map(({ profile, kind }) => `${profile} ${kind}`),
      ['track new', 'track changed'],
    )
    const { summary, explanation, changes } = all[1]!
    assert.equal(summary.text, 'the price is ten → eleven today')
    assert.deepEqual(
      summary.parts?.filter(({ kind }) => kind === 'removed' || kind === 'added').map(({ text }) => text),
      ['ten', 'eleven'],
    )
    assert.deepEqual(
      changes.list.map(({ before, after }) => [before, after]),
      [['the price is ten today', 'the price is eleven today']],
    )
    assert.deepEqual(explanation, { tracked: true })
    assert.deepEqual(
      query('SELECT body, wanted FROM versions').map(({ body, wanted }) => `${body} ${wanted}`),
      ['kept 1', 'kept 1'],
    )
  })
})

test('garbage collection keeps archived versions, and drops unwanted ones without new reports', async () => {
  const pages: Record<string, ChangingPage> = {
    '/': { words: 'front', links: ['/java', '/dull', '/kept/page'] },
    '/java': { words: 'java' },
    '/dull': { words: 'nothing to see' },
    '/kept/page': { words: 'nothing to see either' },
  }
  await withWatching({ pages: [pages] }, async (watching) => {
    const { news, put, begin, checked, notified, query, data } = watching
    const source = sourceOf(`${news.origin}/`, { depth: 1 })
    const keeping = { ...source, process: 'archive', scope: { kind: 'pattern', source: '/kept/' } } as const
    await put(profileOf('java', ann, [source], { java: 1 }), profileOf('keep', cat, [keeping], {}))
    // No full checks, however many checks there are meanwhile.
    begin({ ERACE_CRAWL_FULLCHECKAFTER: '0' })
    await checked()
    const states = () =>
      query(
        `SELECT d.url, v.n, v.body, v.wanted FROM versions v JOIN documents d ON d.id = v.document ORDER BY d.url, v.n`,
      ).map(({ url, n, body, wanted }) => `${new URL(String(url)).pathname}@${n} ${body} ${wanted}`)
    // The source's own page is kept for every profile that names it, including archives.
    const before = ['/@1 kept 1', '/dull@1 kept 0', '/java@1 kept 1', '/kept/page@1 kept 1']
    assert.deepEqual(states(), before)
    const gc = await startErace(['gc', '--data', data, '--json']).ended
    assert.equal(gc.exitCode, 0, gc.stderr)
    const after = before.map((line) => line.replace('kept 0', 'dropped 0'))
    assert.deepEqual(states(), after)
    await checked(2)
    assert.deepEqual(states(), after, 'nothing has changed')
    const whole = news.answers.filter(({ path, status }) => path === '/dull' && status === 200)
    assert.equal(whole.length, 1, 'a page without a stored body is still revalidated')
    pages['/dull']!.words = 'java at last'
    await checked(2)
    assert.deepEqual(await notified(), ['ann java /java new', 'ann java /dull changed'])
    assert.ok(states().includes('/dull@2 kept 1'))
  })
})

test('an unwanted version becomes wanted once another source archives its page', async () => {
  const pages: Record<string, ChangingPage> = {
    '/a': { words: 'a', links: ['/dull'] },
    '/b': { words: 'b', links: ['/dull'] },
    '/dull': { words: 'nothing to see' },
  }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, query }) => {
    const wanted = () =>
      query(
        `SELECT v.wanted FROM versions v JOIN documents d ON d.id = v.document WHERE d.url = '${news.origin}/dull'`,
      ).map((row) => row.wanted)
    await put(profileOf('java', ann, [sourceOf(`${news.origin}/a`, { depth: 1 })], { java: 1 }))
    begin()
    await checked()
    assert.deepEqual(wanted(), [0])
    await put(profileOf('keep', cat, [sourceOf(`${news.origin}/b`, { depth: 1, process: 'archive' })], {}))
    await checked(2)
    assert.deepEqual(wanted(), [1])
  })
})

/** Long enough for near-duplicate detection. */
const article = `java research at a small institute has found that gardens with many different flowers are visited by far
  more kinds of bees than lawns which are cut each week and that the effect lasts well into the late autumn months`

test('the same article on several hosts creates one annotation that lists all URLs', async () => {
  // The same words in other markup, and an identical page.
  const pages = [{ '/': { words: article } }, { '/': { words: `<b>${article}</b>` } }, { '/': { words: article } }]
  await withWatching({ pages, addresses: ['127.0.0.1', '127.0.0.2', '127.0.0.3'] }, async (watching) => {
    const { sites, put, begin, checked, annotations } = watching
    await put(
      profileOf(
        'java',
        ann,
        sites.map(({ origin }) => sourceOf(`${origin}/`)),
        { java: 1 },
      ),
      profileOf('second', bob, [sourceOf(`${sites[1]!.origin}/`)], { java: 1 }),
    )
    begin()
    await checked(2)
    const all = await annotations()
    const ofAnn = all.filter(({ owner }) => owner === ann)
    assert.equal(ofAnn.length, 1)
    assert.deepEqual([ofAnn[0]!.url, ...ofAnn[0]!.alsoAt].sort(), sites.map(({ origin }) => `${origin}/`).sort())
    const ofBob = all.filter(({ owner }) => owner === bob)
    assert.deepEqual(
      ofBob.map(({ url, alsoAt }) => [url, alsoAt]),
      [[`${sites[1]!.origin}/`, []]],
      'a profile with one of the sources gets only that page',
    )
  })
})

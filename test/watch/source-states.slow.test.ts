import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { apiOf, signIn } from '../kit/service.ts'
import { newFolder } from '../site/crawl-run.ts'
import { type ChangingPage, type ChangingPages, createChangingPages } from '../site/handler-site.ts'
import { createUpFolder, profileOf, sourceOf, type UpFolder, until } from './up-run.ts'

const ann = 'ann@example.org'

type Row = {
  id: number
  uri: string
  state: string
  message: string
  since: string | null
  status: number
  outcome: string
  title: string
  failing: boolean
  unread: number
  document: number | null
}

type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; json: Record<string, unknown> }>

/** Runs `erace up` on a folder with its owner signed in, and stops it. */
async function withApi(site: ChangingPages, work: (folder: UpFolder, call: Call) => Promise<void>) {
  const folder = await createUpFolder(newFolder())
  const account = { email: ann, password: 'a long enough password' }
  const { ready, stop } = folder.start({
    ERACE_CRAWL_MAXATTEMPTS: '1',
    ERACE_ADMIN_EMAIL: account.email,
    ERACE_ADMIN_PASSWORD: account.password,
  })
  try {
    const { url } = await ready<{ url: string }>()
    const api = apiOf(() => url)
    const cookie = await signIn(api, account)
    await work(folder, async (method, path, body) => {
      const answer = await api(path, { method, cookie, ...(body === undefined ? {} : { body }) })
      const text = await answer.text()
      return { status: answer.status, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
    })
    const { exitCode, stderr } = await stop()
    assert.equal(exitCode, 0, stderr.slice(-2000))
  } finally {
    await stop('SIGKILL')
    folder.close()
    await site.close()
  }
}

/** An origin without a server. */
async function closedOrigin(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

const slow = { everyMs: 3_600_000, everyMaxMs: 3_600_000 }

test('the state and message of a source show the kind of its last result', async () => {
  const pages: Record<string, ChangingPage> = {
    '/robots.txt': { words: '\nUser-agent: *\nDisallow: /hidden\n' },
    '/same': { words: 'always the same' },
    '/moving': { words: 'first' },
    '/tea': { words: 'tea' },
    '/coffee': { words: 'coffee' },
    '/private': { status: 401 },
    '/closed': { status: 403 },
    '/broken': { status: 500 },
    '/hidden': { words: 'hidden' },
  }
  const site = await createChangingPages(pages)
  const closed = await closedOrigin()
  await withApi(site, async ({ put, watches }, api) => {
    const rows = async () => (await api('GET', '/sources?limit=200')).json.items as Row[]
    const stateOf = async (uri: string) => (await rows()).find((row) => row.uri === uri)
    const paths = Object.keys(pages).filter((path) => path !== '/robots.txt' && path !== '/coffee')
    const uris = [...paths, '/missing'].map((path) => `${site.origin}${path}`)
    await put(
      ...uris.map((uri) => profileOf(uri.slice(-6), ann, [sourceOf(uri, { process: 'track', ...slow })], {})),
      profileOf('refused', ann, [sourceOf(`${closed}/`, { process: 'track', ...slow })], {}),
      profileOf('address', ann, [sourceOf('http://10.1.2.3/', { process: 'track', ...slow })], {}),
      profileOf('java', ann, [sourceOf(`${site.origin}/coffee`, { process: 'filter', ...slow })], { java: 1 }),
    )
    const isOver = async () => (await watches.all()).every(({ round, checkedAt }) => round > 0 && checkedAt >= round)
    await until('first checks', isOver)
    // The second check of a page finds it unchanged.
    const again = await stateOf(`${site.origin}/same`)
    assert.equal((await api('POST', `/sources/${again!.id}/check`)).status, 202)
    await until('another check', async () => (await stateOf(again!.uri))!.state === 'unchanged')
    pages['/moving'] = { words: 'second' }
    const moving = await stateOf(`${site.origin}/moving`)
    await api('POST', '/sources/check', { ids: [moving!.id] })
    await until('the change', async () => (await stateOf(moving!.uri))!.unread === 1)
    await until('all to be quiet', async () => (await rows()).every(({ state }) => !/checking|queued/.test(state)))

    const byPath = Object.fromEntries((await rows()).map((row) => [row.uri.replace(site.origin, ''), row]))
    const states = Object.entries(byPath).map(
      ([path, { state, status, outcome }]) => `${path} ${state} ${status} ${outcome}`,
    )
    assert.deepEqual(
      states.sort(),
      [
        '/broken failing 500 failed: http-server-error',
        '/closed blocked-by-site 403 failed: http-client-error',
        '/hidden blocked-by-robots 0 skipped: robots',
        '/missing not-found 404 failed: http-client-error',
        '/moving changed 200 changed',
        '/private sign-in-failed 401 failed: http-client-error',
        '/same unchanged 304 unchanged',
        '/tea unchanged 200 changed',
        '/coffee nothing-matched 200 changed',
        'http://10.1.2.3/ refused 0 skipped: address',
        `${closed}/ failing 0 failed: connect-refused`,
      ].sort(),
    )
    assert.match(byPath['/hidden']!.message, /robots\.txt of 127\.0\.0\.1:\d+ doesn't allow fetching this page/)
    assert.match(byPath['/hidden']!.since!, /^\d{4}-\d\d-\d\dT/)
    assert.match(byPath[`${closed}/`]!.message, /nothing listens on that address/)
    assert.match(byPath['/broken']!.message, /responds with an error \(status 500\)/)
    const troubles = Object.values(byPath).filter(({ failing }) => failing)
    assert.equal(new Set(troubles.map(({ message }) => message)).size, 7)
    assert.equal(byPath['/same']!.title, 'Page /same')
    const { counts } = (await api('GET', '/sources?state=failing&limit=1')).json as { counts: Record<string, number> }
    assert.deepEqual([counts.all, counts.failing, counts.matching, counts.unread], [11, 7, 7, 1])
    const detail = (await api('GET', `/sources/${moving!.id}`)).json as {
      checks: { outcome: string; changed: number }[]
    }
    assert.deepEqual(
      detail.checks.map(({ outcome, changed }) => [outcome, changed]),
      [
        ['changed', 1],
        ['changed', 1],
      ],
    )
  })
})

test('a paused source is not fetched, a muted one is fetched without notifications', async () => {
  const pages: Record<string, ChangingPage> = { '/one': { words: 'one' }, '/two': { words: 'two' } }
  const site = await createChangingPages(pages)
  await withApi(site, async ({ put, watches }, api) => {
    const rows = async () => (await api('GET', '/sources')).json.items as Row[]
    const source = (path: string) => sourceOf(`${site.origin}${path}`, { process: 'track' })
    await put(profileOf('both', ann, [source('/one'), source('/two')], {}))
    const inbox = async (state: string) =>
      (await api('GET', `/annotations?state=${state}`)).json.items as { url: string }[]
    await until('both baselines', async () => (await inbox('all')).length === 2)
    assert.deepEqual(await inbox('unread'), [])
    const idOf = async (path: string) => (await rows()).find(({ uri }) => uri.endsWith(path))!.id
    await api('PATCH', `/sources/${await idOf('/one')}`, { paused: true })
    await api('PATCH', `/sources/${await idOf('/two')}`, { muted: true })
    const roundOf = async (path: string) => (await watches.all()).find(({ uri }) => uri.endsWith(path))!
    const from = (await roundOf('/two')).round
    await until('the marks to take effect', async () => (await roundOf('/two')).round > from)
    pages['/one'] = { words: 'one is new' }
    pages['/two'] = { words: 'two is new' }
    await until('the muted one in the archive', async () => (await inbox('archived')).length === 1)
    const [archived] = await inbox('archived')
    assert.equal(archived!.url, `${site.origin}/two`)
    assert.deepEqual(await inbox('unread'), [])
    assert.deepEqual((await rows()).map(({ uri, state }) => [uri.slice(-4), state === 'paused']).sort(), [
      ['/one', true],
      ['/two', false],
    ])
    const paused = await api('POST', `/sources/${await idOf('/one')}/check`)
    assert.equal(paused.json.result, 'paused')
    await api('PATCH', '/sources?state=paused', { paused: false })
    await until('the change of the resumed source', async () => (await inbox('unread')).length === 1)
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Service, signIn, startCluster, startUp } from '../kit/service.ts'
import { type Account, accountOf, createAccount } from '../pages/account.ts'
import { createChangingPages } from '../site/handler-site.ts'

const password = 'a long enough password'
const mark = 'xyzzyplugh'
const secretPath = `/drafts?token=${mark}`
/** Of the secret page, of what only it links to, and of the user's own words. */
const secrets = [mark, 'quokka', 'wombat', 'numbat', '/from-secret']

type Found = {
  paths: Record<string, Record<string, { parameters?: { name: string; in: string; required?: boolean }[] }>>
}

async function addUser(service: Service, root: Account, email: string): Promise<Account> {
  await root.ask('POST', '/users', { email, password })
  return accountOf(service, await signIn(service.api, { email, password }))
}

/** The addresses of a new feed of the whole inbox, by format. */
async function feedsOf(user: Account): Promise<Record<string, string>> {
  const feed = { kind: 'feed', name: 'everything' }
  return (await user.ask<{ feedUrls: Record<string, string> }>('POST', '/channels', feed)).feedUrls
}

/** Every answer to a GET of the API that this user can get, by its path. */
async function sweep(service: Service, user: Account, urls: readonly string[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const get = async (path: string): Promise<string> => {
    const response = await service.api(path, { cookie: user.cookie })
    const text = await response.text()
    answers.set(path, text)
    return text
  }
  const { paths } = JSON.parse(await get('/openapi.json')) as Found
  const routes = Object.keys(paths).flatMap((path) =>
    paths[path]!.get === undefined ? [] : path.replace('/api/v1', ''),
  )
  for (const route of routes) {
    if (route.includes('{') || route === '/events' || route === '/openapi.json') continue
    await get(route)
    for (const limit of ['?limit=200', '?limit=100']) await get(`${route}${limit}`)
  }
  for (const word of [...secrets, 'page', 'public']) {
    await get(`/search?q=${encodeURIComponent(word)}`)
    await get(`/annotations?q=${encodeURIComponent(word)}&state=all`)
    await get(`/sources?q=${encodeURIComponent(word)}`)
  }
  await get('/search?q=site:127.0.0.1')
  for (const url of urls) {
    await get(`/documents?url=${encodeURIComponent(url)}`)
    await get(`/explain?url=${encodeURIComponent(url)}`)
  }
  for (const format of ['opml', 'list', 'xml']) await get(`/sources/export?format=${format}`)
  for (const format of ['json', 'xml', 'text', 'wml', 'html']) await get(`/annotations?state=all&format=${format}`)
  for (const [format, url] of Object.entries(await feedsOf(user)))
    answers.set(`feed as ${format}`, await (await fetch(url)).text())
  // Ids are numbers in a row: those of others are tried as well.
  for (let id = 1; id <= 60; id++) {
    for (const route of routes) if (route.includes('{id}')) await get(route.replace('{id}', `${id}`))
    const part = { method: 'POST', cookie: user.cookie, body: { select: ['body'] } }
    answers.set(`part of ${id}`, await (await service.api(`/documents/${id}/select`, part)).text())
  }
  return answers
}

for (const [name, start] of [
  ['one process', startUp],
  ['a cluster', startCluster],
] as const)
  describe(`tenants of ${name}`, () => {
    test('nothing of an unlinked page that one user watches reaches another who watches the same host', async () => {
      const news = await createChangingPages({
        '/': { words: 'public page', links: ['/public'] },
        '/public': { words: 'public page of everybody' },
        [secretPath]: { words: 'quokka public page of everybody', links: ['/public', '/from-secret'] },
        '/from-secret': { words: 'wombat' },
      })
      const service = await start()
      try {
        const root = await createAccount(service)
        const ann = await addUser(service, root, 'ann@example.org')
        const bob = await addUser(service, root, 'bob@example.org')
        const source = (path: string, scope: string) => ({
          sources: [{ uri: `${news.origin}${path}`, every: '1s', depth: 3, scope, process: 'track' }],
        })
        await ann.ask('POST', '/profiles', { name: 'numbat', ...source(secretPath, 'host') })
        await ann.visited()
        const events = collect(await fetch(`${service.url}/api/v1/events`, { headers: { cookie: bob.cookie } }))
        for (const scope of ['host', 'domain', '.*', 'path'])
          for (const path of ['/', '/public'])
            await bob.ask('POST', '/profiles', { name: `${scope} ${path}`, ...source(path, scope) })
        await bob.visited()
        // A change of the secret page while both watch.
        news.pages[secretPath] = { words: 'quokka and a second quokka', links: ['/public', '/from-secret'] }
        await ann.checkAll()
        await bob.checkAll()
        await ann.changes(1)
        const draft = { ...source('/', '.*'), interests: { keywords: [{ key: 'quokka', weight: 1 }], threshold: 1 } }
        const preview = await bob.ask('POST', '/profiles/preview', { name: 'p', ...draft })
        const urls = [...Object.keys(news.pages)].map((path) => `${news.origin}${path}`)
        const own = await sweep(service, ann, urls)
        const seen = [...own.values()].join('\n')
        for (const secret of secrets) assert.ok(seen.includes(secret), `the sweep as their owner finds ${secret}`)
        for (const format of ['atom', 'rss', 'json'])
          assert.ok(own.get(`feed as ${format}`)!.includes(mark), `her own feed as ${format} has her page`)
        const answers = await sweep(service, bob, urls)
        answers.set('preview', JSON.stringify(preview))
        await events.cancel()
        assert.match(events.text, /event: /)
        answers.set('events', events.text)
        assert.match(answers.get('/search?q=public')!, /"url":"[^"]*\/public"/)
        const leaks = [...answers].flatMap(([path, text]) =>
          secrets.filter((secret) => withoutAsked(text, path).includes(secret)).map((secret) => `${path}: ${secret}`),
        )
        assert.deepEqual(leaks, [])
      } finally {
        await service.destroy()
        await news.close()
      }
    })
  })

/** Answers may repeat what was asked. */
function withoutAsked(text: string, path: string): string {
  const asked = [...new URLSearchParams(path.split('?')[1] ?? '').values()]
  return asked.reduce((rest, value) => rest.replaceAll(JSON.stringify(value).slice(1, -1), ''), text)
}

/** What has come on a stream so far. */
function collect({ body }: Response): { text: string; cancel(): Promise<void> } {
  const reader = body!.getReader()
  const decoder = new TextDecoder()
  const collected = { text: '', cancel: () => reader.cancel() }
  const read = async (): Promise<void> => {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      collected.text += decoder.decode(next.value, { stream: true })
  }
  void read()
  return collected
}

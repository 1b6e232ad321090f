import { type Account, accountOf } from '../pages/account.ts'
import { type Service, signIn } from './service.ts'

const password = 'a long enough password'

type Found = {
  paths: Record<string, Record<string, { parameters?: { name: string; in: string; required?: boolean }[] }>>
}

/** Adds a user as administrator. */
export async function addUser(service: Service, root: Account, email: string): Promise<Account> {
  await root.ask('POST', '/users', { email, password })
  return accountOf(service, await signIn(service.api, { email, password }))
}

/** Creates a feed of the whole inbox; returns its URLs by format. */
async function feedsOf(user: Account): Promise<Record<string, string>> {
  const feed = { kind: 'feed', name: 'everything' }
  return (await user.ask<{ feedUrls: Record<string, string> }>('POST', '/channels', feed)).feedUrls
}

/** The answers to all GET requests of the API for this user, by path. */
export async function sweep(
  service: Service,
  user: Account,
  { urls, words }: { urls: readonly string[]; words: readonly string[] },
): Promise<Map<string, string>> {
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
  for (const word of words) {
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
  // Ids are sequential, so this tries those of other users as well.
  for (let id = 1; id <= 60; id++) {
    for (const route of routes) if (route.includes('{id}')) await get(route.replace('{id}', `${id}`))
    const part = { method: 'POST', cookie: user.cookie, body: { select: ['body'] } }
    answers.set(`part of ${id}`, await (await service.api(`/documents/${id}/select`, part)).text())
  }
  return answers
}

/** Occurrences of the words in answers to requests that don't contain them. */
export function leaksIn(answers: ReadonlyMap<string, string>, words: readonly string[]): string[] {
  return [...answers].flatMap(([path, text]) =>
    words.filter((word) => withoutAsked(text, path).includes(word)).map((word) => `${path}: ${word}`),
  )
}

/** Removes the query's own values, which answers may echo. */
function withoutAsked(text: string, path: string): string {
  const asked = [...new URLSearchParams(path.split('?')[1] ?? '').values()]
  return asked.reduce((rest, value) => rest.replaceAll(JSON.stringify(value).slice(1, -1), ''), text)
}

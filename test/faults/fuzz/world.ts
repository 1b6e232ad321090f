import { type ChangingPages, createChangingPages } from '../../site/handler-site.ts'
import { until } from '../../watch/up-run.ts'
import { type CallerName, operationsOf, type World } from './operations.ts'

type Account = { email: string; password: string }
type Session = Account & { cookie: string; device: string }

export const rootAccount: Account = { email: 'root@example.org', password: 'password of root 5d1e' }
const ann: Account = { email: 'ann@example.org', password: 'password of ann 77c0' }
const bob: Account = { email: 'bob@example.org', password: 'password of bob 90ab' }

/** What only one account may see. */
export type Secret = { owner: 'root' | 'ann' | 'bob'; text: string }

const BOB_PATH = '/bobs-path-e3b0'
const secrets: Secret[] = [
  { owner: 'bob', text: 'bobs-text-c442' },
  { owner: 'bob', text: 'bobs-profile-98fc' },
  { owner: 'bob', text: 'bobs-keyword-1c14' },
  { owner: 'bob', text: BOB_PATH },
  { owner: 'ann', text: 'anns-profile-9afb' },
  { owner: 'root', text: rootAccount.password },
  { owner: 'ann', text: ann.password },
  { owner: 'bob', text: bob.password },
]

/** Only administrators have tokens of the scope `admin`. */
const tokenNames: readonly CallerName[] = ['ann-read', 'ann-write', 'root-read', 'root-write', 'root-admin']

/** The site, the accounts and what they watch; set up through the API, as users do. */
export async function createWorld(url: string) {
  const site = await createSite()
  const sessions = new Map<string, Session>()
  const tokens = new Map<CallerName, string>()
  let held: string[] = []

  async function call(as: Session | undefined, method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(as === undefined ? {} : { cookie: `${as.cookie}; ${as.device}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  /** For what has to succeed. */
  async function json<T>(name: string, method: string, path: string, body?: unknown): Promise<T> {
    const answer = await call(sessions.get(name), method, path, body)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${name}: ${method} ${path}: ${answer.status} ${text.slice(0, 300)}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }

  async function signIn(name: string, account: Account): Promise<void> {
    const device = sessions.get(name)?.device ?? ''
    const { email, password } = account
    const answer = await call({ ...account, cookie: '', device }, 'POST', '/session', { email, password })
    if (!answer.ok) throw new Error(`${name} can't sign in: ${answer.status} ${await answer.text()}`)
    const [cookie = '', newDevice = ''] = answer.headers.getSetCookie().map((each) => each.split(';', 1)[0]!)
    sessions.set(name, { ...account, cookie, device: newDevice })
  }

  /** Sessions and tokens that requests have ended are made anew. */
  async function restoreCallers(): Promise<void> {
    for (const [name, { email, password }] of sessions) {
      const answer = await call(sessions.get(name), 'GET', '/session')
      if (answer.status === 401) await signIn(name, { email, password })
    }
    for (const name of tokenNames) {
      const answer = await fetch(`${url}/api/v1/session`, {
        headers: { authorization: `Bearer ${tokens.get(name)}` },
      })
      if (answer.status !== 401) continue
      const [owner = '', scope] = name.split('-')
      const { token } = await json<{ token: string }>(owner, 'POST', '/tokens', { name, scopes: [scope] })
      tokens.set(name, token)
    }
    held = [...sessions.values()].map(({ cookie }) => cookie.split('=')[1]!).concat([...tokens.values()])
  }

  await signIn('root', rootAccount)
  for (const account of [ann, bob, { email: 'zoe@example.org', password: 'a text that is long enough' }])
    await json('root', 'POST', '/users', account)
  await signIn('ann', ann)
  await signIn('bob', bob)
  await restoreCallers()

  const profileOf = (name: string, key: string, path: string) => ({
    name,
    sources: [{ uri: `${site.origin}${path}`, every: '1h', depth: path === '/' ? 1 : 0, scope: 'path' }],
    interests: { keywords: [{ key, weight: 2 }], threshold: 1 },
  })
  const createAnns = async (): Promise<string> =>
    (await json<{ id: string }>('ann', 'POST', '/profiles', profileOf('anns-profile-9afb', 'java', '/'))).id
  const bobs = await json<{ id: string }>(
    'bob',
    'POST',
    '/profiles',
    profileOf('bobs-profile-98fc', 'bobs-keyword-1c14', BOB_PATH),
  )
  const profiles = [await createAnns(), bobs.id, 'nothing', '1']
  const lists = (name: string) => ({
    annotations: () => json<{ items: Item[] }>(name, 'GET', '/annotations?state=all&limit=100'),
    sources: () => json<{ items: { id: number }[] }>(name, 'GET', '/sources'),
  })
  await until(
    'the first annotations',
    async () => {
      const found = await Promise.all(
        ['ann', 'bob'].map(async (name) => (await lists(name).annotations()).items.length),
      )
      return found[0]! >= 3 && found[1]! >= 1
    },
    SETUP_MS,
  )
  site.change()
  for (const name of ['ann', 'bob'])
    for (const { id } of (await lists(name).sources()).items) await json(name, 'POST', `/sources/${id}/check`)
  await until(
    'the second annotations',
    async () => {
      const found = await Promise.all(
        ['ann', 'bob'].map(async (name) => (await lists(name).annotations()).items.length),
      )
      return found[0]! >= 4 && found[1]! >= 2
    },
    SETUP_MS,
  )

  const ids = new Map<string, (number | string)[]>()
  for (const name of ['ann', 'bob']) {
    const { items } = await lists(name).annotations()
    add(
      'annotations',
      items.map(({ id }) => id),
    )
    add(
      'documents',
      items.map(({ document }) => document.id),
    )
    add(
      'versions',
      items.map(({ version }) => version.id),
    )
    add(
      'sources',
      (await lists(name).sources()).items.map(({ id }) => id),
    )
  }
  const users = (await json<{ items: { id: number }[] }>('root', 'GET', '/users')).items.map(({ id }) => id)
  add('users', [...users, 5, 6, 7])
  add('tokens', [1, 2, 3, 7, 8, 9])
  add('sessions', [1, 2, 3, 4, 5])
  add('crawl', [1, 2, 3])

  function add(kind: string, more: readonly (number | string)[]): void {
    ids.set(kind, [...new Set([...(ids.get(kind) ?? []), ...more])])
  }

  const world: World = {
    operations: operationsOf(await json('root', 'GET', '/openapi.json')),
    urls: [
      ...['/', '/page-1', '/page-2', '/huge', '/gone'].map((path) => `${site.origin}${path}`),
      'http://nothing.invalid/',
      'http://127.0.0.1:9/',
    ],
    secretUrl: `${site.origin}${BOB_PATH}`,
    profiles,
    accounts: users,
    idFor(path, random) {
      const kind = /\/v1\/(\w+)\/\{/.exec(path)?.[1] ?? ''
      const known = kind === 'profiles' ? profiles : ids.get(kind)
      return known === undefined || random.below(5) === 0 ? undefined : random.pick(known)
    },
  }

  /** What bob has: nobody else can change it. */
  const snapshot = async (): Promise<string> => {
    const profiles = await json<unknown>('bob', 'GET', '/profiles')
    const { items } = await lists('bob').annotations()
    return JSON.stringify({ profiles, annotations: items.filter(({ id }) => ids.get('annotations')!.includes(id)) })
  }
  const before = await snapshot()

  return {
    world,
    restoreCallers,
    secrets: (): Secret[] => [...secrets, ...held.map((text): Secret => ({ owner: 'root', text }))],
    /** Header lines. */
    credentialsOf(name: CallerName): string[] {
      const token = tokens.get(name)
      if (token !== undefined) return [`authorization: Bearer ${token}`]
      const session = sessions.get(name)
      return session === undefined ? [] : [`cookie: ${session.cookie}`]
    },
    /** Undoes what requests have left behind, so that what the service holds stays the same over hours. Returns what is wrong. */
    async tidy(): Promise<string[]> {
      await restoreCallers()
      for (const name of ['ann', 'root']) {
        await json(name, 'DELETE', '/sources', {})
        const { items: kept } = await json<{ items: { id: number; name: string }[] }>(name, 'GET', '/tokens')
        for (const { id, name: label } of kept)
          if (!tokens.has(label as CallerName)) await json(name, 'DELETE', `/tokens/${id}`)
      }
      profiles[0] = await createAnns()
      const { items } = await json<{ items: { id: number }[] }>('root', 'GET', '/users?limit=200')
      for (const { id } of items) if (!users.includes(id)) await json('root', 'DELETE', `/users/${id}`)
      await json('root', 'PATCH', '/crawl', { paused: false })
      const faults: string[] = []
      const readiness = await fetch(`${url}/readyz`)
      if (readiness.status !== 200)
        faults.push(`not ready: ${readiness.status} ${(await readiness.text()).slice(0, 300)}`)
      if ((await snapshot()) !== before)
        faults.push(`what bob has was changed: ${await snapshot()} instead of ${before}`)
      return faults
    },
    close: site.close,
  }
}

const SETUP_MS = 120_000

type Item = { id: number; document: { id: number }; version: { id: number } }

async function createSite(): Promise<ChangingPages & { change(): void }> {
  const pages: ChangingPages['pages'] = {
    '/': { words: 'java research edition 1', links: ['/page-1', '/page-2', '/gone'] },
    '/page-1': { words: 'java one' },
    '/page-2': { words: `java two ${'and more words of it '.repeat(300)}` },
    '/huge': { words: 'java research '.repeat(100_000) },
    [BOB_PATH]: { words: 'bobs-keyword-1c14 bobs-text-c442 edition 1' },
  }
  const site = await createChangingPages(pages)
  return {
    ...site,
    change() {
      for (const path of ['/', BOB_PATH]) pages[path]!.words = pages[path]!.words!.replace('edition 1', 'edition 2')
    },
  }
}

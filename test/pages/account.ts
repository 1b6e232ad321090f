import assert from 'node:assert/strict'
import type { BrowserContext } from 'playwright-core'
import type { Annotation, Profile, Source } from '../../ui/src/api/types.ts'
import { cookieOf, type Service } from '../kit/service.ts'
import { until } from '../watch/up-run.ts'

export const email = 'ada@example.org'
export const password = 'a long enough password'

type List<T> = { items: T[] }

/** A signed-in user who prepares, through the API, the data that a browser will show. */
export type Account = {
  /** `name=value`, as in a Cookie header. */
  cookie: string
  ask<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Creates a profile with this page as its only source. */
  watch(uri: string, profile?: Record<string, unknown>): Promise<Profile>
  sources(): Promise<Source[]>
  /** The inbox items, once this many changes have arrived. */
  changes(atLeast: number): Promise<Annotation[]>
  /** Resolves when every source has been checked. */
  visited(): Promise<void>
  /** Checks all sources now; resolves when every check is done. */
  checkAll(): Promise<void>
  /** Signs a browser in. */
  enter(context: BrowserContext): Promise<void>
}

const busy = new Set<Source['state']>(['not-yet', 'queued', 'checking'])

/** The first account of a newly started service. */
export async function createAccount(service: Service, name = ''): Promise<Account> {
  const key = new URL(service.setupUrl!).hash.slice(1)
  const made = await service.api('/setup', { method: 'POST', body: { key, email, password, name } })
  assert.equal(made.status, 201)
  return accountOf(service, cookieOf(made))
}

export function accountOf(service: Service, cookie: string): Account {
  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await service.api(path, { method, cookie, ...(body === undefined ? {} : { body }) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  const sources = async () => (await ask<List<Source>>('GET', '/sources?limit=200')).items
  const visited = () =>
    until('the first visits', async () =>
      (await sources()).every(({ state, lastCheckedAt }) => !busy.has(state) && lastCheckedAt !== null),
    )

  return {
    cookie,
    ask,
    sources,
    visited,
    async changes(atLeast) {
      let items: Annotation[] = []
      await until(`${atLeast} changes in the inbox`, async () => {
        const all = await ask<List<Annotation>>('GET', '/annotations?limit=200')
        items = all.items.filter(({ kind }) => kind === 'changed')
        return items.length >= atLeast
      })
      return items
    },
    watch: (uri, profile = {}) => ask<Profile>('POST', '/profiles', { sources: [{ uri }], ...profile }),
    async checkAll() {
      await visited()
      const before = new Map((await sources()).map(({ id, lastCheckedAt }) => [id, lastCheckedAt]))
      await ask('POST', '/sources/check', {})
      await until('the checks', async () =>
        (await sources()).every(({ id, state, lastCheckedAt }) => !busy.has(state) && lastCheckedAt !== before.get(id)),
      )
    },
    async enter(context) {
      const [name, value] = cookie.split('=', 2) as [string, string]
      await context.addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: 'Lax' }])
    },
  }
}

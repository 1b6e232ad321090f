import type { CallerName } from './operations.ts'

type Account = { email: string; password: string }
type Session = Account & { cookie: string; device: string }

/** A text that only one account may see. */
export type Secret = { owner: 'root' | 'ann' | 'bob'; text: string }

export const rootAccount: Account = { email: 'root@example.org', password: 'password of root 5d1e' }
const ann: Account = { email: 'ann@example.org', password: 'password of ann 77c0' }
const bob: Account = { email: 'bob@example.org', password: 'password of bob 90ab' }
/** Requests guess her password: it is the text that they use for all strings. */
const zoe: Account = { email: 'zoe@example.org', password: 'a text that is long enough' }

/** Only administrators can have tokens with the scope `admin`. */
const tokenNames: readonly CallerName[] = ['ann-read', 'ann-write', 'root-read', 'root-write', 'root-admin']

/** Creates the accounts as administrator, with a session each and tokens of every scope. */
export async function createCallers(url: string) {
  const sessions = new Map<string, Session>()
  const tokens = new Map<CallerName, string>()

  function call(as: Session | undefined, method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(as === undefined ? {} : { cookie: `${as.cookie}; ${as.device}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  /** For requests that must succeed. */
  async function json<T>(name: string, method: string, path: string, body?: unknown): Promise<T> {
    const answer = await call(sessions.get(name), method, path, body)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${name}: ${method} ${path}: ${answer.status} ${text.slice(0, 300)}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }

  /** Always from the same device, so that guesses from elsewhere don't lock it out. */
  async function signIn(name: string, account: Account): Promise<void> {
    const device = sessions.get(name)?.device ?? ''
    const { email, password } = account
    const answer = await call({ ...account, cookie: '', device }, 'POST', '/session', { email, password })
    if (!answer.ok) throw new Error(`${name} can't sign in: ${answer.status} ${await answer.text()}`)
    const [cookie = '', newDevice = ''] = answer.headers.getSetCookie().map((each) => each.split(';', 1)[0]!)
    sessions.set(name, { ...account, cookie, device: newDevice })
  }

  /** Recreates sessions and tokens that requests have ended. */
  async function restore(): Promise<void> {
    for (const [name, session] of sessions)
      if ((await call(session, 'GET', '/session')).status === 401) await signIn(name, session)
    for (const name of tokenNames) {
      const headers = { authorization: `Bearer ${tokens.get(name)}` }
      const answer = await fetch(`${url}/api/v1/session`, { headers })
      if (answer.status !== 401) continue
      const [owner = '', scope] = name.split('-')
      const { token } = await json<{ token: string }>(owner, 'POST', '/tokens', { name, scopes: [scope] })
      tokens.set(name, token)
    }
  }

  await signIn('root', rootAccount)
  for (const account of [ann, bob, zoe]) await json('root', 'POST', '/users', account)
  await signIn('ann', ann)
  await signIn('bob', bob)
  await restore()
  const users = (await json<{ items: { id: number }[] }>('root', 'GET', '/users')).items.map(({ id }) => id)

  return {
    json,
    restore,
    /** Ids of these accounts. */
    users,
    /** Header lines that authenticate the caller; empty if anonymous. */
    credentialsOf(name: CallerName): string[] {
      const token = tokens.get(name)
      if (token !== undefined) return [`authorization: Bearer ${token}`]
      const session = sessions.get(name)
      return session === undefined ? [] : [`cookie: ${session.cookie}`]
    },
    secrets: (): Secret[] => [
      { owner: 'root', text: rootAccount.password },
      { owner: 'ann', text: ann.password },
      { owner: 'bob', text: bob.password },
      ...[...sessions.values()].map(({ cookie }): Secret => ({ owner: 'root', text: cookie.split('=')[1]! })),
      ...[...tokens.values()].map((text): Secret => ({ owner: 'root', text })),
    ],
    /** Removes accounts and tokens that requests have created. */
    async tidy(): Promise<void> {
      await restore()
      for (const name of ['ann', 'root']) {
        const { items } = await json<{ items: { id: number; name: string }[] }>(name, 'GET', '/tokens')
        for (const { id, name: label } of items)
          if (!tokens.has(label as CallerName)) await json(name, 'DELETE', `/tokens/${id}`)
      }
      const { items } = await json<{ items: { id: number }[] }>('root', 'GET', '/users?limit=200')
      for (const { id } of items) if (!users.includes(id)) await json('root', 'DELETE', `/users/${id}`)
    },
  }
}

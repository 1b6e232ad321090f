import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { AccountStore } from '../../store/contracts/accounts/accounts.ts'
import type { ServerSecretStore } from '../../store/contracts/accounts/server-secrets.ts'
import type { SessionStore } from '../../store/contracts/accounts/sessions.ts'
import { cleanText } from './account-text.ts'
import type { Caller } from './callers.ts'

/**
 * Sessions in the URL, for phones without cookies. A URL leaks more easily than a cookie (logs, bookmarks, shoulder surfing), so such
 * a session ends after 15 minutes without use and after an hour in any case, works only for the browser that signed in, judged by its
 * User-Agent, and is accepted only where it is meant to be used. It is a session in the store like any other: its owner sees it and
 * can end it.
 */
export type UrlSessions = {
  /** For a session that has just begun. Its cookie must not be given out. */
  issue(caller: Caller): Promise<string>
  find(token: string, agent: string): Promise<Caller | null>
  /** CSRF token: proves that a request to change something comes from a page of this session. */
  actionToken(caller: Caller): Promise<string>
  isActionToken(caller: Caller, token: string): Promise<boolean>
}

export type UrlSessionDeps = {
  secrets: ServerSecretStore
  sessions: Pick<SessionStore, 'list' | 'touch'>
  accounts: Pick<AccountStore, 'find'>
  clock: Clock
}

const KEY_BYTES = 32
/** 128 bits, as phones have little room. */
const MAC_CHARS = 22
const IDLE_MS = 15 * 60_000
const MAX_AGE_MS = 60 * 60_000
const MAX_AGENT = 300
const tokenForm = /^(\d{1,15})\.(\d{1,15})\.([\w-]{22})$/

export function createUrlSessions({ secrets, sessions, accounts, clock }: UrlSessionDeps): UrlSessions {
  let key: Promise<Uint8Array> | null = null

  async function sign(purpose: 'session' | 'action', account: number, session: number): Promise<string> {
    key ??= secrets.agree('url-sessions', randomBytes(KEY_BYTES)).catch((error: unknown) => {
      key = null
      throw error
    })
    const mac = createHmac('sha256', await key).update(`${purpose} ${account} ${session}`)
    return mac.digest('base64url').slice(0, MAC_CHARS)
  }

  const touch = (id: number, now: number, createdAt: number): Promise<void> =>
    sessions.touch(id, { seenAt: now, expiresAt: Math.min(now + IDLE_MS, createdAt + MAX_AGE_MS) })

  return {
    async issue({ account, key: session }) {
      const now = clock.now()
      await touch(session, now, now)
      return `${account.id}.${session}.${await sign('session', account.id, session)}`
    },
    async find(token, agent) {
      const [, accountId, sessionId, mac] = tokenForm.exec(token) ?? []
      if (mac === undefined) return null
      const [id, key] = [Number(accountId), Number(sessionId)]
      if (!isSame(mac, await sign('session', id, key))) return null
      const now = clock.now()
      const session = (await sessions.list(id, now)).find((each) => each.id === key)
      if (session === undefined || session.agent !== cleanText(agent, MAX_AGENT)) return null
      if (now - session.createdAt >= MAX_AGE_MS) return null
      const account = await accounts.find(id)
      if (account === null || account.disabled) return null
      await touch(key, now, session.createdAt)
      return { account, via: 'session', key, scopes: [] }
    },
    actionToken: ({ account, key: session }) => sign('action', account.id, session),
    isActionToken: async ({ account, key: session }, token) => isSame(token, await sign('action', account.id, session)),
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.byteLength === b.byteLength && timingSafeEqual(a, b)
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import pino from 'pino'
import { sqliteStores } from '../app/engines/sqlite-stores.ts'
import { startArchive } from '../app/server/archive.ts'
import { createParts, type ServerDeps } from '../app/server/parts.ts'
import type { Config } from '../config/config.ts'
import { configOf } from '../config/load-config.ts'
import type { SettingKey } from '../config/schema.ts'
import { type Account, defaultAccountSettings, type TokenScope } from '../core/account.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { createPasswords } from '../services/accounts/passwords.ts'
import { createSecret, hashOfSecret, TOKEN_PREFIX } from '../services/accounts/secrets.ts'
import type { ArchiveLimits, ArchiveService } from '../services/archive/archive-service.ts'
import { createPolicy } from '../services/scheduler/queues/policy.ts'
import { budgetsOf } from '../services/scheduler/schedule-settings.ts'
import { createScheduler } from '../services/scheduler/scheduler.ts'
import type { StoreSet } from '../store/contracts/store-set.ts'
import { openDatabase } from '../store/sqlite/folder/database.ts'
import { openFolder, paths } from '../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../store/sqlite/folder/schema-catalog.ts'
import { SESSION_COOKIE } from './http/access.ts'
import { createServer } from './server.ts'

export type TestServerOptions = {
  settings?: Partial<Record<SettingKey, unknown>>
  /** Data folder of an earlier server, with its data. Not removed by `close`. */
  folder?: string
  clock?: Clock
  /** Used instead of a data folder; closed with the server. */
  stores?: { stores: StoreSet; archive(config: Config): ArchiveService }
  needs?: Partial<ServerDeps>
  /** Limits of archive reads. */
  archiveLimits?: Partial<ArchiveLimits>
  /** Called with every line of the log. */
  onLog?(line: string): void
}

export type TestServer = Awaited<ReturnType<typeof createTestServer>>

type TestUser = Partial<Pick<Account, 'role' | 'level' | 'name'>> & { password?: string }
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Body = InjectOptions['payload']
type Extra = { headers?: Record<string, string>; remoteAddress?: string }

const SESSION_MS = 86_400_000

async function openTestFolder(given: string | undefined, clock: Clock) {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'erace-server-')))
  if (given === undefined) await openFolder({ folder, holder: 'test', shards: 2 }).close()
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  return { folder, db, stores: sqliteStores(folder, db, clock) }
}

function onFolder<T>(opened: T | null): T {
  if (opened === null) throw new Error('this server does not stand on a data folder')
  return opened
}

/** The server on a real store, in a new folder by default. It does not listen; requests are injected. */
export async function createTestServer(options: TestServerOptions = {}) {
  const clock = options.clock ?? systemClock
  const config = configOf(options.settings)
  const { schedule } = config
  const scheduler = createScheduler({
    clock,
    policy: createPolicy(schedule.policy, {
      gold: schedule.goldShare,
      silver: schedule.silverShare,
      bronze: schedule.bronzeShare,
    }),
    budgets: budgetsOf(schedule),
    timing: { minEveryMs: schedule.minEveryMs },
  })
  const log = pino({ base: null, level: 'debug' }, { write: (line: string) => options.onLog?.(line) })
  const opened = options.stores === undefined ? await openTestFolder(options.folder, clock) : null
  const stores: StoreSet = opened?.stores ?? options.stores!.stores
  const needs: ServerDeps = {
    config,
    log,
    stores,
    archive:
      opened === null
        ? options.stores!.archive(config)
        : startArchive({ folder: opened.folder }, config, options.archiveLimits),
    threads: opened?.stores.shards ?? 0,
    clock,
    watching: scheduler,
    scheduler,
    crawlControl: createTestPause(),
    ...options.needs,
  }
  const passwords = createPasswords()
  const parts = createParts(needs)
  const server = await createServer({ config: config.server, log, parts, pages: null })
  await server.ready()

  function client(headersOf: () => Promise<Record<string, string>>) {
    let own: Promise<Record<string, string>> | null = null
    async function send(method: Method, url: string, body?: Body, { headers, ...extra }: Extra = {}) {
      own ??= headersOf()
      return server.inject({
        method,
        url: /^\/(?:api|web)\//.test(url) ? url : `/api/v1${url}`,
        headers: { ...(await own), ...headers },
        ...(body === undefined ? {} : { payload: body }),
        ...extra,
      })
    }
    return {
      get: (url: string, extra?: Extra) => send('GET', url, undefined, extra),
      post: (url: string, body?: Body, extra?: Extra) => send('POST', url, body, extra),
      put: (url: string, body?: Body, extra?: Extra) => send('PUT', url, body, extra),
      patch: (url: string, body?: Body, extra?: Extra) => send('PATCH', url, body, extra),
      delete: (url: string, body?: Body, extra?: Extra) => send('DELETE', url, body, extra),
    }
  }

  async function accountOf(email: string): Promise<Account> {
    const account = await stores.accounts.findByEmail(email)
    if (account === null) throw new Error(`the test has not added ${email}`)
    return account
  }

  /** Without a password, the user can't sign in; `as` creates sessions nevertheless. */
  async function addUser(email: string, { password, ...parts }: TestUser = {}) {
    const account = await stores.accounts.add({
      email,
      name: '',
      role: 'user',
      level: 'silver',
      disabled: false,
      createdAt: clock.now(),
      settings: defaultAccountSettings,
      passwordHash: password === undefined ? 'none' : await passwords.hash(password),
      ...parts,
    })
    if (account === null) throw new Error(`the test has added ${email} already`)
    return account
  }

  async function addSession(email: string): Promise<string> {
    const secret = createSecret()
    const now = clock.now()
    const { id } = await accountOf(email)
    const times = { createdAt: now, expiresAt: now + SESSION_MS }
    const from = { agent: 'test', address: '127.0.0.1' }
    await stores.sessions.add({ hash: hashOfSecret(secret), account: id, ...times, ...from })
    return secret
  }

  async function addToken(email: string, scopes: readonly TokenScope[]): Promise<string> {
    const secret = createSecret(TOKEN_PREFIX)
    const { id } = await accountOf(email)
    const times = { createdAt: clock.now(), expiresAt: 0 }
    await stores.tokens.add({ hash: hashOfSecret(secret), account: id, name: 'test', scopes, ...times })
    return secret
  }

  return {
    server,
    parts,
    /** Includes the whole scheduler, so that tests can add watches. */
    needs: { ...needs, scheduler },
    get folder() {
      return onFolder(opened).folder
    },
    get db() {
      return onFolder(opened).db
    },
    stores,
    addUser,
    /** The browser of a signed-in user; each call creates a new session. */
    as: (email: string) => client(async () => ({ cookie: `${SESSION_COOKIE}=${await addSession(email)}` })),
    /** A client with a token. */
    asToken: (email: string, scopes: readonly TokenScope[] = ['read', 'write']) =>
      client(async () => ({ authorization: `Bearer ${await addToken(email, scopes)}` })),
    /** An anonymous client, or one with these headers. */
    nobody: (headers: Record<string, string> = {}) => client(async () => headers),
    async close() {
      await server.close()
      await stores.close()
      if (opened !== null && options.folder === undefined) await rm(opened.folder, { recursive: true, force: true })
    },
  }
}

/** Nothing is crawled here, so pausing only changes the reported state. */
function createTestPause() {
  let isPaused = false
  return {
    isPaused: async () => isPaused,
    async pause(paused: boolean) {
      isPaused = paused
    },
  }
}

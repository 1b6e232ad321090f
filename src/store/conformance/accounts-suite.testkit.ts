import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { type Account, defaultAccountSettings } from '../../core/account.ts'
import type { AccountDraft, AccountStore, SessionDraft, TokenDraft } from '../contracts/accounts.ts'
import { openOne, type StoreEngine, type StoreSystem, withSystem } from './engine.testkit.ts'

/** An engine with its store of accounts; each call opens another connection. */
export type AccountsEngine = StoreEngine & {
  openAccounts(system: StoreSystem): { accounts: AccountStore; close(): void }
}

type AccountsPlace = { accounts: AccountStore; open(): AccountStore }

export function withAccounts(
  engine: AccountsEngine,
  work: (place: AccountsPlace) => Promise<void>,
): () => Promise<void> {
  return withSystem(engine, {}, async (system) => {
    await openOne(system)
    const opened: { close(): void }[] = []
    const open = (): AccountStore => {
      const { accounts, close } = engine.openAccounts(system)
      opened.push({ close })
      return accounts
    }
    try {
      await work({ accounts: open(), open })
    } finally {
      for (const { close } of opened) close()
    }
  })
}

export function accountDraft(email: string, parts: Partial<AccountDraft> = {}): AccountDraft {
  const who = { email, name: `Näme of ${email}`, role: 'user', level: 'silver' } as const
  const settings = { timeZone: 'Asia/Nicosia', shortcuts: false }
  return { ...who, passwordHash: `hash of ${email}`, disabled: false, createdAt: 1_000, settings, ...parts }
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

function sessionDraft(account: number, name: string, parts: Partial<SessionDraft> = {}): SessionDraft {
  const from = { agent: 'A browser "x"', address: '2001:db8::1' }
  return { hash: hashOf(name), account, createdAt: 100, expiresAt: 1_000, ...from, ...parts }
}

function tokenDraft(account: number, name: string, parts: Partial<TokenDraft> = {}): TokenDraft {
  return { hash: hashOf(name), account, name, scopes: ['read', 'write'], createdAt: 100, expiresAt: 0, ...parts }
}

const administrator = { role: 'administrator' } as const

/** What every engine promises about accounts, sessions and tokens. */
export function accountsSuite(engine: AccountsEngine): void {
  const place = (work: (place: AccountsPlace) => Promise<void>) => withAccounts(engine, work)
  const added = async (accounts: AccountStore, email: string, parts?: Partial<AccountDraft>): Promise<Account> =>
    (await accounts.add(accountDraft(email, parts)))!

  describe(`accounts (${engine.name})`, () => {
    test(
      'an account comes back as it was added, by its number or its address in any letters, also after a restart',
      place(async ({ accounts, open }) => {
        const ann = await added(accounts, 'Ann@Example.org')
        const { passwordHash, ...plain } = accountDraft('ann@example.org', { name: 'Näme of Ann@Example.org' })
        assert.deepEqual(ann, { ...plain, id: ann.id })
        for (const store of [accounts, open()]) {
          assert.deepEqual(await store.find(ann.id), ann)
          const found = await store.findByEmail('ANN@example.ORG')
          assert.deepEqual(found, { ...ann, passwordHash: 'hash of Ann@Example.org' })
          assert.equal(await store.find(ann.id + 1), null)
          assert.equal(await store.findByEmail('ann@example.org '), null)
          assert.equal(await store.count(), 1)
        }
        assert.equal(passwordHash, 'hash of ann@example.org')
      }),
    )

    test(
      'an address is taken once, and pages list all in the order of their ids',
      place(async ({ accounts }) => {
        const ids: number[] = []
        for (const name of ['c', 'a', 'b']) ids.push((await added(accounts, `${name}@x.example`)).id)
        assert.equal(await accounts.add(accountDraft('A@X.example')), null)
        assert.equal(await accounts.count(), 3)
        const listed = async (after: number, limit: number) =>
          (await accounts.list({ after, limit })).map(({ id }) => id)
        assert.deepEqual(await listed(0, 2), ids.slice(0, 2))
        assert.deepEqual(await listed(ids[1]!, 2), ids.slice(2))
        assert.ok((await accounts.list({ after: 0, limit: 9 })).every((account) => !('passwordHash' in account)))
      }),
    )

    test(
      'changes are kept, and each of an account is a new revision',
      place(async ({ accounts }) => {
        const revisions = [await accounts.revision()]
        const boss = await added(accounts, 'boss@x.example', administrator)
        const ann = await added(accounts, 'ann@x.example')
        revisions.push(await accounts.revision())
        const changes = { name: 'Ann', level: 'gold', passwordHash: 'new', settings: defaultAccountSettings } as const
        const { passwordHash: _, ...shown } = changes
        assert.deepEqual(await accounts.update(ann.id, changes), { kind: 'done', account: { ...ann, ...shown } })
        assert.deepEqual(await accounts.findByEmail('ann@x.example'), { ...ann, ...changes })
        revisions.push(await accounts.revision())
        assert.deepEqual(await accounts.update(999, changes), { kind: 'unknown' })
        assert.deepEqual(await accounts.remove(999), { kind: 'unknown' })
        await accounts.addSession(sessionDraft(ann.id, 's'))
        await accounts.addToken(tokenDraft(ann.id, 't'))
        assert.equal(await accounts.revision(), revisions.at(-1), 'nothing of an account was changed')
        assert.equal((await accounts.remove(ann.id)).kind, 'done')
        revisions.push(await accounts.revision())
        assert.deepEqual(
          revisions,
          revisions.toSorted((x, y) => x - y),
        )
        assert.equal(new Set(revisions).size, revisions.length)
        assert.deepEqual(await accounts.list({ after: 0, limit: 9 }), [boss])
        assert.notEqual((await added(accounts, 'ann@x.example')).id, ann.id, 'a number is never used again')
      }),
    )

    test(
      'of many that want to be the first, on connections of their own, one is',
      place(async ({ accounts, open }) => {
        const stores = [accounts, open(), open()]
        const tries = Array.from({ length: 12 }, (_, n) =>
          stores[n % 3]!.add(accountDraft(`${n}@x.example`), { onlyFirst: true }),
        )
        const first = (await Promise.all(tries)).filter((account) => account !== null)
        assert.equal(first.length, 1)
        assert.deepEqual(await accounts.list({ after: 0, limit: 99 }), first)
        assert.equal(await accounts.add(accountDraft('late@x.example'), { onlyFirst: true }), null)
        assert.ok(await accounts.add(accountDraft('late@x.example'), { onlyFirst: false }))
      }),
    )

    test(
      'the last administrator that can sign in stays one',
      place(async ({ accounts }) => {
        const one = await added(accounts, 'one@x.example', administrator)
        const refused = { kind: 'last-administrator' }
        for (const parts of [{ ...administrator, disabled: true }, { ...administrator, passwordHash: '' }, {}])
          await added(accounts, `other${JSON.stringify(parts)}@x.example`, parts)
        for (const changes of [{ role: 'user' }, { disabled: true }, { passwordHash: '' }] as const)
          assert.deepEqual(await accounts.update(one.id, changes), refused)
        assert.deepEqual(await accounts.remove(one.id), refused)
        assert.deepEqual(await accounts.find(one.id), one)
        assert.equal((await accounts.update(one.id, { name: 'x', passwordHash: 'y' })).kind, 'done')
        const two = await added(accounts, 'two@x.example', administrator)
        assert.equal((await accounts.update(one.id, { role: 'user' })).kind, 'done')
        assert.deepEqual(await accounts.remove(two.id), refused)
        assert.equal((await accounts.remove(one.id)).kind, 'done')
      }),
    )
  })

  describe(`sessions (${engine.name})`, () => {
    test(
      'a session is found by its hash until it ends, also after a restart',
      place(async ({ accounts, open }) => {
        const ann = await added(accounts, 'ann@x.example')
        const { hash, ...draft } = sessionDraft(ann.id, 's')
        await accounts.addSession({ hash, ...draft })
        for (const store of [accounts, open()]) {
          const found = await store.session(hash, 999)
          assert.deepEqual(found, { session: { ...draft, id: found!.session.id, seenAt: 100 }, account: ann })
          assert.equal(await store.session(hash, 1_000), null)
          assert.equal(await store.session(hashOf('other'), 0), null)
        }
        const { id } = (await accounts.session(hash, 0))!.session
        await accounts.touchSession(id, { seenAt: 900, expiresAt: 2_000 })
        const touched = (await accounts.session(hash, 1_999))!.session
        assert.deepEqual([touched.seenAt, touched.expiresAt, touched.createdAt], [900, 2_000, 100])
      }),
    )

    test(
      'an owner sees own sessions, the last used first, and ends one, all others or all',
      place(async ({ accounts }) => {
        const [ann, bob] = [await added(accounts, 'ann@x.example'), await added(accounts, 'bob@x.example')]
        for (const name of ['a', 'b', 'c', 'd']) await accounts.addSession(sessionDraft(ann.id, name))
        await accounts.addSession(sessionDraft(bob.id, 'bob'))
        await accounts.addSession(sessionDraft(ann.id, 'over', { expiresAt: 200 }))
        const idOf = async (name: string) => (await accounts.session(hashOf(name), 0))!.session.id
        const [a, b, c, bobs] = [await idOf('a'), await idOf('b'), await idOf('c'), await idOf('bob')]
        await accounts.touchSession(b, { seenAt: 500, expiresAt: 1_000 })
        const mine = (await accounts.sessionsOf(ann.id, 200)).map(({ id }) => id)
        assert.equal(mine.length, 4)
        assert.equal(mine[0], b)
        assert.equal(await accounts.removeSessions(ann.id, { id: bobs }), 0, 'not hers')
        assert.equal(await accounts.removeSessions(ann.id, { id: c }), 1)
        assert.equal(await accounts.session(hashOf('c'), 0), null)
        assert.equal(await accounts.removeSessions(ann.id, { except: a }), 3)
        assert.deepEqual(
          (await accounts.sessionsOf(ann.id, 200)).map(({ id }) => id),
          [a],
        )
        assert.equal(await accounts.removeSessions(ann.id, 'all'), 1)
        assert.equal((await accounts.sessionsOf(bob.id, 0)).length, 1)
      }),
    )

    test(
      'what has ended is removed, and nothing else',
      place(async ({ accounts }) => {
        const ann = await added(accounts, 'ann@x.example')
        for (const expiresAt of [200, 300, 400])
          await accounts.addSession(sessionDraft(ann.id, `${expiresAt}`, { expiresAt }))
        assert.equal(await accounts.removeEnded(300), 2)
        assert.equal((await accounts.sessionsOf(ann.id, 0)).length, 1)
      }),
    )

    test(
      'whoever is disabled loses all sessions, and with an account go its sessions and tokens',
      place(async ({ accounts }) => {
        const [ann, bob] = [await added(accounts, 'ann@x.example'), await added(accounts, 'bob@x.example')]
        for (const { id } of [ann, bob]) {
          await accounts.addSession(sessionDraft(id, `s${id}`))
          await accounts.addToken(tokenDraft(id, `t${id}`))
        }
        const known = async ({ id }: Account) => [
          (await accounts.session(hashOf(`s${id}`), 0))?.account.email,
          (await accounts.token(hashOf(`t${id}`), 0))?.account.email,
        ]
        await accounts.update(ann.id, { disabled: true })
        await accounts.addSession(sessionDraft(ann.id, 'late'))
        assert.deepEqual(await known(ann), [undefined, undefined])
        await accounts.update(ann.id, { disabled: false })
        assert.deepEqual(await known(ann), [undefined, ann.email], 'tokens are usable again, sessions are gone')
        assert.equal(await accounts.session(hashOf('late'), 0), null)
        await accounts.remove(ann.id)
        assert.deepEqual(await known(ann), [undefined, undefined])
        assert.deepEqual(await accounts.tokensOf(ann.id), [])
        assert.deepEqual(await accounts.sessionsOf(ann.id, 0), [])
        assert.deepEqual(await known(bob), [bob.email, bob.email])
      }),
    )
  })

  describe(`tokens (${engine.name})`, () => {
    test(
      'a token is found by its hash until it ends, and tells its scopes and its last use',
      place(async ({ accounts, open }) => {
        const ann = await added(accounts, 'ann@x.example')
        const { hash, ...draft } = tokenDraft(ann.id, 'for ever')
        const made = await accounts.addToken({ hash, ...draft })
        assert.deepEqual(made, { ...draft, id: made.id, usedAt: 0 })
        const short = await accounts.addToken(tokenDraft(ann.id, 'short', { expiresAt: 500, scopes: ['admin'] }))
        assert.deepEqual(await open().token(hash, 1e15), { token: made, account: ann })
        assert.deepEqual((await accounts.token(hashOf('short'), 499))?.token, short)
        assert.equal(await accounts.token(hashOf('short'), 500), null)
        assert.equal(await accounts.token(hashOf('other'), 0), null)
        await accounts.touchToken(made.id, 777)
        assert.deepEqual(await accounts.tokensOf(ann.id), [{ ...made, usedAt: 777 }, short])
      }),
    )

    test(
      'only its owner removes a token',
      place(async ({ accounts }) => {
        const [ann, bob] = [await added(accounts, 'ann@x.example'), await added(accounts, 'bob@x.example')]
        const { id } = await accounts.addToken(tokenDraft(ann.id, 't'))
        assert.equal(await accounts.removeToken(bob.id, id), false)
        assert.deepEqual(await accounts.tokensOf(bob.id), [])
        assert.equal(await accounts.removeToken(ann.id, id), true)
        assert.equal(await accounts.removeToken(ann.id, id), false)
        assert.equal(await accounts.token(hashOf('t'), 0), null)
      }),
    )
  })

  describe(`failed sign-ins and the set-up link (${engine.name})`, () => {
    test(
      'failures are counted under their key until they are forgotten, also over a restart',
      place(async ({ accounts, open }) => {
        assert.deepEqual(await accounts.failures('a'), { count: 0, lastAt: 0 })
        assert.deepEqual(await accounts.noteFailure('a', 10), { count: 1, lastAt: 10 })
        assert.deepEqual(await accounts.noteFailure('a', 30), { count: 2, lastAt: 30 })
        assert.deepEqual(await accounts.noteFailure('A', 40), { count: 1, lastAt: 40 })
        assert.deepEqual(await accounts.noteFailure('c', 50), { count: 1, lastAt: 50 })
        assert.deepEqual(await open().failures('a'), { count: 2, lastAt: 30 })
        await accounts.forgetFailures(['A', 'unknown'])
        assert.deepEqual(await accounts.failures('A'), { count: 0, lastAt: 0 })
        assert.equal(await accounts.forgetFailuresBefore(50), 1)
        assert.deepEqual(await accounts.failures('a'), { count: 0, lastAt: 0 })
        assert.equal((await accounts.failures('c')).count, 1)
      }),
    )

    test(
      'the hash of the set-up link is there until it is taken away',
      place(async ({ accounts, open }) => {
        assert.equal(await accounts.setupHash(), null)
        for (const key of ['first', 'second']) {
          await accounts.setSetupHash(hashOf(key))
          assert.deepEqual(Buffer.from((await open().setupHash())!), hashOf(key))
        }
        await accounts.setSetupHash(null)
        await accounts.setSetupHash(null)
        assert.equal(await open().setupHash(), null)
      }),
    )
  })
}

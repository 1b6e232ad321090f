import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { type Account, type AccountSettings, defaultAccountSettings } from '../../../core/account.ts'
import type { AccountDraft, AccountStore } from '../../contracts/accounts/accounts.ts'
import type { SessionDraft } from '../../contracts/accounts/sessions.ts'
import type { TokenDraft } from '../../contracts/accounts/tokens.ts'
import type { StoreSet } from '../../contracts/store-set.ts'
import { openOne, type StoreEngine, withSystem } from '../engine.testkit.ts'

export type AccountStores = Pick<
  StoreSet,
  'accounts' | 'sessions' | 'tokens' | 'signInFailures' | 'setup' | 'serverSecrets'
>

/** `open` opens the stores again, as another process or a restart would. */
export type OpenAccounts = AccountStores & { open(): AccountStores }

export function withAccounts(engine: StoreEngine, work: (stores: OpenAccounts) => Promise<void>): () => Promise<void> {
  return withSystem(engine, {}, async (system) => {
    await openOne(system)
    const opened: { close(): void }[] = []
    const open = (): AccountStores => {
      const stores = engine.openStores(system)
      opened.push(stores)
      return stores
    }
    try {
      await work({ ...open(), open })
    } finally {
      for (const { close } of opened) close()
    }
  })
}

export function accountDraft(email: string, parts: Partial<AccountDraft> = {}): AccountDraft {
  const who = { email, name: `Näme of ${email}`, role: 'user', level: 'silver' } as const
  const settings: AccountSettings = {
    timeZone: 'Asia/Nicosia',
    shortcuts: false,
    theme: 'dark',
    notifications: { quiet: { from: '22:00', to: '07:00' }, urgentFrom: 5, perHour: 20 },
  }
  return { ...who, passwordHash: `hash of ${email}`, disabled: false, createdAt: 1_000, settings, ...parts }
}

export const addAccount = async (
  accounts: AccountStore,
  email: string,
  parts?: Partial<AccountDraft>,
): Promise<Account> => (await accounts.add(accountDraft(email, parts)))!

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

export function sessionDraft(account: number, name: string, parts: Partial<SessionDraft> = {}): SessionDraft {
  const from = { agent: 'A browser "x"', address: '2001:db8::1' }
  return { hash: hashOf(name), account, createdAt: 100, expiresAt: 1_000, ...from, ...parts }
}

export function tokenDraft(account: number, name: string, parts: Partial<TokenDraft> = {}): TokenDraft {
  return { hash: hashOf(name), account, name, scopes: ['read', 'write'], createdAt: 100, expiresAt: 0, ...parts }
}

const administrator = { role: 'administrator' } as const

export function accountsSuite(engine: StoreEngine): void {
  describe(`accounts (${engine.name})`, () => {
    test(
      'missing settings of an older account have default values',
      withAccounts(engine, async ({ accounts }) => {
        const settings = { timeZone: 'Asia/Nicosia', shortcuts: false } as AccountSettings
        const { id } = await addAccount(accounts, 'old@example.org', { settings })
        const expected = { ...defaultAccountSettings, timeZone: 'Asia/Nicosia', shortcuts: false }
        assert.deepEqual((await accounts.find(id))!.settings, expected)
        assert.deepEqual((await accounts.findByEmail('old@example.org'))!.settings, expected)
      }),
    )

    test(
      'an account is found by id or case-insensitive e-mail address, even after a restart',
      withAccounts(engine, async ({ accounts, open }) => {
        const ann = await addAccount(accounts, 'Ann@Example.org')
        const { passwordHash, ...plain } = accountDraft('ann@example.org', { name: 'Näme of Ann@Example.org' })
        assert.deepEqual(ann, { ...plain, id: ann.id })
        for (const store of [accounts, open().accounts]) {
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
      'an address can be used only once, and accounts are listed in pages by id',
      withAccounts(engine, async ({ accounts }) => {
        const ids: number[] = []
        for (const name of ['c', 'a', 'b']) ids.push((await addAccount(accounts, `${name}@x.example`)).id)
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
      'changes are stored, and every change of an account creates a new revision',
      withAccounts(engine, async ({ accounts, sessions, tokens }) => {
        const revisions = [await accounts.revision()]
        const boss = await addAccount(accounts, 'boss@x.example', administrator)
        const ann = await addAccount(accounts, 'ann@x.example')
        revisions.push(await accounts.revision())
        const changes = { name: 'Ann', level: 'gold', passwordHash: 'new', settings: defaultAccountSettings } as const
        const { passwordHash: _, ...shown } = changes
        assert.deepEqual(await accounts.update(ann.id, changes), { kind: 'done', account: { ...ann, ...shown } })
        assert.deepEqual(await accounts.findByEmail('ann@x.example'), { ...ann, ...changes })
        revisions.push(await accounts.revision())
        await accounts.update(ann.id, { settings: { theme: 'dark', notifications: { perHour: 7 } } })
        await accounts.update(ann.id, { settings: { notifications: { urgentFrom: 4 } } })
        const notifications = { ...defaultAccountSettings.notifications, urgentFrom: 4, perHour: 7 }
        const settings = { ...defaultAccountSettings, theme: 'dark', notifications }
        assert.deepEqual((await accounts.find(ann.id))?.settings, settings, 'others stay as they are')
        revisions.push(await accounts.revision())
        assert.deepEqual(await accounts.update(999, changes), { kind: 'unknown' })
        assert.deepEqual(await accounts.remove(999), { kind: 'unknown' })
        await sessions.add(sessionDraft(ann.id, 's'))
        await tokens.add(tokenDraft(ann.id, 't'))
        assert.equal(await accounts.revision(), revisions.at(-1), 'nothing of an account was changed')
        assert.equal((await accounts.remove(ann.id)).kind, 'done')
        revisions.push(await accounts.revision())
        assert.deepEqual(
          revisions,
          revisions.toSorted((x, y) => x - y),
        )
        assert.equal(new Set(revisions).size, revisions.length)
        assert.deepEqual(await accounts.list({ after: 0, limit: 9 }), [boss])
        assert.notEqual((await addAccount(accounts, 'ann@x.example')).id, ann.id, 'an id is never used again')
      }),
    )

    test(
      'only one of many concurrent attempts to add the first account succeeds',
      withAccounts(engine, async ({ accounts, open }) => {
        const stores = [accounts, open().accounts, open().accounts]
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
      'the last administrator who can sign in cannot be removed, disabled or demoted',
      withAccounts(engine, async ({ accounts }) => {
        const one = await addAccount(accounts, 'one@x.example', administrator)
        const refused = { kind: 'last-administrator' }
        for (const parts of [{ ...administrator, disabled: true }, { ...administrator, passwordHash: '' }, {}])
          await addAccount(accounts, `other${JSON.stringify(parts)}@x.example`, parts)
        for (const changes of [{ role: 'user' }, { disabled: true }, { passwordHash: '' }] as const)
          assert.deepEqual(await accounts.update(one.id, changes), refused)
        assert.deepEqual(await accounts.remove(one.id), refused)
        assert.deepEqual(await accounts.find(one.id), one)
        assert.equal((await accounts.update(one.id, { name: 'x', passwordHash: 'y' })).kind, 'done')
        const two = await addAccount(accounts, 'two@x.example', administrator)
        assert.equal((await accounts.update(one.id, { role: 'user' })).kind, 'done')
        assert.deepEqual(await accounts.remove(two.id), refused)
        assert.equal((await accounts.remove(one.id)).kind, 'done')
      }),
    )
  })
}

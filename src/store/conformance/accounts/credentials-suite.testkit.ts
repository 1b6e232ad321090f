import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Account } from '../../../core/account.ts'
import type { StoreEngine } from '../engine.testkit.ts'
import { addAccount, hashOf, sessionDraft, tokenDraft, withAccounts } from './accounts-suite.testkit.ts'

export function sessionsSuite(engine: StoreEngine): void {
  describe(`sessions (${engine.name})`, () => {
    test(
      'a session is found by its hash until it expires, even after a restart',
      withAccounts(engine, async ({ accounts, sessions, open }) => {
        const ann = await addAccount(accounts, 'ann@x.example')
        const { hash, ...draft } = sessionDraft(ann.id, 's')
        await sessions.add({ hash, ...draft })
        for (const store of [sessions, open().sessions]) {
          const found = await store.find(hash, 999)
          assert.deepEqual(found, { session: { ...draft, id: found!.session.id, seenAt: 100 }, account: ann })
          assert.equal(await store.find(hash, 1_000), null)
          assert.equal(await store.find(hashOf('other'), 0), null)
        }
        const { id } = (await sessions.find(hash, 0))!.session
        await sessions.touch(id, { seenAt: 900, expiresAt: 2_000 })
        const touched = (await sessions.find(hash, 1_999))!.session
        assert.deepEqual([touched.seenAt, touched.expiresAt, touched.createdAt], [900, 2_000, 100])
      }),
    )

    test(
      'owners can list their sessions, last used first, and end one, all others or all',
      withAccounts(engine, async ({ accounts, sessions }) => {
        const [ann, bob] = [await addAccount(accounts, 'ann@x.example'), await addAccount(accounts, 'bob@x.example')]
        for (const name of ['a', 'b', 'c', 'd']) await sessions.add(sessionDraft(ann.id, name))
        await sessions.add(sessionDraft(bob.id, 'bob'))
        await sessions.add(sessionDraft(ann.id, 'over', { expiresAt: 200 }))
        const idOf = async (name: string) => (await sessions.find(hashOf(name), 0))!.session.id
        const [a, b, c, bobs] = [await idOf('a'), await idOf('b'), await idOf('c'), await idOf('bob')]
        await sessions.touch(b, { seenAt: 500, expiresAt: 1_000 })
        const mine = (await sessions.list(ann.id, 200)).map(({ id }) => id)
        assert.equal(mine.length, 4)
        assert.equal(mine[0], b)
        assert.equal(await sessions.remove(ann.id, { id: bobs }), 0, 'not hers')
        assert.equal(await sessions.remove(ann.id, { id: c }), 1)
        assert.equal(await sessions.find(hashOf('c'), 0), null)
        assert.equal(await sessions.remove(ann.id, { except: a }), 3)
        assert.deepEqual(
          (await sessions.list(ann.id, 200)).map(({ id }) => id),
          [a],
        )
        assert.equal(await sessions.remove(ann.id, 'all'), 1)
        assert.equal((await sessions.list(bob.id, 0)).length, 1)
      }),
    )

    test(
      'only expired sessions are removed',
      withAccounts(engine, async ({ accounts, sessions }) => {
        const ann = await addAccount(accounts, 'ann@x.example')
        for (const expiresAt of [200, 300, 400]) await sessions.add(sessionDraft(ann.id, `${expiresAt}`, { expiresAt }))
        assert.equal(await sessions.removeExpired(300), 2)
        assert.equal((await sessions.list(ann.id, 0)).length, 1)
      }),
    )

    test(
      'disabling an account ends its sessions, and removing it removes its sessions and tokens',
      withAccounts(engine, async ({ accounts, sessions, tokens }) => {
        const [ann, bob] = [await addAccount(accounts, 'ann@x.example'), await addAccount(accounts, 'bob@x.example')]
        for (const { id } of [ann, bob]) {
          await sessions.add(sessionDraft(id, `s${id}`))
          await tokens.add(tokenDraft(id, `t${id}`))
        }
        const known = async ({ id }: Account) => [
          (await sessions.find(hashOf(`s${id}`), 0))?.account.email,
          (await tokens.find(hashOf(`t${id}`), 0))?.account.email,
        ]
        await accounts.update(ann.id, { disabled: true })
        await sessions.add(sessionDraft(ann.id, 'late'))
        assert.deepEqual(await known(ann), [undefined, undefined])
        await accounts.update(ann.id, { disabled: false })
        assert.deepEqual(await known(ann), [undefined, ann.email], 'tokens are usable again, sessions are gone')
        assert.equal(await sessions.find(hashOf('late'), 0), null)
        await accounts.remove(ann.id)
        assert.deepEqual(await known(ann), [undefined, undefined])
        assert.deepEqual(await tokens.list(ann.id), [])
        assert.deepEqual(await sessions.list(ann.id, 0), [])
        assert.deepEqual(await known(bob), [bob.email, bob.email])
      }),
    )
  })
}

export function tokensSuite(engine: StoreEngine): void {
  describe(`tokens (${engine.name})`, () => {
    test(
      'a token is found by its hash until it expires, with its scopes and its last use',
      withAccounts(engine, async ({ accounts, tokens, open }) => {
        const ann = await addAccount(accounts, 'ann@x.example')
        const { hash, ...draft } = tokenDraft(ann.id, 'for ever')
        const made = await tokens.add({ hash, ...draft })
        assert.deepEqual(made, { ...draft, id: made.id, usedAt: 0 })
        const short = await tokens.add(tokenDraft(ann.id, 'short', { expiresAt: 500, scopes: ['admin'] }))
        assert.deepEqual(await open().tokens.find(hash, 1e15), { token: made, account: ann })
        assert.deepEqual((await tokens.find(hashOf('short'), 499))?.token, short)
        assert.equal(await tokens.find(hashOf('short'), 500), null)
        assert.equal(await tokens.find(hashOf('other'), 0), null)
        await tokens.touch(made.id, 777)
        assert.deepEqual(await tokens.list(ann.id), [{ ...made, usedAt: 777 }, short])
      }),
    )

    test(
      'only its owner can remove a token',
      withAccounts(engine, async ({ accounts, tokens }) => {
        const [ann, bob] = [await addAccount(accounts, 'ann@x.example'), await addAccount(accounts, 'bob@x.example')]
        const { id } = await tokens.add(tokenDraft(ann.id, 't'))
        assert.equal(await tokens.remove(bob.id, id), false)
        assert.deepEqual(await tokens.list(bob.id), [])
        assert.equal(await tokens.remove(ann.id, id), true)
        assert.equal(await tokens.remove(ann.id, id), false)
        assert.equal(await tokens.find(hashOf('t'), 0), null)
      }),
    )
  })
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AccountsEngine, addAccount, hashOf, tokenDraft, withAccounts } from './accounts-suite.testkit.ts'

export function tokensSuite(engine: AccountsEngine): void {
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
      'only its owner removes a token',
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

import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { defaultAccountSettings } from '../../core/account.ts'
import { createAccountLevels } from './account-levels.ts'
import { browser, createTestAccounts, PASSWORD, type TestAccounts } from './accounts.testkit.ts'

const OTHER = 'battery staple'

describe('accounts', () => {
  let accounts: TestAccounts
  const opened: TestAccounts[] = []
  beforeEach(async () => {
    accounts = await createTestAccounts()
    opened.push(accounts)
  })
  after(async () => {
    for (const each of opened) await each.close()
  })

  const addRoot = () =>
    accounts.service.users.add({ email: 'root@example.org', password: PASSWORD, role: 'administrator' })
  const addAda = () => accounts.service.users.add({ email: 'Ada@Example.org', password: PASSWORD, name: ' Ada ' })

  describe('set-up', () => {
    const form = { ...browser, email: 'Root@Example.org', password: PASSWORD, name: 'Root' }

    test('works once, only with the latest key, and signs in the new administrator', async () => {
      const { service } = accounts
      const old = (await service.prepareSetup())!
      const key = (await service.prepareSetup())!
      assert.equal(await service.isSetupNeeded(), true)
      for (const wrong of [old, '', 'x', `${key}x`])
        await assert.rejects(service.setUp({ ...form, key: wrong }), { code: 'setup-key-wrong' })
      const { caller, secret } = await service.setUp({ ...form, key })
      assert.deepEqual([caller.account.email, caller.account.role], ['root@example.org', 'administrator'])
      assert.notEqual(await service.ofSession(secret), null)
      assert.equal(await service.isSetupNeeded(), false)
      await assert.rejects(service.setUp({ ...form, key, email: 'eve@example.org' }), { code: 'setup-key-wrong' })
      assert.equal(await service.prepareSetup(), null)
      assert.equal(await accounts.stores.accounts.count(), 1)
    })

    test('creates only one account for two concurrent requests', async () => {
      const key = (await accounts.service.prepareSetup())!
      const both = ['a@example.org', 'b@example.org'].map((email) => accounts.service.setUp({ ...form, key, email }))
      const settled = (await Promise.allSettled(both)).map(({ status }) => status)
      assert.deepEqual(settled.sort(), ['fulfilled', 'rejected'])
      assert.equal(await accounts.stores.accounts.count(), 1)
    })

    test('is no longer possible once another account exists', async () => {
      const key = (await accounts.service.prepareSetup())!
      await addAda()
      await assert.rejects(accounts.service.setUp({ ...form, key }), { code: 'setup-key-wrong' })
    })

    test('does not store the key in plain text', async () => {
      const key = (await accounts.service.prepareSetup())!
      assert.ok(
        !Buffer.from((await accounts.stores.setup.hash())!)
          .toString('base64url')
          .includes(key),
      )
    })

    test('refuses short passwords and invalid addresses, and the key stays valid', async () => {
      const key = (await accounts.service.prepareSetup())!
      await assert.rejects(accounts.service.setUp({ ...form, key, password: 'short' }), { code: 'request-invalid' })
      await assert.rejects(accounts.service.setUp({ ...form, key, email: 'root' }), { code: 'request-invalid' })
      assert.equal((await accounts.service.setUp({ ...form, key })).kind, 'signed-in')
    })

    test('from the environment creates the first administrator only if there is no account', async () => {
      assert.equal(await accounts.service.ensureAdministrator('Root@example.org', PASSWORD), true)
      assert.equal(await accounts.service.ensureAdministrator('root@example.org', OTHER), false)
      assert.equal(await accounts.service.ensureAdministrator('eve@example.org', OTHER), false)
      assert.equal((await accounts.signedIn('root@example.org')).caller.account.role, 'administrator')
    })
  })

  describe('administration', () => {
    test('adds users with the service level from the settings, and each address only once', async () => {
      const ada = await addAda()
      assert.deepEqual([ada.email, ada.name, ada.role, ada.level], ['ada@example.org', 'Ada', 'user', 'silver'])
      await assert.rejects(addAda(), { code: 'address-taken' })
      const { users } = accounts.service
      assert.equal((await users.add({ email: 'gold@example.org', password: PASSWORD })).level, 'gold')
      assert.equal(
        (await users.add({ email: 'gold2@example.org', password: PASSWORD, level: 'bronze' })).level,
        'bronze',
      )
      assert.equal((await users.findByEmail('ADA@example.org'))?.id, ada.id)
      assert.ok(!JSON.stringify(await users.list({ after: 0, limit: 10 })).includes('argon2'))
      assert.ok(!JSON.stringify(await users.findByEmail('ada@example.org')).includes('argon2'))
    })

    test('does not demote, disable or remove the last administrator', async () => {
      const root = await addRoot()
      const { users } = accounts.service
      await assert.rejects(users.change(root.id, { role: 'user' }), { code: 'last-administrator' })
      await assert.rejects(users.change(root.id, { disabled: true }), { code: 'last-administrator' })
      await assert.rejects(users.remove(root.id), { code: 'last-administrator' })
      const ada = await addAda()
      await users.change(ada.id, { role: 'administrator' })
      assert.equal((await users.remove(root.id)).account.email, 'root@example.org')
      await assert.rejects(users.remove(ada.id), { code: 'last-administrator' })
      assert.equal((await users.find(ada.id))?.disabled, false)
    })

    test('sets a new password, which ends all sessions', async () => {
      const { id } = await addAda()
      const { secret } = await accounts.signedIn('ada@example.org')
      await accounts.service.users.change(id, { password: OTHER })
      assert.equal(await accounts.service.ofSession(secret), null)
      await accounts.signedIn('ada@example.org', OTHER)
    })

    test('reports unknown accounts as not found', async () => {
      const { users } = accounts.service
      assert.equal(await users.find(99), null)
      await assert.rejects(users.change(99, { name: 'x' }), { code: 'not-found' })
      await assert.rejects(users.remove(99), { code: 'not-found' })
    })
  })

  describe('own account', () => {
    test('changes the password if the current one is right, and ends all other sessions', async () => {
      await addAda()
      const here = await accounts.signedIn('ada@example.org')
      const there = await accounts.signedIn('ada@example.org')
      const change = { password: OTHER, address: browser.address }
      const { service } = accounts
      assert.deepEqual(await service.changePassword(here.caller, { ...change, current: 'wrong' }), { kind: 'wrong' })
      assert.deepEqual(await service.changePassword(here.caller, { ...change, current: PASSWORD }), { kind: 'changed' })
      assert.notEqual(await service.ofSession(here.secret), null)
      assert.equal(await service.ofSession(there.secret), null)
      await accounts.signedIn('ada@example.org', OTHER)
    })

    test('limits guesses at the password, so that a stolen session does not reveal it', async () => {
      await addAda()
      const { caller } = await accounts.signedIn('ada@example.org')
      const change = { current: 'wrong', password: OTHER, address: browser.address }
      for (let n = 0; n < 5; n++) await accounts.service.changePassword(caller, change)
      assert.deepEqual(await accounts.service.changePassword(caller, change), { kind: 'wait', seconds: 1 })
    })

    test('keeps all settings that are changed at the same time', async () => {
      await addAda()
      const { caller } = await accounts.signedIn('ada@example.org')
      const { service } = accounts
      await Promise.all([
        service.changeOwn(caller, { theme: 'dark' }),
        service.changeOwn(caller, { shortcuts: false }),
        service.changeOwn(caller, { notifications: { perHour: 7 } }),
        service.changeOwn(caller, { notifications: { urgentFrom: 4 } }),
      ])
      const { settings } = await service.changeOwn(caller, {})
      const notifications = { quiet: null, urgentFrom: 4, perHour: 7 }
      assert.deepEqual(settings, { ...defaultAccountSettings, theme: 'dark', shortcuts: false, notifications })
    })

    test('changes settings one by one', async () => {
      await addAda()
      const { caller } = await accounts.signedIn('ada@example.org')
      await accounts.service.changeOwn(caller, { timeZone: 'Europe/Athens' })
      const changed = await accounts.service.changeOwn(caller, { shortcuts: false, name: 'A\u0000da' })
      assert.deepEqual(changed.settings, {
        ...defaultAccountSettings,
        timeZone: 'Europe/Athens',
        shortcuts: false,
      })
      assert.equal(changed.name, 'A da')
      await assert.rejects(accounts.service.changeOwn(caller, { timeZone: 'Mars/Base' }), { code: 'request-invalid' })
    })
  })

  test('determine the service level of their owner, until they are removed', async () => {
    const { users } = accounts.service
    const levels = createAccountLevels({
      accounts: accounts.stores.accounts,
      otherwise: (owner) => (owner === 'listed@example.org' ? 'bronze' : 'silver'),
    })
    const { id } = await addAda()
    await levels.refresh()
    assert.deepEqual(await levels.refresh(), [])
    assert.equal(levels.levelOf('ada@example.org'), 'silver')
    assert.equal(levels.levelOf('listed@example.org'), 'bronze')
    await users.change(id, { level: 'gold' })
    await users.add({ email: 'listed@example.org', password: PASSWORD, level: 'gold' })
    assert.deepEqual((await levels.refresh()).sort(), ['ada@example.org', 'listed@example.org'])
    assert.equal(levels.levelOf('Ada@example.org'), 'gold')
    await addRoot()
    const { channels } = accounts.stores
    const secret = { kind: 'webhook', name: 'ops', settings: { secret: 'x' }, createdAt: 0 }
    for (const owner of ['ada@example.org', 'root@example.org']) await channels.add({ ...secret, id: owner, owner })
    await users.remove(id)
    assert.equal(await channels.find('ada@example.org'), null)
    assert.ok(await channels.find('root@example.org'))
    assert.deepEqual(await levels.refresh(), ['ada@example.org'])
    assert.equal(levels.levelOf('ada@example.org'), 'silver')
  })
})

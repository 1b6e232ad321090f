import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import { createTestAccounts, PASSWORD, SESSION_AGE_MS, type TestAccounts } from './accounts.testkit.ts'

const HALF_AGE_MS = SESSION_AGE_MS / 2

describe('sessions', () => {
  const clock = createManualClock()
  let accounts: TestAccounts
  before(async () => {
    accounts = await createTestAccounts(clock)
    await accounts.service.users.add({ email: 'root@example.org', password: PASSWORD, role: 'administrator' })
    await accounts.service.users.add({ email: 'ada@example.org', password: PASSWORD })
  })
  after(() => accounts.close())

  test('survive a restart', async () => {
    const { secret } = await accounts.signedIn('ada@example.org')
    const { service } = accounts.restart()
    assert.equal((await service.ofSession(secret))?.account.email, 'ada@example.org')
  })

  test('expire when unused for long enough, but not while in use', async () => {
    const { secret } = await accounts.signedIn('ada@example.org')
    for (let n = 0; n < 4; n++) {
      clock.advance(HALF_AGE_MS)
      assert.notEqual(await accounts.service.ofSession(secret), null)
    }
    clock.advance(SESSION_AGE_MS)
    assert.equal(await accounts.service.ofSession(secret), null)
  })

  test('record their last use at most once a minute', async () => {
    const { secret, caller } = await accounts.signedIn('ada@example.org')
    const seenAt = async () => (await accounts.service.sessions(caller)).find(({ current }) => current)!.seenAt
    const start = clock.now()
    clock.advance(59_000)
    await accounts.service.ofSession(secret)
    assert.equal(await seenAt(), start)
    clock.advance(1000)
    await accounts.service.ofSession(secret)
    assert.equal(await seenAt(), start + 60_000)
  })

  test('end when the user signs out, here or everywhere', async () => {
    const here = await accounts.signedIn('ada@example.org')
    const there = await accounts.signedIn('ada@example.org')
    const root = await accounts.signedIn('root@example.org')
    await accounts.service.ofSession(here.secret)
    await accounts.service.signOut(here.caller)
    assert.equal(await accounts.service.ofSession(here.secret), null)
    assert.notEqual(await accounts.service.ofSession(there.secret), null)
    const third = await accounts.signedIn('ada@example.org')
    await accounts.service.signOutEverywhere(third.caller)
    assert.equal(await accounts.service.ofSession(there.secret), null)
    assert.equal(await accounts.service.ofSession(third.secret), null)
    assert.notEqual(await accounts.service.ofSession(root.secret), null)
  })

  test('can be ended one by one, but only by their owner', async () => {
    const ada = await accounts.signedIn('ada@example.org')
    const root = await accounts.signedIn('root@example.org')
    assert.equal(await accounts.service.endSession(root.caller, ada.caller.key), false)
    assert.notEqual(await accounts.service.ofSession(ada.secret), null)
    assert.equal(await accounts.service.endSession(ada.caller, ada.caller.key), true)
    assert.equal(await accounts.service.ofSession(ada.secret), null)
  })

  test('of a disabled account end at once, even if cached', async () => {
    const { account } = (await accounts.signedIn('ada@example.org')).caller
    const { secret, caller } = await accounts.signedIn('ada@example.org')
    const token = await accounts.service.addToken(caller, { name: 't' })
    assert.notEqual(await accounts.service.ofSession(secret), null)
    assert.notEqual(await accounts.service.ofToken(token.secret), null)
    await accounts.service.users.change(account.id, { disabled: true })
    assert.equal(await accounts.service.ofSession(secret), null)
    assert.equal(await accounts.service.ofToken(token.secret), null)
    const attempt = { email: 'ada@example.org', password: PASSWORD, address: '203.0.113.5', agent: '' }
    assert.deepEqual(await accounts.service.signIn(attempt), { kind: 'wrong' })
    await accounts.service.users.change(account.id, { disabled: false })
    assert.equal(await accounts.service.ofSession(secret), null)
    assert.notEqual(await accounts.service.ofToken(token.secret), null)
  })

  test('reflect changes by another process within 250 ms', async () => {
    const { secret, caller } = await accounts.signedIn('ada@example.org')
    assert.equal((await accounts.service.ofSession(secret))?.account.role, 'user')
    const other = accounts.restart().service
    await other.users.change(caller.account.id, { role: 'administrator' })
    clock.advance(250)
    assert.equal((await accounts.service.ofSession(secret))?.account.role, 'administrator')
    await other.users.change(caller.account.id, { role: 'user' })
  })
})

describe('tokens', () => {
  const clock = createManualClock()
  let accounts: TestAccounts
  before(async () => {
    accounts = await createTestAccounts(clock)
    await accounts.service.users.add({ email: 'ada@example.org', password: PASSWORD })
  })
  after(() => accounts.close())

  test('can read and write by default, and start with a known prefix', async () => {
    const { caller } = await accounts.signedIn('ada@example.org')
    const { token, secret } = await accounts.service.addToken(caller, { name: ' script\n' })
    assert.match(secret, /^erace_[\w-]{43}$/)
    assert.deepEqual([token.name, token.scopes, token.expiresAt], ['script', ['read', 'write'], 0])
    const known = (await accounts.service.ofToken(secret))!
    assert.deepEqual([known.via, known.key, known.scopes], ['token', token.id, ['read', 'write']])
    assert.equal(await accounts.service.ofSession(secret), null)
    assert.equal((await accounts.service.tokens(caller))[0]!.usedAt, clock.now())
    assert.equal(await accounts.service.removeToken(caller, token.id), true)
    assert.equal(await accounts.service.ofToken(secret), null)
    assert.equal(await accounts.service.removeToken(caller, token.id), false)
  })

  test('expire at the given time', async () => {
    const { caller } = await accounts.signedIn('ada@example.org')
    const { secret } = await accounts.service.addToken(caller, { name: 't', expiresAt: clock.now() + 1000 })
    assert.notEqual(await accounts.service.ofToken(secret), null)
    clock.advance(1000)
    assert.equal(await accounts.service.ofToken(secret), null)
    await assert.rejects(accounts.service.addToken(caller, { name: 't', expiresAt: clock.now() }), {
      code: 'request-invalid',
    })
  })

  test('with the admin scope are for administrators only', async () => {
    const { caller } = await accounts.signedIn('ada@example.org')
    await assert.rejects(accounts.service.addToken(caller, { name: 't', scopes: ['admin'] }), { code: 'forbidden' })
  })
})

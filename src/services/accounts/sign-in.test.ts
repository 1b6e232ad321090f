import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import { browser, createTestAccounts, PASSWORD, SESSION_AGE_MS, type TestAccounts } from './accounts.testkit.ts'
import type { Caller } from './callers.ts'
import { createPasswords } from './passwords.ts'

describe('sign-in', () => {
  const clock = createManualClock()
  let accounts: TestAccounts
  before(async () => {
    accounts = await createTestAccounts(clock)
    for (const email of ['ada@example.org', 'eve@example.org'])
      await accounts.service.users.add({ email, password: PASSWORD })
  })
  after(() => accounts.close())

  const attempt = (email: string, password: string, address = browser.address) =>
    accounts.service.signIn({ email, password, agent: '', address })

  test('finds the account regardless of case and spaces in the email address', async () => {
    const { caller, secret, expiresAt } = await accounts.signedIn(' Ada@Example.ORG ')
    assert.deepEqual(
      [caller.account.email, caller.via, expiresAt],
      ['ada@example.org', 'session', clock.now() + SESSION_AGE_MS],
    )
    assert.match(secret, /^[\w-]{43}$/)
    assert.equal((await accounts.service.ofSession(secret))?.account.email, 'ada@example.org')
    assert.equal(await accounts.service.ofToken(secret), null)
  })

  test('computes a hash even for an unknown email address', async () => {
    for (const email of ['ada@example.org', 'nobody@example.org', 'no address']) {
      const before = accounts.passwords.computed()
      assert.deepEqual(await attempt(email, 'wrong', '192.0.2.77'), { kind: 'wrong' })
      assert.equal(accounts.passwords.computed(), before + 1, email)
    }
    await attempt('ada@example.org', PASSWORD, '192.0.2.77')
  })

  test('backs off after five wrong passwords, even across restarts, and resets on success', async () => {
    for (let n = 0; n < 5; n++)
      assert.deepEqual(await attempt('eve@example.org', 'wrong', `198.51.100.${n}`), { kind: 'wrong' })
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      const computed = accounts.passwords.computed()
      // Not even the right password is checked.
      assert.deepEqual(await attempt('EVE@example.org', PASSWORD, '198.51.100.9'), { kind: 'wait', seconds })
      const { service, passwords } = accounts.restart()
      const again = await service.signIn({ ...browser, email: 'eve@example.org', password: PASSWORD })
      assert.deepEqual([again, passwords.computed()], [{ kind: 'wait', seconds }, 0])
      assert.equal(accounts.passwords.computed(), computed)
      clock.advance(seconds * 1000 - 1)
      assert.deepEqual(await attempt('eve@example.org', 'wrong'), { kind: 'wait', seconds: 1 })
      clock.advance(1)
      assert.deepEqual(await attempt('eve@example.org', 'wrong', '198.51.100.10'), { kind: 'wrong' })
    }
    clock.advance(900_000)
    assert.equal((await attempt('eve@example.org', PASSWORD, '198.51.100.9')).kind, 'signed-in')
    assert.equal((await attempt('eve@example.org', 'wrong', '198.51.100.9')).kind, 'wrong')
    assert.equal((await attempt('eve@example.org', PASSWORD, '198.51.100.9')).kind, 'signed-in')
  })

  test('backs off for unknown email addresses too', async () => {
    for (let n = 0; n < 5; n++) await attempt('ghost@example.org', 'wrong', `198.51.101.${n}`)
    assert.deepEqual(await attempt('ghost@example.org', 'wrong', '198.51.101.9'), { kind: 'wait', seconds: 1 })
  })

  test('forgets failures after a day', async () => {
    for (let n = 0; n < 12; n++) {
      await attempt('day@example.org', 'wrong', `198.51.102.${n}`)
      clock.advance(900_000)
    }
    clock.advance(86_400_000)
    for (let n = 0; n < 5; n++) assert.equal((await attempt('day@example.org', 'wrong', '198.51.102.99')).kind, 'wrong')
    assert.deepEqual(await attempt('day@example.org', 'wrong', '198.51.102.98'), { kind: 'wait', seconds: 1 })
  })

  test('backs off after twenty wrong passwords from one network (IPv6 /64), for any account', async () => {
    for (let n = 0; n < 20; n++)
      assert.equal((await attempt(`x${n}@example.org`, 'wrong', `2001:db8::${n}`)).kind, 'wrong')
    assert.deepEqual(await attempt('ada@example.org', PASSWORD, '2001:db8::ffff'), { kind: 'wait', seconds: 1 })
    assert.equal((await attempt('ada@example.org', PASSWORD, '2001:db8:0:1::1')).kind, 'signed-in')
  })

  test('checks at most twenty concurrent guesses from one network address', async () => {
    const before = accounts.passwords.computed()
    const guesses = Array.from({ length: 250 }, (_, n) => attempt(`g${n}@example.org`, 'wrong', '198.51.106.1'))
    const kinds = (await Promise.all(guesses)).map(({ kind }) => kind)
    assert.equal(kinds.filter((kind) => kind === 'wrong').length, 20)
    assert.equal(accounts.passwords.computed() - before, 20)
    assert.ok(kinds.every((kind) => kind === 'wrong' || kind === 'wait'))
  })

  test('signing in to one account does not reset the limit of guesses at others', async () => {
    let checked = 0
    for (let n = 0; n < 40; n++) {
      await attempt('ada@example.org', PASSWORD, '198.51.107.1')
      if ((await attempt(`own${n}@example.org`, 'wrong', '198.51.107.1')).kind === 'wrong') checked++
    }
    assert.equal(checked, 20)
  })

  test('a device that signed in before is not locked out by the guesses of others', async () => {
    const email = 'device@example.org'
    await accounts.service.users.add({ email, password: PASSWORD })
    const { device } = await accounts.signedIn(email)
    for (let n = 0; n < 9; n++) await attempt(email, 'wrong', `198.51.108.${n}`)
    assert.equal((await attempt(email, PASSWORD)).kind, 'wait')
    const fromDevice = (password: string, cookie = device) =>
      accounts.service.signIn({ email, password, device: cookie, ...browser })
    assert.equal((await fromDevice(PASSWORD)).kind, 'signed-in')
    assert.equal((await attempt(email, PASSWORD)).kind, 'wait')
    // The device has its own allowance; a cookie of another account or a forged one doesn't count as a device.
    const other = (await accounts.signedIn('ada@example.org')).device
    for (const cookie of [other, `${'a'.repeat(22)}.${'a'.repeat(43)}`, 'x', device.slice(0, -1)])
      assert.equal((await fromDevice(PASSWORD, cookie)).kind, 'wait')
    for (let n = 0; n < 5; n++) assert.equal((await fromDevice('wrong')).kind, 'wrong')
    assert.equal((await fromDevice(PASSWORD)).kind, 'wait')
    clock.advance(1000)
    assert.equal((await fromDevice(PASSWORD)).kind, 'signed-in')
    // A new password invalidates the device cookie.
    const { caller } = (await fromDevice(PASSWORD)) as { caller: Caller }
    const change = { current: PASSWORD, password: 'another horse', address: browser.address }
    assert.equal((await accounts.service.changePassword(caller, change)).kind, 'changed')
    await attempt(email, 'wrong', '198.51.108.99')
    assert.equal((await fromDevice('another horse')).kind, 'wait')
  })

  test('does not wait longer after the clock is set back', async () => {
    for (let n = 0; n < 6; n++) await attempt('back@example.org', 'wrong', `198.51.103.${n}`)
    clock.jump(-86_400_000)
    assert.deepEqual(await attempt('back@example.org', 'wrong', '198.51.103.9'), { kind: 'wait', seconds: 1 })
    clock.jump(86_400_000)
  })

  test('counts concurrent guesses one by one', async () => {
    const guesses = Array.from({ length: 20 }, (_, n) => attempt('many@example.org', 'wrong', `198.51.104.${n}`))
    const kinds = (await Promise.all(guesses)).map(({ kind }) => kind)
    assert.equal(kinds.filter((kind) => kind === 'wrong').length, 5)
    const right = Array.from({ length: 20 }, () => attempt('ada@example.org', PASSWORD, '198.51.105.1'))
    for (const { kind } of await Promise.all(right)) assert.equal(kind, 'signed-in')
  })

  test('rehashes passwords that were hashed at a lower cost', async () => {
    const email = 'old@example.org'
    await accounts.service.users.add({ email, password: PASSWORD })
    const weak = createPasswords({ cost: { memoryKib: 8, passes: 1, lanes: 1 } })
    const { id } = (await accounts.stores.accounts.findByEmail(email))!
    await accounts.stores.accounts.update(id, { passwordHash: await weak.hash(PASSWORD) })
    await accounts.signedIn(email)
    assert.match((await accounts.stores.accounts.findByEmail(email))!.passwordHash, /m=64,/)
    await accounts.signedIn(email)
  })

  test('lists sessions without their secrets, and with a cleaned and shortened user agent', async () => {
    const outcome = await accounts.service.signIn({
      email: 'ada@example.org',
      password: PASSWORD,
      address: '198.51.100.1',
      agent: `a\u001b[2Jb\n${'x'.repeat(5000)}`,
    })
    assert.equal(outcome.kind, 'signed-in')
    if (outcome.kind !== 'signed-in') return
    const sessions = await accounts.service.sessions(outcome.caller)
    const own = sessions.find(({ current }) => current)!
    assert.equal(own.agent.length, 300)
    assert.ok(own.agent.startsWith('a [2Jb x'))
    assert.ok(!JSON.stringify(sessions).includes(outcome.secret))
  })
})

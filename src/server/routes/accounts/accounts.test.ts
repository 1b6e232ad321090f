import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { createManualClock } from '../../../core/clock.ts'
import { createTestServer, type TestServer } from '../../server.testkit.ts'

const PASSWORD = 'correct horse'
const ada = { email: 'ada@example.org', password: PASSWORD }

type Answer = { statusCode: number; headers: Record<string, unknown>; json(): { error: { code: string } } }

function refused(answer: Answer, status: number, code: string): void {
  assert.equal(answer.statusCode, status)
  assert.equal(answer.json().error.code, code)
}

const cookieOf = ({ headers }: Answer): string =>
  [headers['set-cookie']]
    .flat()
    .map(String)
    .find((cookie) => cookie.startsWith('erace_session=')) ?? ''
const secretOf = (answer: Answer): string => /erace_session=([^;]+)/.exec(cookieOf(answer))![1]!

describe('signing in over HTTP', () => {
  const clock = createManualClock()
  let erace: TestServer
  const lines: string[] = []
  before(async () => {
    erace = await createTestServer({ clock, onLog: (line) => lines.push(line) })
    await erace.addUser(ada.email, { password: PASSWORD })
    await erace.addUser('eve@example.org', { password: PASSWORD })
  })
  after(() => erace.close())

  test('sets an HttpOnly, SameSite=Strict cookie, which signing out clears', async () => {
    const answer = await erace.nobody().post('/session', { ...ada, email: 'ADA@example.org' })
    assert.equal(answer.statusCode, 200)
    assert.deepEqual([answer.json().user.email, answer.json().via], ['ada@example.org', 'session'])
    const flags = cookieOf(answer).split('; ').slice(1)
    assert.deepEqual(flags.toSorted(), ['HttpOnly', 'Max-Age=34560000', 'Path=/', 'SameSite=Strict'])
    const browser = erace.nobody({ cookie: `erace_session=${secretOf(answer)}` })
    assert.equal((await browser.get('/session')).json().user.email, 'ada@example.org')
    const out = await browser.delete('/session')
    assert.equal(out.statusCode, 204)
    assert.match(cookieOf(out), /^erace_session=; .*(?:Max-Age=0|Expires=Thu, 01 Jan 1970)/)
    refused(await browser.get('/session'), 401, 'not-signed-in')
  })

  test('ends the previous session of the browser', async () => {
    const first = await erace.nobody().post('/session', ada)
    const old = { cookie: `erace_session=${secretOf(first)}` }
    assert.equal((await erace.nobody(old).post('/session', ada)).statusCode, 200)
    refused(await erace.nobody(old).get('/me'), 401, 'not-signed-in')
  })

  test('refuses cross-site requests, except those with a token', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      refused(await erace.nobody(headers).post('/session', ada), 403, 'cross-site')
      refused(await erace.nobody(headers).post('/setup', { ...ada, key: 'x' }), 403, 'cross-site')
      refused(await erace.as(ada.email).patch('/me', { name: 'x' }, { headers }), 403, 'cross-site')
      refused(await erace.as(ada.email).delete('/session', undefined, { headers }), 403, 'cross-site')
    }
    const own = { 'sec-fetch-site': 'same-origin' }
    assert.equal((await erace.nobody(own).post('/session', ada)).statusCode, 200)
    // Browsers never send a token by themselves.
    const foreign = { headers: { origin: 'https://elsewhere.example' } }
    assert.equal((await erace.asToken(ada.email).patch('/me', { name: 'x' }, foreign)).statusCode, 200)
  })

  test('answers 429 with Retry-After after too many wrong passwords', async () => {
    const wrong = { email: 'eve@example.org', password: 'wrong' }
    for (let n = 0; n < 5; n++) refused(await erace.nobody().post('/session', wrong), 401, 'sign-in-wrong')
    const answer = await erace.nobody().post('/session', { ...wrong, password: PASSWORD })
    refused(answer, 429, 'too-many-attempts')
    assert.equal(answer.headers['retry-after'], '1')
    clock.advance(1000)
    assert.equal((await erace.nobody().post('/session', { ...wrong, password: PASSWORD })).statusCode, 200)
  })

  test('refuses malformed sign-in requests', async () => {
    const nobody = erace.nobody()
    for (const body of [{}, { ...ada, more: 1 }, { email: ada.email }, { ...ada, password: 'x'.repeat(2000) }, []])
      refused(await nobody.post('/session', body), 400, 'request-invalid')
    const json = { headers: { 'content-type': 'application/json' } }
    refused(await nobody.post('/session', '{', json), 400, 'request-invalid')
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    refused(await nobody.post('/session', 'email=a&password=b', form), 415, 'type-unsupported')
    refused(await erace.nobody({ cookie: 'erace_session=%00' }).get('/me'), 401, 'not-signed-in')
  })

  test('lists sessions, and ends one or all', async () => {
    const here = erace.as('eve@example.org')
    const there = erace.as('eve@example.org')
    await there.get('/me')
    const { items } = (await here.get('/sessions')).json()
    const other = items.find(({ agent, current }: { agent: string; current: boolean }) => agent === 'test' && !current)
    assert.equal(items.filter(({ current }: { current: boolean }) => current).length, 1)
    assert.equal((await here.delete(`/sessions/${other.id}`)).statusCode, 204)
    refused(await there.get('/me'), 401, 'not-signed-in')
    refused(await here.delete(`/sessions/${other.id}`), 404, 'not-found')
    refused(await erace.as(ada.email).delete(`/sessions/${items[0].id}`), 404, 'not-found')
    assert.equal((await here.delete('/sessions')).statusCode, 204)
    refused(await here.get('/me'), 401, 'not-signed-in')
  })

  test('lets users change their own password and settings', async () => {
    await erace.addUser('pat@example.org', { password: PASSWORD })
    const pat = erace.as('pat@example.org')
    const other = erace.as('pat@example.org')
    await other.get('/me')
    const answer = await pat.post('/me/password', { current: 'wrong', password: 'battery staple' })
    refused(answer, 400, 'request-invalid')
    assert.equal(answer.json().error.details[0].place, 'body.current')
    refused(await pat.post('/me/password', { current: PASSWORD, password: 'short' }), 400, 'request-invalid')
    const change = { current: PASSWORD, password: 'battery staple' }
    refused(await erace.asToken('pat@example.org').post('/me/password', change), 403, 'forbidden')
    assert.equal((await pat.post('/me/password', change)).statusCode, 204)
    refused(await other.get('/me'), 401, 'not-signed-in')
    const me = (await pat.patch('/me', { name: 'Pat', timeZone: 'Europe/Athens', shortcuts: false })).json()
    assert.deepEqual([me.name, me.timeZone, me.shortcuts], ['Pat', 'Europe/Athens', false])
    assert.deepEqual((await pat.get('/me')).json(), me)
    for (const [given, stored] of [
      ['Europe/Kyiv', 'Europe/Kyiv'],
      ['europe/athens', 'Europe/Athens'],
    ] as const)
      assert.equal((await pat.patch('/me', { timeZone: given })).json().timeZone, stored)
    refused(await pat.patch('/me', { timeZone: 'Mars/Base' }), 400, 'request-invalid')
    assert.deepEqual([me.theme, me.notifications], ['system', { quiet: null, urgentFrom: null, perHour: null }])
    await pat.patch('/me', { theme: 'dark', notifications: { quiet: { from: '22:00', to: '7:00' }, perHour: 9 } })
    await pat.patch('/me', { notifications: { perHour: null, urgentFrom: 5 } })
    const after = (await pat.get('/me')).json()
    const quiet = { from: '22:00', to: '07:00' }
    assert.deepEqual([after.theme, after.notifications], ['dark', { quiet, urgentFrom: 5, perHour: null }])
    const wrong = await pat.patch('/me', { notifications: { quiet: { from: '25:00', to: 'x' }, perHour: 0 } })
    refused(wrong, 400, 'request-invalid')
    assert.deepEqual(
      wrong.json().error.details.map(({ place }: { place: string }) => place),
      ['notifications.quiet.from', 'notifications.quiet.to', 'notifications.perHour'],
    )
    refused(await pat.patch('/me', { theme: 'pink' }), 400, 'request-invalid')
    refused(await pat.patch('/me', { notifications: { quite: null } }), 400, 'request-invalid')
    refused(await pat.patch('/me', { role: 'administrator' }), 400, 'request-invalid')
  })

  test('logs no secrets or passwords', () => {
    assert.ok(!lines.some((line) => /correct horse|erace_session=|argon2/.test(line)))
  })
})

describe('cookies', () => {
  test('are Secure if the public URL or a trusted proxy says HTTPS', async () => {
    const isSecure = async (erace: TestServer, headers = {}) => {
      const answer = await erace.nobody(headers).post('/session', ada)
      return /; Secure/.test(cookieOf(answer))
    }
    const settings = { 'server.trustProxy': '127.0.0.1' }
    const proxied = await createTestServer({ settings })
    const named = await createTestServer({ settings: { 'server.url': 'https://erace.example' } })
    const plain = await createTestServer()
    try {
      for (const each of [proxied, named, plain]) await each.addUser(ada.email, { password: PASSWORD })
      assert.equal(await isSecure(named), true)
      assert.equal(await isSecure(proxied, { 'x-forwarded-proto': 'https' }), true)
      assert.equal(await isSecure(proxied), false)
      // The header counts only from a trusted proxy.
      assert.equal(await isSecure(plain, { 'x-forwarded-proto': 'https' }), false)
    } finally {
      for (const each of [proxied, named, plain]) await each.close()
    }
  })
})

describe('set-up over HTTP', () => {
  test('creates the first administrator, whose session survives a restart', async () => {
    const erace = await createTestServer()
    const key = await erace.parts.accounts.prepareSetup()
    assert.deepEqual((await erace.nobody().get('/setup')).json(), { needed: true })
    refused(await erace.nobody().post('/setup', { ...ada, key: 'guess' }), 403, 'setup-key-wrong')
    const answer = await erace.nobody().post('/setup', { ...ada, key, name: 'Ada' })
    assert.equal(answer.statusCode, 201)
    assert.deepEqual([answer.json().user.role, answer.json().user.name], ['administrator', 'Ada'])
    refused(await erace.nobody().post('/setup', { ...ada, email: 'eve@example.org', key }), 403, 'setup-key-wrong')
    assert.deepEqual((await erace.nobody().get('/setup')).json(), { needed: false })
    const again = await createTestServer({ folder: erace.folder })
    try {
      const me = await again.nobody({ cookie: `erace_session=${secretOf(answer)}` }).get('/me')
      assert.equal(me.json().email, 'ada@example.org')
    } finally {
      await again.close()
      await erace.close()
      await rm(erace.folder, { recursive: true, force: true })
    }
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../../core/clock.ts'
import { checkDecks } from '../../../xml/wml-dtd.testkit.ts'
import { xmllintSkip } from '../../../xml/xmllint.testkit.ts'
import { createTestServer, type TestServer } from '../../server.testkit.ts'
import { annotate } from '../inbox/inbox.testkit.ts'
import { createPhone } from './phone.testkit.ts'

const ada = 'ada@example.org'
const password = 'p&ss $(e) wörd'

async function withPhones(work: (server: TestServer) => Promise<void>, clock = createManualClock()): Promise<void> {
  const server = await createTestServer({ clock })
  try {
    await server.addUser(ada, { password })
    await server.addUser('bob@example.org')
    await work(server)
  } finally {
    await server.close()
  }
}

type Phone = ReturnType<typeof createPhone>

async function signIn(phone: Phone, words = password): Promise<void> {
  await phone.open('/')
  phone.type('e', ada)
  phone.type('p', words)
  await phone.tap('Sign in')
}

describe('WML-only phone', () => {
  for (const takesCookies of [true, false])
    test(
      `signs in, reads, marks and signs out, ${takesCookies ? 'with' : 'without'} cookies`,
      { skip: xmllintSkip },
      () =>
        withPhones(async (server) => {
          for (let n = 0; n < 25; n++)
            await annotate(server, ada, {
              ...{ profile: `profile-${n % 12}-${'x'.repeat(60)}`, title: `Change ${n} costs $(e) & <b>` },
              summary: { text: `It went from $ ${n} to "more" & more. `.repeat(60), marks: [] },
            })
          await annotate(server, 'bob@example.org', { title: 'Not hers' })
          await server.stores.channels.add({
            ...{ id: 'c_1', owner: ada, kind: 'webhook', name: 'ops $x', settings: {}, createdAt: 0 },
          })
          const phone = createPhone(server, { takesCookies })
          await signIn(phone, 'wrong')
          assert.match(phone.text, /^Wrong email address or password/)
          phone.type('p', password)
          await phone.tap('Sign in')
          assert.match(phone.url, takesCookies ? /^\/wml\/-\/home$/ : /^\/wml\/\d+\.\d+\.[\w-]{22}\/home$/)
          assert.equal(phone.typed.size, 0, 'the password is forgotten')
          assert.match(phone.text, /^Unread \(25\)\nAll\nStarred \(0\)/)
          assert.doesNotMatch(phone.text, /failing/)

          await server.stores.channels.note('c_1', {
            ...{ state: 'failing', reason: 'status 503: no $money', failures: 3, retryAt: 9, sentAt: 0 },
          })
          await phone.open('home')
          assert.match(phone.text, /^ops \$x is failing\nstatus 503: no \$money/)
          let profiles = 0
          for (;;) {
            profiles += [...phone.deck.matchAll(/href="list\?p=/g)].length
            if (!phone.deck.includes('>More<')) break
            await phone.tap('More')
          }
          assert.equal(profiles, 12)
          await phone.tap('Home')

          await phone.tap('Unread (25)')
          const seen = new Set<string>()
          for (;;) {
            for (const [, id] of phone.deck.matchAll(/href="item\?id=(\d+)"/g)) seen.add(id!)
            assert.doesNotMatch(phone.text, /Not hers/)
            if (!phone.deck.includes('>More<')) break
            await phone.tap('More')
          }
          assert.equal(seen.size, 25)

          const id = Number([...seen][0])
          await phone.open(`item?id=${id}`)
          assert.match(phone.text, /^Change 24 costs \$\(e\) & <b>/)
          while (phone.deck.includes('>More<')) await phone.tap('More')
          assert.equal((await server.stores.inbox.find(ada, id))!.read, false, 'reading ahead changes nothing')
          const stateOf = async () => {
            const { read, starred, archived } = (await server.stores.inbox.find(ada, id))!
            return [read, starred, archived]
          }
          const last = async (): Promise<void> => {
            while (phone.deck.includes('>More<')) await phone.tap('More')
          }
          for (const [label, state] of [
            ['Mark read', [true, false, false]],
            ['Star', [true, true, false]],
            ['Archive', [true, true, true]],
            ['Move to inbox', [true, true, false]],
            ['Remove star', [true, false, false]],
            ['Mark unread', [false, false, false]],
          ] as const) {
            await phone.tap(label)
            assert.deepEqual(await stateOf(), state, label)
            await last()
          }
          await phone.tap('Inbox')
          assert.match(phone.text, /Change 24/)
          await phone.open('item?id=999999')
          assert.match(phone.text, /no longer in your inbox/)
          await phone.tap('Home')
          const home = phone.url
          await phone.tap('Sign out')
          assert.match(phone.text, /^Signed out/)
          await phone.open(home)
          assert.match(phone.text, /^Please sign in/)
          checkDecks(phone.decks)
        }),
    )

  test('changes nothing without a POST with the token of its session, and shows nothing of others', () =>
    withPhones(async (server) => {
      const mine = await annotate(server, ada)
      const his = await annotate(server, 'bob@example.org', { title: 'Not hers' })
      const phone = createPhone(server, { takesCookies: true })
      await signIn(phone)
      await phone.open(`item?id=${his}`)
      assert.doesNotMatch(phone.text, /Not hers/)
      await phone.open(`item?id=${mine}`)
      const token = /name="t" value="([^"]+)"/.exec(phone.deck)![1]!
      const cookie = `erace_session=${/* of the phone */ await cookieOf(server)}`
      const send = (method: 'GET' | 'POST', t: string, more: Record<string, string> = {}) =>
        server.server.inject({
          ...{ method, url: `/wml/-/mark?id=${mine}&m=archive` },
          headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...more },
          ...(method === 'POST' ? { payload: `t=${t}` } : {}),
        })
      assert.equal((await send('POST', '')).statusCode, 403)
      // The token of another session.
      assert.equal((await send('POST', token)).statusCode, 403)
      assert.ok([404, 405].includes((await send('GET', token)).statusCode))
      assert.equal((await send('POST', token, { 'sec-fetch-site': 'cross-site' })).statusCode, 403)
      assert.equal((await server.stores.inbox.find(ada, mine))!.archived, false)
    }))

  test('has a session in the URL that expires soon, is bound to the phone, and can be ended elsewhere', async () => {
    const clock = createManualClock()
    await withPhones(async (server) => {
      await annotate(server, ada)
      const phone = createPhone(server, { takesCookies: false })
      await signIn(phone)
      const { url } = phone
      const asks = async (agent = 'Nokia7110/1.0 (04.80)', at = url) =>
        /Unread/.test((await server.server.inject({ url: at, headers: { 'user-agent': agent } })).payload)
      assert.equal(await asks(), true)
      assert.equal(await asks('Mozilla/5.0'), false)
      assert.equal(
        await asks(
          undefined,
          url.replace(/\d+\./, (id) => `${Number.parseInt(id, 10) + 1}.`),
        ),
        false,
      )
      // The session is only valid for these decks.
      const token = url.split('/')[2]!
      for (const headers of [{ cookie: `erace_session=${token}` }, { authorization: `Bearer ${token}` }])
        assert.equal((await server.server.inject({ url: '/api/v1/session', headers })).statusCode, 401)
      const listed = (await server.as(ada).get('/sessions')).json().items as { id: number; agent: string }[]
      assert.ok(listed.some(({ agent }) => agent.startsWith('Nokia')))
      clock.advance(14 * 60_000)
      assert.equal(await asks(), true)
      clock.advance(14 * 60_000)
      assert.equal(await asks(), true)
      clock.advance(16 * 60_000)
      assert.equal(await asks(), false)

      await signIn(phone)
      const another = phone.url
      for (let minutes = 0; minutes < 55; minutes += 11) {
        assert.equal(await asks(undefined, another), true)
        clock.advance(11 * 60_000)
      }
      clock.advance(6 * 60_000)
      assert.equal(await asks(undefined, another), false, 'an hour is enough')

      await signIn(phone)
      assert.equal(await asks(undefined, phone.url), true)
      await server.as(ada).delete('/sessions')
      assert.equal(await asks(undefined, phone.url), false)
    }, clock)
  })

  test('has limited password guesses, and browsers are not affected', () =>
    withPhones(async (server) => {
      const phone = createPhone(server, { takesCookies: false })
      for (let n = 0; n < 30 && !/Too many/.test(phone.text); n++) await signIn(phone, `wrong ${n}`)
      assert.match(phone.text, /^Too many attempts\. Try again in \d+ s\./)
      for (const accept of ['text/html,*/*;q=0.8', '*/*', undefined]) {
        const answer = await server.server.inject({ url: '/', headers: accept === undefined ? {} : { accept } })
        assert.equal(answer.statusCode, 200)
      }
      const foreign = await server.server.inject({
        ...{ method: 'POST', url: '/wml/sign-in', payload: `e=${ada}&p=x` },
        headers: { origin: 'http://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      })
      assert.equal(foreign.statusCode, 403)
    }))
})

/** Cookie of another session of Ada's, in a browser. */
async function cookieOf(server: TestServer): Promise<string> {
  const { headers } = (await server.as(ada).get('/session')).raw.req
  return String(headers.cookie).replace(/^erace_session=/, '')
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../../core/clock.ts'
import { isChannelId } from '../../../core/delivery/channel-id.ts'
import type { StoredMessage } from '../../../store/contracts/deliveries.ts'
import { createTestServer, type TestServer, type TestServerOptions } from '../../server.testkit.ts'

const ann = 'ann@example.org'
const eve = 'eve@example.org'
const root = 'root@example.org'
const uri = 'http://a.example/'
const url = 'https://93.184.216.34/hook'

type Problem = { error: { code: string; message: string; details?: { place: string; message: string }[] } }
type Client = ReturnType<TestServer['as']>

const withServer =
  (work: (server: TestServer) => Promise<void>, options: TestServerOptions = {}): (() => Promise<void>) =>
  async () => {
    const server = await createTestServer({ clock: createManualClock(), ...options })
    try {
      await server.addUser(ann)
      await server.addUser(eve)
      await server.addUser(root, { role: 'administrator' })
      await work(server)
    } finally {
      await server.close()
    }
  }

async function add(client: Client, body: Record<string, unknown>) {
  const answer = await client.post('/channels', { kind: 'webhook', name: 'ops', settings: { url }, ...body })
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json()
}

async function refusal(answer: Promise<{ statusCode: number; json(): Problem }>, status = 400): Promise<string[]> {
  const { statusCode, json } = await answer
  const { error } = json()
  assert.equal(statusCode, status, JSON.stringify(error))
  return error.details?.map(({ place, message }) => `${place}: ${message}`) ?? [error.message]
}

describe('channels', () => {
  test(
    'are added, listed, changed and removed by their owner; a generated secret is shown only once',
    withServer(async (server) => {
      const her = server.as(ann)
      const { secret, ...channel } = await add(her, {})
      assert.ok(isChannelId(channel.id), channel.id)
      assert.match(secret, /^whsec_[\w+/=]{32}$/)
      assert.deepEqual(channel, {
        ...{ id: channel.id, kind: 'webhook', name: 'ops', state: 'active', reason: '', failures: 0 },
        ...{ retryAt: null, sentAt: null, createdAt: '2026-01-01T00:00:00.000Z' },
        settings: { url, format: 'json', hasSecret: true },
        ...{ waiting: 0, nextAt: null, profiles: [] },
      })
      const given = await add(her, { name: 'given', settings: { url, secret: 'whsec_bXkgb3duIHNlY3JldA==' } })
      assert.equal(given.secret, undefined)
      const changed = await her.patch(`/channels/${channel.id}`, { name: 'Ops 2', settings: { url: `${url}/2` } })
      assert.deepEqual([changed.json().name, changed.json().settings.hasSecret], ['Ops 2', true])
      assert.equal((await server.stores.channels.find(channel.id))!.settings.secret, secret)
      const off = (await her.patch(`/channels/${channel.id}`, { state: 'off' })).json()
      assert.equal(off.state, 'off')
      const list = await her.get('/channels')
      assert.deepEqual(
        new Map(list.json().items.map(({ name, state }: { name: string; state: string }) => [name, state])),
        new Map([
          ['Ops 2', 'off'],
          ['given', 'active'],
        ]),
      )
      for (const body of [list.body, changed.body]) assert.doesNotMatch(body, /whsec_|bXkgb3duIHNlY3JldA/)
      assert.equal((await her.delete(`/channels/${channel.id}`)).statusCode, 204)
      assert.equal((await her.get(`/channels/${channel.id}`)).statusCode, 404)
      assert.equal((await her.delete(`/channels/${channel.id}`)).statusCode, 404)
    }),
  )

  test(
    'of other users are answered with 404',
    withServer(async (server) => {
      const { id } = await add(server.as(ann), {})
      for (const who of [eve, root]) {
        const client = server.as(who)
        assert.equal((await client.get(`/channels/${id}`)).statusCode, 404)
        assert.equal((await client.patch(`/channels/${id}`, { state: 'off' })).statusCode, 404)
        assert.equal((await client.delete(`/channels/${id}`)).statusCode, 404)
        assert.equal((await client.post(`/channels/${id}/test`)).statusCode, 404)
        assert.equal((await client.get(`/channels/${id}/next`)).statusCode, 404)
        const profile = { sources: [{ uri }], delivery: { channels: ['inbox', id] } }
        assert.deepEqual(await refusal(client.post('/profiles', profile)), [
          `delivery.channels[1]: unknown channel "${id}"; expected inbox`,
        ])
        assert.deepEqual(await refusal(client.post('/profiles/preview', profile)), [
          `delivery.channels[1]: unknown channel "${id}"; expected inbox`,
        ])
        assert.deepEqual((await client.get('/channels')).json().items, [])
      }
    }),
  )

  test(
    'are refused with all errors at once, without the values of secrets',
    withServer(async (server) => {
      const her = server.as(ann)
      const wrong = {
        kind: 'ntfy',
        name: ' ',
        settings: { server: 'ftp://x', topic: '', token: 'tk_geheim\n1', to: 1 },
      }
      const answer = await her.post('/channels', wrong)
      const details = await refusal(Promise.resolve(answer))
      assert.equal(details[0], 'name: is empty')
      assert.deepEqual(
        details.map((line) => line.split(':')[0]!),
        ['name', 'settings.topic', 'settings.token', 'settings.server', 'settings.to'],
      )
      assert.doesNotMatch(answer.body, /geheim/)
      assert.match((await refusal(her.post('/channels', { kind: 'pigeon', name: 'x' })))[0]!, /^kind: expected email, /)
      assert.match((await refusal(her.post('/channels', { kind: 'webhook', name: 'x'.repeat(101) })))[0]!, /^name: /)
      const { id } = await add(her, {})
      await refusal(her.patch(`/channels/${id}`, {}))
      await refusal(her.patch(`/channels/${id}`, { state: 'failing' }))
      await refusal(her.patch(`/channels/${id}`, { kind: 'email' }))
      await refusal(her.post('/channels', { kind: 'webhook', name: 'x', settings: { url }, owner: eve }))
    }),
  )

  test(
    'refuse targets in private networks; an unresolvable host name is only a warning',
    withServer(async (server) => {
      const her = server.as(ann)
      for (const [target, shown] of [
        ['http://127.0.0.1:9/hook', '127.0.0.1'],
        ['http://localhost/hook', 'localhost'],
        ['http://[::ffff:10.1.2.3]/', '::ffff:a01:203'],
        ['http://169.254.169.254/latest', '169.254.169.254'],
        ['http://2130706433/', '127.0.0.1'],
      ] as const) {
        const [detail] = await refusal(her.post('/channels', { kind: 'webhook', name: 'x', settings: { url: target } }))
        assert.ok(detail!.startsWith(`settings.url: ${shown} is in a private network (`), detail)
        assert.match(detail!, /delivery\.allow$/)
      }
      const slack = { kind: 'slack', name: 'x', settings: { url: 'http://10.0.0.1/services/T0/geheim' } }
      assert.deepEqual(await refusal(her.post('/channels', slack)), [
        'settings.url: this address is in a private network (private 10.0.0.0/8); an administrator can allow it with delivery.allow',
      ])
      const mail = { to: ann, from: ann, server: 'smtp://u:geheim@192.168.1.1' }
      const refused = await refusal(her.post('/channels', { kind: 'email', name: 'x', settings: mail }))
      assert.match(refused[0]!, /^settings\.server: this address is in a private network/)
      const nowhere = await add(her, { settings: { url: 'https://nowhere.invalid/' } })
      assert.deepEqual(nowhere.warnings, ["nowhere.invalid can't be found at the moment"])
    }),
  )

  test(
    'refuse addresses with a user name or password, which would be shown and not sent',
    withServer(async (server) => {
      const her = server.as(ann)
      for (const [kind, settings, place] of [
        ['webhook', { url: 'https://u:geheim@hooks.example.org/' }, 'settings.url'],
        ['gotify', { url: 'https://geheim@push.example.org/', token: 't' }, 'settings.url'],
        ['http', { url: 'https://u:geheim@sms.example.org/?text={{short}}' }, 'settings'],
        ['slack', { url: 'https://u:geheim@hooks.slack.com/services/T0' }, 'settings'],
      ] as const)
        assert.deepEqual(await refusal(her.post('/channels', { kind, name: 'x', settings })), [
          `${place}: can't have a user name or password in it`,
        ])
    }),
  )

  test(
    'accept targets in private networks that delivery.allow lists',
    withServer((server) => add(server.as(ann), { settings: { url: 'http://127.0.0.1:9/' } }), {
      settings: { 'delivery.allow': ['127.0.0.0/8'] },
    }),
  )

  test(
    'of the kind email need a custom mail server for other addresses, except for administrators',
    withServer(async (server) => {
      const mail = (to: string, rest = {}) => ({ kind: 'email', name: 'mail', settings: { to, ...rest } })
      const her = server.as(ann)
      await add(her, mail('Ann@Example.org'))
      assert.deepEqual((await add(her, { kind: 'email', name: 'me', settings: {} })).settings, { to: ann })
      assert.deepEqual(await refusal(her.post('/channels', mail(eve))), [
        'settings.to: without a mail server of your own, mail goes to the address of your account, ann@example.org',
      ])
      const own = await add(her, mail(eve, { server: 'smtps://u:geheim@93.184.216.34', from: ann }))
      assert.deepEqual(own.settings, { to: eve, hasServer: true, from: ann })
      await add(server.as(root), mail(eve))
      await refusal(server.asToken(root, ['read', 'write']).post('/channels', mail(eve)))
      await add(server.asToken(root, ['admin']), mail(eve))
    }),
  )

  test(
    'of the kind exec are for administrators only, and accept only allowed commands',
    withServer(
      async (server) => {
        const command = (path: string) => ({ kind: 'exec', name: 'run', settings: { command: path } })
        await refusal(server.as(ann).post('/channels', command('/bin/true')), 403)
        await refusal(server.asToken(root, ['read', 'write']).post('/channels', command('/bin/true')), 403)
        assert.match((await refusal(server.as(root).post('/channels', command('/bin/sh'))))[0]!, /delivery\.commands/)
        const { id } = await add(server.as(root), command('/bin/true'))
        const kindsOf = async (who: string) =>
          (await server.as(who).get('/channel-kinds')).json().items.map(({ kind }: { kind: string }) => kind)
        assert.equal((await kindsOf(ann)).includes('exec'), false)
        assert.equal((await kindsOf(root)).includes('exec'), true)
        const keys = [ann, root].map(async (who) => (await server.as(who).get('/channel-kinds')).json().items)
        const [hers, his] = (await Promise.all(keys)).map((items: { kind: string; publicKey?: string }[]) =>
          items.filter(({ publicKey }) => publicKey !== undefined),
        )
        assert.deepEqual([hers!.length, hers![0]!.kind, hers![0]!.publicKey], [1, 'webpush', his![0]!.publicKey])
        const { id: account } = (await server.stores.accounts.findByEmail(root))!
        await server.addUser('second@example.org', { role: 'administrator' })
        await server.stores.accounts.update(account, { role: 'user' })
        await refusal(server.as(root).patch(`/channels/${id}`, { state: 'active' }), 403)
        await refusal(server.as(root).post(`/channels/${id}/test`), 403)
        assert.equal((await server.as(root).delete(`/channels/${id}`)).statusCode, 204)
      },
      { settings: { 'delivery.commands': ['/bin/true'] } },
    ),
  )

  test(
    'require the secret again when the target moves to another host',
    withServer(async (server) => {
      const her = server.as(ann)
      const settings = { url: 'https://93.184.216.34', token: 'geheim-token' }
      const { id } = await add(her, { kind: 'gotify', settings })
      const [detail] = await refusal(her.patch(`/channels/${id}`, { settings: { url: 'https://93.184.216.35' } }))
      assert.match(detail!, /^settings\.token: the address changed; enter .* again$/)
      const kept = await her.patch(`/channels/${id}`, { settings: { url: 'https://93.184.216.34/gotify' } })
      assert.equal(kept.statusCode, 200, kept.body)
      const moved = { url: 'https://93.184.216.35', token: 'another-token' }
      assert.equal((await her.patch(`/channels/${id}`, { settings: moved })).statusCode, 200)
      assert.equal((await server.stores.channels.find(id))!.settings.token, 'another-token')
    }),
  )

  test(
    'are limited to 50 per owner, even if many are added at once',
    withServer(async (server) => {
      const her = server.as(ann)
      const answers = await Promise.all(
        Array.from({ length: 55 }, (_, n) => her.post('/channels', { kind: 'feed', name: `feed ${n}` })),
      )
      assert.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 50)
      const refused = answers.find(({ statusCode }) => statusCode === 400)!
      assert.equal(refused.json().error.message, 'the limit is 50 channels; remove one first')
      assert.equal((await server.as(eve).post('/channels', { kind: 'feed', name: 'x' })).statusCode, 201)
    }),
  )

  test(
    'are used by profiles, and removed from these when deleted',
    withServer(async (server) => {
      const her = server.as(ann)
      const mail = await add(her, { kind: 'email', settings: { to: ann } })
      const hook = await add(her, {})
      const body = {
        sources: [{ uri }],
        amount: 'change',
        delivery: {
          channels: ['inbox', mail.id],
          cadence: 'daily 08:00',
          quiet: { zone: 'Europe/Nicosia', from: '22:00', to: '07:00' },
          perHour: 10,
          escalation: { channel: hook.id, after: '30m', urgency: 2 },
        },
      }
      const made = await her.post('/profiles', body)
      assert.equal(made.statusCode, 201, made.body)
      const { id, delivery } = made.json()
      assert.deepEqual(delivery, { ...body.delivery, urgentFrom: null })
      const usersOf = async (channel: string) => (await her.get(`/channels/${channel}`)).json().profiles
      assert.deepEqual([await usersOf(mail.id), await usersOf(hook.id)], [[id], [id]])
      const xml = (await her.get(`/profiles/${id}`, { headers: { accept: 'application/xml' } })).body
      const back = await her.put(`/profiles/${id}`, xml, { headers: { 'content-type': 'application/xml' } })
      assert.deepEqual(back.json().delivery, delivery, back.body)
      assert.equal((await her.delete(`/channels/${hook.id}`)).statusCode, 204)
      assert.equal((await her.delete(`/channels/${mail.id}`)).statusCode, 204)
      const left = (await her.get(`/profiles/${id}`)).json().delivery
      assert.deepEqual(left, { ...delivery, channels: ['inbox'], escalation: null })
    }),
  )

  test(
    'of the kind feed have URLs, accept only profiles of their owner, and cannot be tested',
    withServer(
      async (server) => {
        const her = server.as(ann)
        const theirs = (await server.as(eve).post('/profiles', { sources: [{ uri }] })).json().id
        const feed = { kind: 'feed', name: 'x', settings: { profile: theirs } }
        assert.deepEqual(await refusal(her.post('/channels', feed)), ['settings.profile: you have no such profile'])
        const { id, feedUrls, settings } = await add(her, { kind: 'feed', settings: {} })
        assert.deepEqual(settings, {})
        assert.match(feedUrls.atom, new RegExp(`^https://e\\.example/feeds/${id}-[\\w-]{43}\\.atom$`))
        await refusal(her.post(`/channels/${id}/test`))
      },
      { settings: { 'server.url': 'https://e.example/' } },
    ),
  )
})

describe('delivery log', () => {
  const message = (n: number, parts: Partial<StoredMessage> = {}): StoredMessage => ({
    ...{ id: `m${n}`, kind: 'single', subject: `Changed: page ${n}`, annotations: [], profiles: [], leftOut: 0 },
    ...{ createdAt: 1_000 + n, channel: '', owner: ann, state: 'sent', attempts: 1, at: 2_000 + n, answer: '200 OK' },
    ...parts,
  })

  test(
    'is listed page by page, by state and channel, for its owner only',
    withServer(async (server) => {
      const her = server.as(ann)
      const [one, two] = [(await add(her, {})).id, (await add(her, {})).id]
      for (let n = 0; n < 5; n++)
        await server.stores.deliveries.log(
          message(n, { channel: n < 3 ? one : two, state: n === 4 ? 'failed' : 'sent', kind: 'test' }),
        )
      const idsOf = async (query: string) => {
        const answer = await her.get(`/deliveries${query}`)
        assert.equal(answer.statusCode, 200, answer.body)
        return answer.json().items.map(({ id }: { id: string }) => id)
      }
      assert.deepEqual(await idsOf(''), ['m4', 'm3', 'm2', 'm1', 'm0'])
      assert.deepEqual(await idsOf('?state=failed'), ['m4'])
      assert.deepEqual(await idsOf(`?channel=${one}`), ['m2', 'm1', 'm0'])
      const first = (await her.get('/deliveries?limit=2')).json()
      for (const name of ['before', 'cursor'])
        assert.deepEqual(await idsOf(`?limit=2&${name}=${first.next}`), ['m2', 'm1'])
      assert.deepEqual(first.items[0], {
        ...{ id: 'm4', channel: two, kind: 'test', state: 'failed', subject: 'Changed: page 4', attempts: 1 },
        ...{ createdAt: '1970-01-01T00:00:01.004Z', at: '1970-01-01T00:00:02.004Z', answer: '200 OK' },
        ...{ annotations: [], profiles: [], leftOut: 0 },
      })
      assert.deepEqual((await server.as(eve).get('/deliveries')).json().items, [])
      await refusal(her.get('/deliveries?state=lost'))
      await refusal(her.get('/deliveries?before=xyz'))
    }),
  )

  test(
    'lets the owner resend a failed message once',
    withServer(async (server) => {
      const her = server.as(ann)
      const channel = (await add(her, {})).id
      const { deliveries } = server.stores
      await deliveries.log(message(1, { channel, state: 'failed', answer: '500 Internal Server Error' }))
      await deliveries.log(message(2, { channel, state: 'failed', kind: 'test' }))
      await deliveries.log(message(3, { channel, state: 'sent' }))
      await refusal(server.as(eve).post('/deliveries/m1/resend'), 404)
      const again = (await her.post('/deliveries/m1/resend')).json()
      assert.deepEqual([again.id, again.state, again.attempts], ['m1', 'waiting', 0])
      assert.equal((await her.get(`/channels/${channel}`)).json().waiting, 1)
      for (const id of ['m1', 'm2', 'm3']) await refusal(her.post(`/deliveries/${id}/resend`))
    }),
  )
})

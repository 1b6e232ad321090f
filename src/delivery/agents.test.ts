import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createManualClock } from '../core/clock.ts'
import { createAddressGuard } from '../core/url/address.ts'
import { readAcis } from '../xml/aci/aci-reader.ts'
import { settingsOf, testAgent } from './agent-suite.testkit.ts'
import { openWorld } from './agent-worlds.testkit.ts'
import { gotify } from './gotify.ts'
import { createHttpSender } from './http-sender.ts'
import { httpTemplate } from './http-template.ts'
import { matrix } from './matrix.ts'
import { ntfy } from './ntfy.ts'
import { agents, agentsByKind } from './registry.ts'
import { itemOf, messageOf, sampleItems } from './render/message.testkit.ts'
import { readSettings } from './settings.ts'
import { createSink, toolsOf } from './sink.testkit.ts'
import { slack } from './slack.ts'
import { webhook, webhookSignature } from './webhook.ts'

const clock = createManualClock()
const guard = createAddressGuard({ allow: ['127.0.0.0/8'] })
const sender = createHttpSender(guard)
const tools = toolsOf(sender, clock)
let sink: Awaited<ReturnType<typeof createSink>>

before(async () => {
  sink = await createSink()
})
after(async () => {
  await sender.close()
  await sink.close()
})

for (const agent of agents) testAgent(agent, () => openWorld(agent.kind))

describe('agent registry', () => {
  test('contains each kind once', () => {
    assert.deepEqual(agents.map(({ kind }) => kind).toSorted(), [
      ...['discord', 'email', 'exec', 'feed', 'gotify', 'http', 'matrix'],
      ...['ntfy', 'slack', 'teams', 'telegram', 'webhook', 'webpush'],
    ])
    assert.equal(agentsByKind.size, agents.length)
  })

  test('only exec, http and webhook send further messages for the rest; only exec is for administrators', () => {
    const next = agents.filter(({ digest }) => digest.rest === 'next').map(({ kind }) => kind)
    assert.deepEqual(next.toSorted(), ['exec', 'http', 'webhook'])
    assert.deepEqual(
      agents.filter(({ isForAdministrators }) => isForAdministrators === true).map(({ kind }) => kind),
      ['exec'],
    )
  })
})

describe('agent settings', () => {
  test('report all errors at once', () => {
    const { errors } = readSettings(ntfy, { url: 'ftp://x', topic: 'a\nb', token: 5, more: 1 })
    assert.deepEqual(
      errors.map(({ place }) => place),
      ['settings.url', 'settings.topic', 'settings.token', 'settings.more'],
    )
    assert.equal(readSettings(webhook, 'x').errors.length, 1)
    assert.match(readSettings(webhook, {}).errors[0]!.message, /missing/)
  })

  test('reject invalid templates, headers and URLs, and templates in the host name', () => {
    for (const values of [
      { url: 'https://x.example/{{nothing}}' },
      { url: 'https://{{title}}.example/' },
      { url: 'https:///{{title}}.example/' },
      { url: 'https://x.example/', body: '{{title' },
      { url: 'https://x.example/', body: '{{title|shout}}' },
      { url: 'https://x.example/', headers: ['no header'] },
      { url: 'file:///etc/passwd' },
    ])
      assert.equal(readSettings(httpTemplate, values).errors.length, 1, JSON.stringify(values))
  })
})

describe('limits of a service', () => {
  test('are met by Slack messages whose links grow when they are escaped: links are left out, never cut', async () => {
    sink.answerWith({ status: 200 })
    const alsoAt = Array.from({ length: 9 }, (_, n) => `https://shop.example/${n}?${'a=1&'.repeat(180)}`)
    const item = itemOf({ url: `https://shop.example/?${'b=1&'.repeat(240)}`, alsoAt })
    await slack.send(messageOf({ items: [item] }), settingsOf(slack, { url: sink.url }), tools)
    const { blocks } = JSON.parse(sink.received.at(-1)!.body) as {
      blocks: { text?: { text: string }; elements?: { text: string }[] }[]
    }
    const texts = blocks
      .flatMap(({ text, elements }) => [text, ...(elements ?? [])])
      .flatMap((part) => part?.text ?? [])
    for (const text of texts) {
      assert.ok(text.length <= 3000)
      assert.equal(text.split('<').length, text.split('>').length, text)
    }
    assert.match(texts.join(), /Also at .* and \d more/)
  })

  test('count bytes where the service does: a long text in Cyrillic fits into a Gotify message', async () => {
    sink.answerWith({ status: 200 })
    const items = Array.from({ length: 300 }, (_, n) => itemOf({ title: `${n} ${'слово '.repeat(20)}` }))
    const message = messageOf({ kind: 'digest', items })
    await gotify.send(message, settingsOf(gotify, { url: sink.url, token: 'secret' }), tools)
    const { message: text } = JSON.parse(sink.received.at(-1)!.body) as { message: string }
    assert.ok(text.length > 1000 && Buffer.byteLength(text) <= 20_000, `${text.length}`)
  })
})

test('a Matrix room is an id, with or without a server, or an alias', () => {
  const errorsOf = (room: string): number =>
    readSettings(matrix, { url: 'https://m.example', token: 'secret', room }).errors.length
  assert.deepEqual(['!abc:m.example', '!31hneApxJ_1o', '#news:m.example'].map(errorsOf), [0, 0, 0])
  assert.deepEqual(['#news', 'news', '!a b'].map(errorsOf), [1, 1, 1])
})

describe('a single change', () => {
  // Mail and Matrix contain it as text and as HTML, of which one is shown; Slack has an additional text for notifications.
  for (const kind of ['webpush', 'ntfy', 'discord', 'telegram', 'gotify', 'teams'])
    test(`appears once in a ${kind} message, and so does its title`, async () => {
      const world = await openWorld(kind)
      const agent = agentsByKind.get(kind)!
      for (const amount of ['summary', 'change'] as const) {
        const message = messageOf({ amount, items: [{ ...sampleItems.price, title: 'Samovar' }] })
        await agent.send(message, settingsOf(agent, world.given), world.tools)
        const text = world.received().at(-1)!
        assert.equal(text.split('Samovar').length, 2, text)
        assert.equal(text.split('34.50').length, 2, text)
      }
      await world.close()
    })

  test('is in the notification text for Slack, with control sequences escaped', async () => {
    sink.answerWith({ status: 200 })
    const settings = settingsOf(slack, { url: sink.url })
    await slack.send(messageOf({ items: [{ ...sampleItems.price, title: '<!here> *Kettle*' }] }), settings, tools)
    const { text } = JSON.parse(sink.received.at(-1)!.body) as { text: string }
    assert.equal(text.replaceAll('\u200b', ''), '&lt;!here&gt; *Kettle*: € 39.90 → € 34.50')
  })

  test('is sent to ntfy with its URL as the message if it has no text', async () => {
    const message = messageOf({ items: [itemOf({ summary: '', changes: [] })] })
    await ntfy.send(message, settingsOf(ntfy, { url: sink.url, topic: 'news' }), tools)
    assert.partialDeepStrictEqual(JSON.parse(sink.received.at(-1)!.body), {
      ...{ title: 'Changed: Kettle', message: 'https://shop.example/kettle' },
    })
  })
})

describe('channels that others may read', () => {
  test('get no unsubscribe link', async () => {
    const links = { ...messageOf().links, unsubscribe: 'https://e.example/unsubscribe/secret' }
    const rooms = agents.filter(({ kind, isPull }) => isPull !== true && !['email', 'http'].includes(kind))
    for (const agent of rooms) {
      const world = await openWorld(agent.kind)
      for (const kind of ['single', 'digest', 'test'] as const) {
        await agent.send(messageOf({ kind, links }), settingsOf(agent, world.given), world.tools)
        assert.doesNotMatch(world.received().at(-1)!, /unsubscribe/, agent.kind)
      }
      await world.close()
    }
  })
})

describe('agents for programs', () => {
  const amounts = ['summary', 'change', 'full'] as const

  test('send all changes by webhook, http and exec, regardless of the amount setting', async () => {
    for (const [kind, given] of [
      ['webhook', {}],
      ['http', { body: '{{json|text}}' }],
      ['exec', {}],
    ] as const) {
      const world = await openWorld(kind)
      const agent = agentsByKind.get(kind)!
      for (const amount of amounts) {
        await agent.send(messageOf({ amount }), settingsOf(agent, { ...world.given, ...given }), world.tools)
        const text = world.received().at(-1)!
        const { data } = JSON.parse(text.slice(text.indexOf('{'))) as { data: { changes: unknown[] }[] }
        assert.equal(data[0]!.changes.length, 4, kind)
      }
      await world.close()
    }
  })

  test('send all changes as XML, too', async () => {
    sink.answerWith({ status: 204 })
    const settings = settingsOf(webhook, { url: sink.url, secret: 'whsec_c2VjcmV0', format: 'xml' })
    for (const amount of amounts) {
      await webhook.send(messageOf({ amount }), settings, tools)
      assert.equal(readAcis(sink.received.at(-1)!.body).acis[0]!.changes!.list.length, 4)
    }
  })
})

describe('webhook', () => {
  test('sends an id, a timestamp and a valid signature', async () => {
    sink.answerWith({ status: 204 })
    await webhook.send(messageOf(), settingsOf(webhook, { url: sink.url, secret: 'whsec_c2VjcmV0' }), tools)
    const { headers, body } = sink.received.at(-1)!
    assert.equal(headers['webhook-id'], 'm1')
    const timestamp = Number(headers['webhook-timestamp'])
    assert.equal(timestamp, Math.floor(clock.now() / 1000))
    assert.equal(headers['webhook-signature'], webhookSignature('whsec_c2VjcmV0', 'm1', timestamp, body))
  })

  test('signs the example of Standard Webhooks correctly', () => {
    assert.equal(
      webhookSignature(
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        'msg_p5jXN8AQM9LWM0D4loKWxJek',
        1614265330,
        '{"test": 2432232314}',
      ),
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })

  test('generates a secret if none is given, and returns it only once', () => {
    const { settings, made, errors } = readSettings(webhook, { url: sink.url })
    assert.deepEqual(errors, [])
    assert.match(made.secret!, /^whsec_[\w+/]{32}$/)
    assert.equal(settings.secret, made.secret)
    assert.deepEqual(readSettings(webhook, { url: sink.url }, settings), { settings, errors: [], made: {} })
  })

  test('sends and signs XML if the format is xml', async () => {
    sink.answerWith({ status: 204 })
    const settings = settingsOf(webhook, { url: sink.url, secret: 'whsec_c2VjcmV0', format: 'xml' })
    await webhook.send(messageOf(), settings, tools)
    const { headers, body } = sink.received.at(-1)!
    assert.equal(headers['content-type'], 'application/xml; charset=utf-8')
    const { acis, errors } = readAcis(body)
    assert.deepEqual(errors, [])
    assert.partialDeepStrictEqual(acis[0], { owner: 'u1', id: '7', kind: 'changed', title: 'Kettle' })
    const timestamp = Number(headers['webhook-timestamp'])
    assert.equal(headers['webhook-signature'], webhookSignature('whsec_c2VjcmV0', 'm1', timestamp, body))
  })
})

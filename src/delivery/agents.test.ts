import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createManualClock } from '../core/clock.ts'
import { createAddressGuard } from '../core/url/address.ts'
import type { ChannelAgent, Settings } from './channel-agent.ts'
import { discord } from './discord.ts'
import { gotify } from './gotify.ts'
import { createHttpSender } from './http-sender.ts'
import { httpTemplate } from './http-template.ts'
import { matrix } from './matrix.ts'
import { ntfy } from './ntfy.ts'
import { hostileText, itemOf, messageOf } from './render/message.testkit.ts'
import { readSettings, shownSettings } from './settings.ts'
import { createSink, toolsOf } from './sink.testkit.ts'
import { slack } from './slack.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
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

const given: readonly [ChannelAgent, (url: string) => Record<string, unknown>][] = [
  [webhook, (url) => ({ url, secret: 'whsec_c2VjcmV0' })],
  [ntfy, (url) => ({ url, topic: 'news', token: 'tk_x' })],
  [slack, (url) => ({ url: `${url}/services/x` })],
  [discord, (url) => ({ url: `${url}/api/webhooks/1/x` })],
  [teams, (url) => ({ url: `${url}/workflows/x` })],
  [telegram, (url) => ({ url, token: '123:abcdef', chat: '@news' })],
  [gotify, (url) => ({ url, token: 'secret-token' })],
  [matrix, (url) => ({ url, room: '!abc:example.org', token: 'secret-token' })],
  [
    httpTemplate,
    (url) => ({ url: `${url}/sms?to=1`, body: '{"text":"{{short}}"}', secretHeader: 'Authorization: Bearer x' }),
  ],
]

function settingsOf(agent: ChannelAgent, values: Record<string, unknown>): Settings {
  const { settings, errors } = readSettings(agent, values)
  assert.deepEqual(errors, [])
  return settings
}

describe('every agent', () => {
  for (const [agent, values] of given) {
    test(`${agent.kind}: sends one, a digest and a test, and understands the answers`, async () => {
      const settings = settingsOf(agent, values(sink.url))
      for (const message of [
        messageOf(),
        messageOf({ kind: 'digest', items: [itemOf(), itemOf({ id: 8, profile: 'News' })], leftOut: 4 }),
        messageOf({ kind: 'test', items: [] }),
      ]) {
        sink.answerWith({ status: 200, body: 'ok' })
        assert.deepEqual(await agent.send(message, settings, tools), { kind: 'delivered', answer: 'status 200: ok' })
        const { body } = sink.received.at(-1)!
        assert.doesNotThrow(() => JSON.parse(body))
        if (message.kind === 'single') assert.match(body, /39\.90|39\\\\?\.90/)
      }
      const answers: [number, Record<string, string>, string][] = [
        [429, { 'retry-after': '30' }, 'later'],
        [503, {}, 'later'],
        [400, {}, 'never'],
        [401, {}, 'never'],
        [302, { location: `${sink.url}/elsewhere` }, 'never'],
      ]
      for (const [status, headers, kind] of answers) {
        sink.answerWith({ status, headers, body: 'because' })
        const before = sink.received.length
        const outcome = await agent.send(messageOf(), settings, tools)
        assert.equal(outcome.kind, kind, String(status))
        assert.match('reason' in outcome ? outcome.reason : '', new RegExp(`^status ${status}: because`))
        if (status === 429) assert.equal('afterMs' in outcome && outcome.afterMs, 30_000)
        assert.equal(sink.received.length, before + 1, 'no redirect is followed')
      }
    })

    test(`${agent.kind}: what a page says stays text, however long`, async () => {
      sink.answerWith({ status: 200 })
      const settings = settingsOf(agent, values(sink.url))
      const hostile = itemOf({
        title: hostileText,
        profile: hostileText,
        summary: hostileText,
        parts: [],
        url: 'javascript:alert(1)',
      })
      await agent.send(messageOf({ items: [hostile] }), settings, tools)
      const { body, headers } = sink.received.at(-1)!
      assert.doesNotThrow(() => JSON.parse(body))
      assert.equal(headers.bcc, undefined)
      await agent.send(messageOf({ items: [itemOf({ title: 'x'.repeat(10_000_000) })] }), settings, tools)
    })

    test(`${agent.kind}: no secret is shown again, and one that is left out stays`, () => {
      const settings = settingsOf(agent, values(sink.url))
      const shown = shownSettings(agent, settings)
      const open: Record<string, unknown> = {}
      for (const { name, type } of agent.settings) {
        if (type !== 'secret') {
          if (Object.hasOwn(shown, name)) open[name] = shown[name]
          continue
        }
        assert.ok(!Object.hasOwn(shown, name))
        if (typeof settings[name] === 'string') assert.ok(!JSON.stringify(shown).includes(settings[name]))
      }
      assert.deepEqual(readSettings(agent, open, settings), { settings, errors: [], made: {} })
    })
  }
})

describe('settings', () => {
  test('say all that is wrong together', () => {
    const { errors } = readSettings(ntfy, { url: 'ftp://x', topic: 'a\nb', token: 5, more: 1 })
    assert.deepEqual(
      errors.map(({ place }) => place),
      ['settings.url', 'settings.topic', 'settings.token', 'settings.more'],
    )
    assert.equal(readSettings(webhook, 'x').errors.length, 1)
    assert.match(readSettings(webhook, {}).errors[0]!.message, /missing/)
  })

  test('templates that do not parse, or choose the host, are refused', () => {
    for (const values of [
      { url: 'https://x.example/{{nothing}}' },
      { url: 'https://{{title}}.example/' },
      { url: 'https://x.example/', body: '{{title' },
      { url: 'https://x.example/', body: '{{title|shout}}' },
      { url: 'https://x.example/', headers: ['no header'] },
      { url: 'file:///etc/passwd' },
    ])
      assert.equal(readSettings(httpTemplate, values).errors.length, 1, JSON.stringify(values))
  })
})

describe('a webhook', () => {
  test('carries id, time and a signature that others can check', async () => {
    sink.answerWith({ status: 204 })
    await webhook.send(messageOf(), settingsOf(webhook, { url: sink.url, secret: 'whsec_c2VjcmV0' }), tools)
    const { headers, body } = sink.received.at(-1)!
    assert.equal(headers['webhook-id'], 'm1')
    const timestamp = Number(headers['webhook-timestamp'])
    assert.equal(timestamp, Math.floor(clock.now() / 1000))
    assert.equal(headers['webhook-signature'], webhookSignature('whsec_c2VjcmV0', 'm1', timestamp, body))
  })

  test('reaches no private address that nobody allowed', async () => {
    const strict = createHttpSender(createAddressGuard({ allow: [] }))
    try {
      for (const url of [
        sink.url,
        sink.url.replace('127.0.0.1', 'localhost'),
        'http://[::1]:1/',
        'http://169.254.169.254/',
      ])
        await assert.rejects(strict.send({ url, method: 'POST', headers: {}, body: '' }), /private network/, url)
    } finally {
      await strict.close()
    }
  })
})

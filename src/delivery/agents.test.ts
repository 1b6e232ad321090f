import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createManualClock } from '../core/clock.ts'
import { createAddressGuard } from '../core/url/address.ts'
import { readAcis } from '../xml/aci/aci-reader.ts'
import { settingsOf, testAgent } from './agent-suite.testkit.ts'
import { openWorld } from './agent-worlds.testkit.ts'
import { createHttpSender } from './http-sender.ts'
import { httpTemplate } from './http-template.ts'
import { ntfy } from './ntfy.ts'
import { agents, agentsByKind } from './registry.ts'
import { messageOf } from './render/message.testkit.ts'
import { readSettings } from './settings.ts'
import { createSink, toolsOf } from './sink.testkit.ts'
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

describe('the registry', () => {
  test('has each kind once', () => {
    assert.deepEqual(agents.map(({ kind }) => kind).toSorted(), [
      ...['discord', 'email', 'exec', 'feed', 'gotify', 'http', 'matrix'],
      ...['ntfy', 'slack', 'teams', 'telegram', 'webhook', 'webpush'],
    ])
    assert.equal(agentsByKind.size, agents.length)
  })

  test('programs miss nothing, and only administrators run commands', () => {
    const next = agents.filter(({ digest }) => digest.rest === 'next').map(({ kind }) => kind)
    assert.deepEqual(next.toSorted(), ['exec', 'http', 'webhook'])
    assert.deepEqual(
      agents.filter(({ isForAdministrators }) => isForAdministrators === true).map(({ kind }) => kind),
      ['exec'],
    )
  })
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

  test('is signed as the example of Standard Webhooks', () => {
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

  test('has a secret of its own where none is given, which its owner sees once', () => {
    const { settings, made, errors } = readSettings(webhook, { url: sink.url })
    assert.deepEqual(errors, [])
    assert.match(made.secret!, /^whsec_[\w+/]{32}$/)
    assert.equal(settings.secret, made.secret)
    assert.deepEqual(readSettings(webhook, { url: sink.url }, settings), { settings, errors: [], made: {} })
  })

  test('speaks XML where it is asked to, and signs that', async () => {
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

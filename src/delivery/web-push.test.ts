import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createManualClock } from '../core/clock.ts'
import { createAddressGuard } from '../core/url/address.ts'
import { settingsOf } from './agent-suite.testkit.ts'
import type { AgentTools } from './channel-agent.ts'
import { createHttpSender } from './http-sender.ts'
import { agreePushKeys } from './push-keys.ts'
import { itemOf, messageOf } from './render/message.testkit.ts'
import { readSettings } from './settings.ts'
import { createSink, toolsOf } from './sink.testkit.ts'
import { createSubscriber } from './web-push.testkit.ts'
import { webPush } from './web-push.ts'

/** Keeps the first secret of each name. */
function createSecrets() {
  const known = new Map<string, Uint8Array>()
  return {
    async agree(name: string, fresh: Uint8Array): Promise<Uint8Array> {
      if (!known.has(name)) known.set(name, fresh)
      return known.get(name)!
    },
  }
}

const network = createHttpSender(createAddressGuard({ allow: ['127.0.0.0/8'] }))
const browser = createSubscriber()
let sink: Awaited<ReturnType<typeof createSink>>
let tools: AgentTools

before(async () => {
  sink = await createSink()
  const keys = await agreePushKeys(createSecrets())
  tools = { ...toolsOf(network, createManualClock()), push: { ...keys, subject: 'mailto:operator@e.example' } }
})
after(async () => {
  await network.close()
  await sink.close()
})

const settings = () =>
  settingsOf(webPush, { endpoint: `${sink.url}/push/1`, p256dh: browser.p256dh, auth: browser.auth })

describe('web push', () => {
  test('the decryption of this test decrypts the example of RFC 8291', () => {
    const example = createSubscriber({
      privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    })
    const body =
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN'
    assert.equal(example.decrypt(Buffer.from(body, 'base64url')), 'When I grow up, I want to be a watermelon')
  })

  test('encrypts title, text and link so that only the browser can read them', async () => {
    sink.answerWith({ status: 201 })
    assert.deepEqual(await webPush.send(messageOf(), settings(), tools), { kind: 'delivered', answer: 'status 201' })
    const { bytes, headers } = sink.received.at(-1)!
    assert.equal(headers['content-encoding'], 'aes128gcm')
    assert.deepEqual(JSON.parse(browser.decrypt(bytes)), {
      ...{ id: 'm1', title: 'Kettle', body: '€ 39.90 → € 34.50', url: 'https://e.example/a/7' },
    })
    assert.throws(() => createSubscriber().decrypt(bytes))
  })

  test('sends urgency, topic, TTL and a signed VAPID token to the push service', async () => {
    sink.answerWith({ status: 201 })
    for (const urgency of [0.5, 1, 2, 5])
      await webPush.send(messageOf({ items: [itemOf({ urgency })] }), settings(), tools)
    const last = sink.received.slice(-4).map(({ headers }) => headers)
    assert.deepEqual(
      last.map(({ urgency }) => urgency),
      ['low', 'normal', 'high', 'high'],
    )
    assert.equal(new Set(last.map(({ topic }) => topic)).size, 1)
    assert.match(String(last[0]!.topic), /^[\w-]{32}$/)
    assert.ok(Number(last[0]!.ttl) >= 86_400)
    const [, token, key] = /^vapid t=([^,]+), k=(\S+)$/.exec(String(last[0]!.authorization))!
    assert.equal(key, tools.push.publicKey)
    const [head, claims, signature] = token!.split('.')
    const point = Buffer.from(key!, 'base64url')
    const jwk = {
      ...{ kty: 'EC', crv: 'P-256' },
      ...{ x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') },
    }
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    const signed = Buffer.from(`${head}.${claims}`)
    const ends = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
    assert.ok(verify('sha256', signed, ends, Buffer.from(signature!, 'base64url')))
    const { aud, sub } = JSON.parse(Buffer.from(claims!, 'base64url').toString())
    assert.deepEqual({ aud, sub }, { aud: sink.url, sub: 'mailto:operator@e.example' })
  })

  test('ends the channel if the subscription is gone, but not after other errors', async () => {
    for (const [status, kind, isGone] of [
      [404, 'never', true],
      [410, 'never', true],
      [400, 'never', undefined],
      [413, 'never', undefined],
      [429, 'later', undefined],
      [500, 'later', undefined],
    ] as const) {
      sink.answerWith({ status })
      const outcome = await webPush.send(messageOf(), settings(), tools)
      assert.equal(outcome.kind, kind, String(status))
      assert.equal('isGone' in outcome ? outcome.isGone : undefined, isGone, String(status))
    }
  })

  test('fits into 4096 bytes, however long the content is', async () => {
    sink.answerWith({ status: 201 })
    for (const sign of ['x', '€', '💡', '"', '\u0000']) {
      const long = sign.repeat(5000)
      const item = itemOf({ title: long, summary: long, parts: [] })
      await webPush.send(messageOf({ kind: 'digest', items: Array(5).fill(item), leftOut: 9 }), settings(), tools)
      const { bytes } = sink.received.at(-1)!
      assert.ok(bytes.length <= 4096, `${bytes.length} bytes`)
      assert.match(JSON.parse(browser.decrypt(bytes)).title, /^14 changes/)
    }
  })

  test('rejects invalid keys and endpoints', () => {
    const right = { endpoint: 'https://push.example/1', p256dh: browser.p256dh, auth: browser.auth }
    assert.deepEqual(readSettings(webPush, right).errors, [])
    for (const wrong of [
      { endpoint: 'file:///etc/passwd' },
      { endpoint: 'x' },
      { p256dh: 'AAAA' },
      { p256dh: Buffer.alloc(65, 4).toString('base64url') },
      { auth: 'AAAA' },
      { auth: 'not base64!' },
    ])
      assert.equal(readSettings(webPush, { ...right, ...wrong }).errors.length, 1, JSON.stringify(wrong))
  })

  test('all servers agree on the same keys, and keys always have their full length', async () => {
    const secrets = createSecrets()
    assert.deepEqual(await agreePushKeys(secrets), await agreePushKeys(secrets))
    for (let i = 0; i < 600; i++) {
      const { privateKey, publicKey } = await agreePushKeys(createSecrets())
      assert.equal(Buffer.from(privateKey, 'base64url').length, 32)
      assert.equal(Buffer.from(publicKey, 'base64url').length, 65)
    }
  })
})

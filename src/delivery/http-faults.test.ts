import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createManualClock } from '../core/clock.ts'
import { createAddressGuard } from '../core/url/address.ts'
import { selfSigned } from '../crawl/fetch/certificate.testkit.ts'
import { settingsOf } from './agent-suite.testkit.ts'
import { httpKinds, openWorld } from './agent-worlds.testkit.ts'
import type { AgentTools, SendOutcome } from './channel-agent.ts'
import { answerText } from './http-outcome.ts'
import { createHttpSender } from './http-sender.ts'
import { agentsByKind } from './registry.ts'
import { messageOf } from './render/message.testkit.ts'
import { createRawSink, createSink, toolsOf } from './sink.testkit.ts'

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

/** Responses that all agents interpret in the same way. */
const answers: readonly [string, number, Record<string, string>, Partial<SendOutcome>][] = [
  ['accepted', 202, {}, { kind: 'delivered' }],
  ['wrong', 400, {}, { kind: 'never' }],
  ['forbidden', 403, {}, { kind: 'never' }],
  ['busy, in seconds', 429, { 'retry-after': '30' }, { kind: 'later', afterMs: 30_000 }],
  ['busy, until a date', 503, { 'retry-after': new Date(clock.now() + 90_000).toUTCString() }, { kind: 'later' }],
  ['busy, nonsense', 429, { 'retry-after': 'soon, I hope' }, { kind: 'later' }],
  ['busy, in the past', 429, { 'retry-after': '-5' }, { kind: 'later' }],
  ['busy for years', 429, { 'retry-after': '999999999' }, { kind: 'later', afterMs: 7 * 86_400_000 }],
  ['broken', 500, {}, { kind: 'later' }],
  ['moved', 301, { location: '/again' }, { kind: 'never' }],
  ['moved, and again', 307, { location: '/again' }, { kind: 'never' }],
]

test('an HTML response is reported as plain text', () => {
  const page =
    '<html><head><title>503 Unavailable</title><style>p { color: red }</style></head><body><h1>503 Unavailable</h1>Back &amp; forth</body></html>'
  const answer = { status: 503, headers: new Map<string, string>(), text: page }
  assert.equal(answerText(answer), 'status 503: 503 Unavailable Back & forth')
  const typed = new Map([['content-type', 'text/html; charset=utf-8']])
  assert.equal(answerText({ ...answer, headers: typed, text: '<p>Later' }), 'status 503: Later')
  assert.equal(answerText({ ...answer, headers: typed, text: '<br>' }), 'status 503: <br>')
  assert.equal(answerText({ ...answer, text: '{"error":"<b>"}' }), 'status 503: {"error":"<b>"}')
})

for (const [kind, given] of httpKinds)
  describe(`the ${kind} agent`, () => {
    const agent = agentsByKind.get(kind)!
    let own: AgentTools
    let close: () => Promise<void>
    before(async () => {
      const world = await openWorld(kind)
      own = { ...tools, push: world.tools.push }
      close = world.close
    })
    after(() => close())
    const sendTo = (url: string, by = own): Promise<SendOutcome> =>
      agent.send(messageOf(), settingsOf(agent, given(url)), by)

    test('maps each response status to an outcome, and follows no redirects', async () => {
      for (const [name, status, headers, expected] of answers) {
        sink.answerWith({ status, headers, body: 'because' })
        const before = sink.received.length
        const outcome = await sendTo(sink.url)
        assert.partialDeepStrictEqual(outcome, expected, name)
        assert.match(JSON.stringify(outcome), new RegExp(`status ${status}: because`), name)
        if ('afterMs' in outcome) assert.ok(outcome.afterMs! > 0, name)
        assert.equal(sink.received.length, before + 1, name)
      }
    })

    test('retries after a broken or hanging connection, unless a status was received', async () => {
      const network = createHttpSender(guard, { connectMs: 2000, answerMs: 400 })
      const serve = (answer: string): ((socket: Socket) => void) => {
        return (socket) => socket.once('data', () => (answer === 'drop' ? socket.destroy() : socket.write(answer)))
      }
      const endless = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
      try {
        const cases: [string, (socket: Socket) => void, string][] = [
          ['drops the line', serve('drop'), 'later'],
          ['says nothing', () => {}, 'later'],
          ['begins a header', serve('HTTP/1.1 200'), 'later'],
          ['speaks something else', serve('220 mail.example ESMTP\r\n'), 'later'],
          ['promises more than it sends', serve('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nok'), 'delivered'],
          ['refuses, and hangs', serve('HTTP/1.1 400 Bad\r\ncontent-length: 50\r\n\r\nno'), 'never'],
          [
            'never ends',
            (socket) => {
              const more = `${(60_000).toString(16)}\r\n${'x'.repeat(60_000)}\r\n`
              const write = (): void => void (socket.destroyed || socket.write(more, () => setImmediate(write)))
              socket.once('data', () => socket.write(endless, write))
            },
            'delivered',
          ],
        ]
        await Promise.all(
          cases.map(async ([name, does, expected]) => {
            const server = await createRawSink(does)
            const outcome = await sendTo(`http://127.0.0.1:${server.port}`, { ...own, http: network.send })
            assert.equal(outcome.kind, expected, `${name}: ${JSON.stringify(outcome)}`)
            await server.close()
          }),
        )
      } finally {
        await network.close()
      }
    })

    test('retries unreachable and untrusted servers, and sends untrusted ones nothing', async () => {
      const gone = await createRawSink(() => {})
      await gone.close()
      const refused = await sendTo(`http://127.0.0.1:${gone.port}`)
      assert.equal(refused.kind, 'later')
      assert.match('reason' in refused ? refused.reason : '', /ECONNREFUSED/)
      const secure = await createSink(selfSigned('mail.example'))
      const untrusted = await sendTo(secure.url)
      assert.equal(untrusted.kind, 'later')
      assert.match('reason' in untrusted ? untrusted.reason : '', /certificate/i)
      assert.equal(secure.received.length, 0)
      await secure.close()
    })

    test('does not connect to private addresses unless they are allowed', async () => {
      const strict = createHttpSender(createAddressGuard({ allow: [] }))
      const port = new URL(sink.url).port
      const before = sink.received.length
      try {
        for (const host of [
          '127.0.0.1',
          'localhost',
          '[::1]',
          '[::ffff:127.0.0.1]',
          '2130706433',
          '0x7f.1',
          '169.254.169.254',
        ]) {
          const outcome = await sendTo(`http://${host}:${port}`, { ...own, http: strict.send })
          assert.equal(outcome.kind, 'later', host)
          assert.match('reason' in outcome ? outcome.reason : '', /private network.*delivery\.allow/, host)
        }
        assert.equal(sink.received.length, before)
      } finally {
        await strict.close()
      }
    })
  })

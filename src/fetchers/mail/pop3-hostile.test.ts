import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { type ErrorCode, isAppError } from '../../core/errors.ts'
import type { ItemBody, Place } from '../../crawl/fetch/protocol.ts'
import { fails } from '../failing.testkit.ts'
import { placeAt } from './dovecot.testkit.ts'
import { createPop3Protocol } from './pop3.ts'
import { pourInto, startRawServer } from './raw-server.testkit.ts'

type Answers = Readonly<Record<string, (socket: Socket, line: string) => string | undefined>>

const one = 'Message-ID: <one@example.org>\r\nSubject: one\r\n\r\nText\r\n'
const ok = (): string => '+OK\r\n'
const no = (): string => '-ERR no\r\n'

/** A minimal server with one message; tests override individual responses. */
const honest: Answers = {
  CAPA: () => '+OK\r\nTOP\r\nUIDL\r\n.\r\n',
  USER: ok,
  PASS: ok,
  UIDL: () => '+OK\r\n1 first\r\n.\r\n',
  LIST: () => `+OK\r\n1 ${one.length}\r\n.\r\n`,
  TOP: () => `+OK\r\n${one}.\r\n`,
  RETR: () => `+OK\r\n${one}.\r\n`,
  QUIT: ok,
}

type Greeting = Parameters<typeof startRawServer>[0]

async function withServer<T>(
  answers: Partial<Answers>,
  task: (place: Place, heard: () => string) => Promise<T>,
  greeting: Greeting = '+OK ready\r\n',
): Promise<T> {
  const all = { ...honest, ...answers }
  const server = await startRawServer(greeting, (line, socket) => {
    const command = line.split(' ')[0]!
    const answer = Object.hasOwn(all, command) ? all[command] : undefined
    return answer === undefined ? no() : answer(socket, line)
  })
  try {
    const limits = { connectTimeoutMs: 300, stallTimeoutMs: 600, maxBodyBytes: 100_000, maxItems: 100 }
    return await task(placeAt(`pop3://127.0.0.1:${server.port}/`, { password: 'pass-word-1', limits }), server.heard)
  } finally {
    await server.end()
  }
}

/** Connects, lists and reads. */
async function readOne(place: Place): Promise<ItemBody & { url: string }> {
  const session = await createPop3Protocol().open(place)
  try {
    const found = await session.look('')
    assert.equal(found.kind, 'list')
    const [item] = found.kind === 'list' ? found.items : []
    return { ...(await session.read(item!)), url: item!.url }
  } finally {
    await session.close()
  }
}

const failsWith = (code: ErrorCode, answers: Partial<Answers>, greeting?: Greeting) =>
  withServer(answers, (place) => fails(place, () => readOne(place), code), greeting)

describe('POP3 with scripted servers', () => {
  test('sends the password without TLS only to this machine', async () => {
    await withServer({}, async (place, heard) => {
      assert.equal((await readOne(place)).body.toString(), one)
      assert.doesNotMatch(heard(), /DELE/)
      assert.match(heard(), /QUIT\r\n$/)
    })
    await withServer({}, async (place, heard) => {
      // The same machine, by an address that isn't recognised as local.
      const remote = { ...place, resolve: async () => '0.0.0.0' }
      await assert.rejects(readOne(remote), (error) => isAppError(error, 'tls-failed'))
      assert.doesNotMatch(heard(), /USER|pass-word-1/)
    })
  })

  test('uses APOP, which hides the password, if the server offers it', async () => {
    await withServer(
      { APOP: ok },
      async (place, heard) => {
        await readOne(place)
        const digest = createHash('md5').update('<1.2@example.org>pass-word-1').digest('hex')
        assert.match(heard(), new RegExp(`APOP ann ${digest}\r\n`))
        assert.doesNotMatch(heard(), /pass-word-1/)
      },
      '+OK ready <1.2@example.org>\r\n',
    )
  })

  test('uses Message-IDs if there is no UIDL, and fails if there is no TOP either', async () => {
    await withServer({ CAPA: no, UIDL: no }, async (place) =>
      assert.match((await readOne(place)).url, /;MID=one%40example\.org$/),
    )
    await failsWith('protocol-failed', { CAPA: no, UIDL: no, TOP: no })
  })

  test('fails if the server does not greet or does not speak POP3', async () => {
    await failsWith('body-timeout', {}, () => {})
    await failsWith('protocol-failed', {}, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await failsWith('connect-failed', {}, (socket) => socket.destroy())
    await failsWith('connect-failed', {}, '-ERR too busy\r\n')
    await failsWith('protocol-failed', {}, (socket) => pourInto(socket, 'x'.repeat(10_000)))
  })

  test('reports a refused sign-in, without a password that the server quotes', async () => {
    await failsWith('sign-in-failed', { PASS: (_, line) => `-ERR wrong: ${line}\r\n` })
    await failsWith('sign-in-failed', { USER: no })
    await failsWith('connect-failed', { PASS: (_, line) => `-ERR [IN-USE] later: ${line}\r\n` })
    await failsWith('connect-failed', { PASS: () => '-ERR maildrop already locked\r\n' })
    await failsWith('connect-failed', { PASS: (socket) => void socket.destroy() })
  })

  test('fails if the server refuses STLS or sends plain text after it', async () => {
    await failsWith('tls-failed', { CAPA: () => '+OK\r\nSTLS\r\n.\r\n', STLS: () => '+OK begin\r\n+OK injected\r\n' })
    await failsWith('tls-failed', { CAPA: () => '+OK\r\nSTLS\r\n.\r\n', STLS: no })
  })

  test('fails if the server stalls, hangs up, or sends endless or invalid data', async () => {
    await failsWith('body-timeout', { UIDL: () => undefined })
    await failsWith('body-timeout', { RETR: () => '+OK\r\nhalf a mess' })
    await failsWith('connect-failed', { RETR: (socket) => void socket.end('+OK\r\nhalf a mess') })
    await failsWith('protocol-failed', { UIDL: (socket) => void pourInto(socket, 'x'.repeat(10_000)) })
    await failsWith('protocol-failed', { UIDL: (socket) => void pourInto(socket, `+OK\r\n${'1'.repeat(10_000)}`) })
    await failsWith('protocol-failed', { UIDL: () => '+OK\r\nnonsense\r\n.\r\n' })
    await failsWith('protocol-failed', { RETR: (socket) => void pourInto(socket, `+OK\r\n${'x'.repeat(1_000_000)}`) })
  })

  test('handles wrong sizes and missing messages', async () => {
    const longer = 'Subject: x\r\n\r\n'.padEnd(300_000, 'x')
    for (const size of ['1', '999999999', '-5', 'many']) {
      await withServer(
        { LIST: () => `+OK\r\n1 ${size}\r\n.\r\n`, RETR: () => `+OK\r\n${longer}\r\n.\r\n` },
        async (place) => {
          const { body, isCut } = await readOne(place)
          assert.deepEqual([body.length, isCut], [100_000, true], size)
        },
      )
    }
    await failsWith('not-found', { RETR: no })
  })

  test('unstuffs leading dots, even if the bytes arrive one by one', async () => {
    const sent = '+OK\r\n..\r\n...a\r\n.b\r\n\r\n.\r\n'
    await withServer(
      {
        RETR: (socket) => {
          socket.setNoDelay(true)
          let at = 0
          const next = () => {
            if (at < sent.length) socket.write(sent[at++]!, () => setImmediate(next))
          }
          next()
          return undefined
        },
      },
      async (place) => assert.equal((await readOne(place)).body.toString(), '.\r\n..a\r\nb\r\n\r\n'),
    )
  })

  test('an aborted visit ends at once', async () => {
    const controller = new AbortController()
    await withServer({ UIDL: () => void controller.abort() }, (place) =>
      assert.rejects(readOne({ ...place, signal: controller.signal }), (error) => isAppError(error, 'total-timeout')),
    )
  })
})

test('POP3 URLs are normalised, and invalid ones are refused', () => {
  const { normalise } = createPop3Protocol()
  assert.equal(normalise('POP3://Mail.example.org:110'), 'pop3://mail.example.org/')
  assert.equal(normalise('pop3s://h:110/;UIDL=a%2Fb'), 'pop3s://h:110/;UIDL=a%2Fb')
  for (const url of ['pop3://h/INBOX', 'pop3://h/;UIDL=a%0d%0aDELE%201', 'pop3://a:b@h/', 'pop3://h/?x', 'pop3:h'])
    assert.throws(
      () => normalise(url),
      (error) => isAppError(error, 'url-invalid'),
      url,
    )
})

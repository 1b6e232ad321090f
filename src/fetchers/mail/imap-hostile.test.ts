import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { type ErrorCode, isAppError } from '../../core/errors.ts'
import type { ItemBody, Place } from '../../crawl/fetch/protocol.ts'
import { fails } from '../failing.testkit.ts'
import { placeAt } from './dovecot.testkit.ts'
import { createImapProtocol } from './imap.ts'
import { pourInto, startRawServer } from './raw-server.testkit.ts'

type Answers = Readonly<Record<string, (tag: string, socket: Socket, line: string) => string | undefined>>

const one = 'Message-ID: <one@example.org>\r\nSubject: one\r\n\r\n'
const ok = (tag: string): string => `${tag} OK done\r\n`

/** A minimal server with one message; tests override individual responses. */
const honest: Answers = {
  CAPABILITY: (tag) => `* CAPABILITY IMAP4rev1\r\n${ok(tag)}`,
  LOGIN: ok,
  LIST: (tag) => `* LIST () "/" INBOX\r\n${ok(tag)}`,
  EXAMINE: (tag) => `* 1 EXISTS\r\n* OK [UIDVALIDITY 1] \r\n* OK [UIDNEXT 8] \r\n${tag} OK [READ-ONLY] done\r\n`,
  'UID SEARCH': (tag) => `* SEARCH 7\r\n${ok(tag)}`,
  'UID FETCH': (tag, _socket, line) =>
    line.includes('HEADER')
      ? `* 1 FETCH (UID 7 BODY[HEADER.FIELDS (MESSAGE-ID SUBJECT)] {${one.length}}\r\n${one})\r\n${ok(tag)}`
      : `* 1 FETCH (UID 7 BODY[]<0> {${one.length}}\r\n${one})\r\n${ok(tag)}`,
}

async function withServer<T>(
  answers: Partial<Answers>,
  task: (place: Place, heard: () => string) => Promise<T>,
  greeting: Parameters<typeof startRawServer>[0] = '* OK ready\r\n',
): Promise<T> {
  const all = { ...honest, ...answers }
  const server = await startRawServer(greeting, (line, socket) => {
    const [, tag = '', command = ''] = /^(\S+) ((?:UID )?\S+)/.exec(line) ?? []
    const answer = Object.hasOwn(all, command) ? all[command] : undefined
    return answer === undefined ? `${tag} BAD unknown\r\n` : answer(tag, socket, line)
  })
  try {
    const limits = { connectTimeoutMs: 300, stallTimeoutMs: 600, maxBodyBytes: 100_000, maxItems: 100 }
    return await task(
      placeAt(`imap://127.0.0.1:${server.port}/INBOX`, { password: 'pass-word-1', limits }),
      server.heard,
    )
  } finally {
    await server.end()
  }
}

/** Connects, lists and reads. */
async function readOne(place: Place): Promise<ItemBody> {
  const session = await createImapProtocol().open(place)
  try {
    const found = await session.look('')
    assert.equal(found.kind, 'list')
    return await session.read(found.kind === 'list' ? found.items[0]! : assert.fail())
  } finally {
    await session.close()
  }
}

const failsWith = (code: ErrorCode, answers: Partial<Answers>, greeting?: Parameters<typeof startRawServer>[0]) =>
  withServer(answers, (place) => fails(place, () => readOne(place), code), greeting)

describe('IMAP with scripted servers', () => {
  test('sends the password without TLS only to this machine, or if allowed', async () => {
    await withServer({}, async (place) => assert.equal((await readOne(place)).body.toString(), one))
    await withServer({}, async (place, heard) => {
      // The same machine, by an address that isn't recognised as local.
      const remote = { ...place, resolve: async () => '0.0.0.0' }
      await assert.rejects(readOne(remote), (error) => isAppError(error, 'tls-failed'))
      assert.doesNotMatch(heard(), /pass-word-1/)
      const session = await createImapProtocol({ allowPlain: true }).open(remote)
      await session.close()
      assert.match(heard(), /pass-word-1/)
    })
  })

  test('fails if the server does not greet or does not speak IMAP', async () => {
    await failsWith('connect-timeout', {}, () => {})
    await failsWith('connect-failed', {}, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await failsWith('connect-failed', {}, (socket) => socket.destroy())
  })

  test('reports a refused sign-in, without a password that the server quotes', async () => {
    await failsWith('sign-in-failed', { LOGIN: (tag, _, line) => `${tag} NO wrong: ${line}\r\n` })
    await failsWith('connect-failed', { LOGIN: (tag, _, line) => `${tag} NO [UNAVAILABLE] later: ${line}\r\n` })
    await failsWith('connect-failed', { LOGIN: (_tag, socket) => void socket.destroy() })
    await failsWith('protocol-failed', { LOGIN: (tag, _, line) => `${tag} BAD what? ${line}\r\n` })
  })

  test('fails if the server stalls, hangs up or sends endless data', async () => {
    await failsWith('body-timeout', { 'UID SEARCH': () => undefined })
    await failsWith('connect-failed', { 'UID FETCH': (_tag, socket) => void socket.destroy() })
    await failsWith('protocol-failed', { 'UID SEARCH': (_tag, socket) => void pourInto(socket, 'x'.repeat(100_000)) })
    await failsWith('protocol-failed', {
      'UID FETCH': (_tag, socket) => void pourInto(socket, '* 1 FETCH (UID 9)\r\n'),
    })
  })

  test('handles wrong sizes and missing messages', async () => {
    await failsWith('protocol-failed', { 'UID FETCH': () => '* 1 FETCH (UID 7 BODY[]<0> {99999999999}\r\n' })
    const longer = 'x'.repeat(300_000)
    await withServer(
      {
        'UID FETCH': (tag, socket, line) =>
          line.includes('HEADER')
            ? honest['UID FETCH']!(tag, socket, line)
            : `* 1 FETCH (UID 7 BODY[]<0> {${longer.length}}\r\n${longer})\r\n${ok(tag)}`,
      },
      async (place) => {
        const { body, isCut } = await readOne(place)
        assert.deepEqual([body.length, isCut], [100_000, true])
      },
    )
    await failsWith('not-found', {
      'UID FETCH': (tag, socket, line) => (line.includes('HEADER') ? honest['UID FETCH']!(tag, socket, line) : ok(tag)),
    })
  })

  test('reads a message whose header or body is NIL as one without header, or as missing', async () => {
    const nil = (name: string): Partial<Answers> => ({
      'UID FETCH': (tag, socket, line) =>
        line.includes(name)
          ? `* 1 FETCH (UID 7 BODY[${/BODY\.PEEK\[(.*?)\]/.exec(line)![1]}]${line.includes('<0') ? '<0>' : ''} NIL)\r\n${ok(tag)}`
          : honest['UID FETCH']!(tag, socket, line),
    })
    await failsWith('not-found', nil('BODY.PEEK[]'))
    const { body } = await withServer(nil('HEADER'), readOne)
    assert.equal(body.toString(), one)
  })

  test('an aborted visit ends at once', async () => {
    const controller = new AbortController()
    const answers: Answers = { 'UID SEARCH': () => void controller.abort() }
    await withServer(answers, (place) =>
      assert.rejects(readOne({ ...place, signal: controller.signal }), (error) => isAppError(error, 'total-timeout')),
    )
  })

  test('cannot listen to a server without IDLE', async () => {
    await withServer({}, (place) =>
      assert.rejects(
        createImapProtocol().listen!(place, { onNews: () => {}, onEnd: () => {} }),
        (error) => isAppError(error, 'protocol-failed') && error.retry === 'never',
      ),
    )
  })
})

describe('IMAP URLs', () => {
  const { normalise } = createImapProtocol()
  test('are normalised', () => {
    for (const [given, wanted] of [
      ['imap://Mail.Example.org', 'imap://mail.example.org/INBOX'],
      ['IMAPS://mail.example.org:993/inbox/', 'imaps://mail.example.org/INBOX'],
      ['imap://mail.example.org:993/a%20b/%C3%BC/', 'imap://mail.example.org:993/a%20b/%C3%BC'],
      ['imap://[::1]:1143/x', 'imap://[::1]:1143/x'],
      ["imap://h/INBOX/;MID=a'b%40c", 'imap://h/INBOX/;MID=a%27b%40c'],
      ['imap://h/INBOX/;MID=a%40c/;SECTION=3', 'imap://h/INBOX/;MID=a%40c/;SECTION=3'],
      ['imap://h/a%3B%3Db', 'imap://h/a%3B%3Db'],
    ])
      assert.equal(normalise(given!), wanted)
  })

  test('are refused with control characters, credentials or unknown parts', () => {
    for (const url of [
      'imap://h/a%0d%0aDELETE%20INBOX',
      'imap://h/a\r\nb',
      'imap://h/a%00b',
      'imap://h/;MID=a%0Ab',
      'imap://user:secret@h/INBOX',
      'imap:///INBOX',
      'imap://h:0/INBOX',
      'imap://h:99999/INBOX',
      'imap://h%0d/INBOX',
      'imap://a b/INBOX',
      'imap://h/%zz',
      'imap://h/INBOX?x',
      'imap://h/INBOX/;UID=5',
      'imap://h/INBOX/;UIDL=5',
      'imap://h/INBOX/;SECTION=5',
      `imap://h/${'a'.repeat(600)}`,
      'https://h/INBOX',
      '',
    ])
      assert.throws(
        () => normalise(url),
        (error) => isAppError(error, 'url-invalid') && !error.message.includes('secret'),
        url,
      )
  })

  test('credentials with line breaks are refused before connecting', async () => {
    const opened = createImapProtocol().open(placeAt('imap://127.0.0.1:1/', { password: 'a\r\nb' }))
    await assert.rejects(opened, (error) => isAppError(error, 'sign-in-failed'))
  })
})

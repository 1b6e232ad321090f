import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { decodeWords } from './encoded-words.ts'
import { placeOf, startScript, visit } from './news-place.testkit.ts'
import { NntpClient } from './nntp-client.ts'
import { createNntpProtocol } from './nntp-protocol.ts'

const folder = process.env.ERACE_CONFORMANCE
const skip = folder === undefined && !process.env.CI ? 'ERACE_CONFORMANCE is not set' : false

type Exchange = { send: string | null; recvLatin1: string }
type Data = { v1: Exchange[]; v2: Exchange[]; decodeHeader: [header: string, text: string][] }
const data: Data =
  skip === false
    ? (JSON.parse(readFileSync(join(folder!, 'nntp-python', 'transcripts.json'), 'utf8')) as Data)
    : { v1: [], v2: [], decodeHeader: [] }

/** Commands that our client never sends, and whose responses it never parses. */
const unused = new Set(['DATE', 'HELP', 'LIST', 'LIST ACTIVE', 'NEXT', 'LAST', 'ARTICLE', 'HEAD', 'BODY', 'FOOBAR'])
const isUnused = (send: string): boolean => unused.has(send) || send.startsWith('NEWNEWS ')

for (const version of ['v1', 'v2'] as const) {
  describe(`NNTP with an ${version === 'v1' ? 'RFC 977' : 'RFC 3977'} server from the tests of CPython`, {
    skip,
  }, () => {
    const answers = new Map(data[version].map(({ send, recvLatin1 }) => [send, recvLatin1]))
    const asked: string[] = []
    const start = () =>
      startScript((socket, line) => {
        asked.push(line)
        socket.write(answers.get(line) ?? '500 What?\r\n', 'latin1')
      })
    const open = (port: number): Promise<NntpClient> =>
      NntpClient.open({
        host: 'localhost',
        address: '127.0.0.1',
        port,
        isSecure: false,
        tls: undefined,
        connectTimeoutMs: 5000,
        stallTimeoutMs: 5000,
        signal: new AbortController().signal,
        secret: null,
        allowsPlainSignIn: false,
      })

    test('understands the responses to all commands of a reader', async (t) => {
      const server = await start()
      t.after(() => server.end())
      const client = await open(server.port)
      t.after(() => client.close(''))
      assert.deepEqual(await client.group('fr.comp.lang.python'), { low: 761, high: 1265 })
      assert.equal(await client.group('no.such.group'), null)
      assert.deepEqual(await client.overview(57, 58), [])
      assert.equal(await client.stat(3000234), '<45223423@example.com>')
      assert.equal(await client.stat('<45223423@example.com>'), '<45223423@example.com>')
      const article = await client.article('<45223423@example.com>', 10_000)
      assert.equal(
        article?.body.toString('utf8'),
        'From: "Demo User" <nobody@example.net>\r\n' +
          'Subject: I am just a test article\r\n' +
          'Content-Type: text/plain; charset=UTF-8; format=flowed\r\n' +
          'Message-ID: <i.am.an.article.you.will.want@example.com>\r\n\r\n' +
          'This is just a test article.\r\n.Here is a dot-starting line.\r\n\r\n-- Signed by André.\r\n',
      )
      assert.equal(await client.article('<non-existent@example.com>', 10_000), null)
      client.close()
      const known = [...answers.keys()].filter((send) => send !== null && !isUnused(send) && send !== 'QUIT')
      // Of the two names of the same command, only the one that this server supports is sent.
      assert.deepEqual(
        known.filter((send) => !asked.includes(send!)),
        [version === 'v1' ? 'OVER 57-58' : 'XOVER 57-58'],
      )
    })

    test('a missing group is not found', async (t) => {
      const server = await start()
      t.after(() => server.end())
      const place = placeOf(`nntp://localhost:${server.port}/no.such.group`)
      await assert.rejects(
        visit(createNntpProtocol(), place, (session) => session.look('')),
        (error) => isAppError(error, 'not-found'),
      )
    })

    for (const { send, recvLatin1 } of data[version].filter((each) => each.send !== null && isUnused(each.send))) {
      // We don't send this command, but the client must survive such a response.
      test(`STAT refuses the response to ${send}, unless its code is 223`, async (t) => {
        const server = await startScript((socket, line) => {
          socket.write(line.startsWith('STAT') ? recvLatin1 : (answers.get(line) ?? '500 What?\r\n'), 'latin1')
        })
        t.after(() => server.end())
        const client = await open(server.port)
        t.after(() => client.close(''))
        const found = await client
          .stat(1)
          .then(String, (error: Error) => (isAppError(error, 'protocol-failed') ? 'refused' : String(error)))
        assert.equal(found, /^223/.test(recvLatin1) ? /<.*>/.exec(recvLatin1)![0] : 'refused')
      })
    }
  })
}

describe('header fields are decoded as by CPython', { skip }, () => {
  for (const [header, text] of data.decodeHeader)
    test(JSON.stringify(header), () => assert.equal(decodeWords(header), text))
})

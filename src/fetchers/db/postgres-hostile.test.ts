import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { lookAt } from './place.testkit.ts'
import { createSqlProtocol } from './sql-protocol.ts'

const secret = { user: 'reader', password: 'secret' }

function message(type: string, content: string | readonly number[] = ''): Buffer {
  const bytes = Buffer.from(content as string)
  const header = Buffer.alloc(5)
  header.write(type, 'latin1')
  header.writeUInt32BE(bytes.length + 4, 1)
  return Buffer.concat([header, bytes])
}

const signedIn = message('R', [0, 0, 0, 0])
const ready = message('Z', 'I')
const error = message('E', 'SERROR\0C42601\0Msyntax error\0\0')

/** A server that answers the sign-in and then the first query as given. */
async function startServer(answers: readonly ((socket: Socket) => void)[]) {
  const server = createServer((socket) => {
    const left = [...answers]
    socket.on('error', () => {})
    socket.on('data', () => left.shift()?.(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `postgres://localhost:${port}/shop?query=SELECT 1`, end: () => server.close() }
}

const look = (url: string) =>
  lookAt(createSqlProtocol({ roots: [] }), url, { secret, limits: { connectTimeoutMs: 2000, stallTimeoutMs: 2000 } })

const says =
  (...messages: readonly Buffer[]) =>
  (socket: Socket) =>
    socket.write(Buffer.concat(messages))

const attacks: [string, Buffer][] = [
  ['an error without an end', message('E', 'S')],
  ['an error without content', message('E')],
  ['a notice without an end', message('N', 'Mtext')],
  ['an error longer than any', Buffer.concat([message('E').subarray(0, 1), Buffer.from('7fffffff53', 'hex')])],
  ['an unknown kind of sign-in', message('R', [0, 0, 0, 99])],
  ['a column that is cut off', message('T', [0, 3, 0x69])],
  ['a row of a query that was never sent', message('D', [0, 1, 0, 0, 0, 1, 0x31])],
  ['a length that is too small', Buffer.from('5a00000003', 'hex')],
]
for (const [what, bytes] of attacks)
  test(`a look at a PostgreSQL server that sends ${what} fails`, async (t) => {
    for (const answers of [[says(bytes)], [says(signedIn, ready), says(bytes, ready)]]) {
      const server = await startServer(answers)
      t.after(server.end)
      await assert.rejects(
        look(server.url),
        (error) => isAppError(error) && /^(?:protocol|connect)-failed$/.test(error.code),
      )
    }
  })

test('an error of the server is reported, even if it arrives byte by byte', async (t) => {
  const server = await startServer([
    says(signedIn, ready),
    (socket) => {
      for (const byte of Buffer.concat([error, ready])) socket.write(Buffer.of(byte))
    },
  ])
  t.after(server.end)
  await assert.rejects(look(server.url), /the database refused the query: syntax error/)
})

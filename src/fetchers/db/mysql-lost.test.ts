import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { lookAt } from './place.testkit.ts'
import { createSqlProtocol } from './sql-protocol.ts'

const secret = { user: 'reader', password: 'x' }
const queryCommand = 3

function packet(sequence: number, ...parts: (string | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const header = Buffer.alloc(4)
  header.writeUIntLE(content.length, 0, 3)
  header[3] = sequence
  return Buffer.concat([header, content])
}

/** Version, connection, scramble in two parts, capabilities with those of protocol 4.1. */
const greeting = packet(
  0,
  ...[[10], '8.0.33\0', [1, 0, 0, 0], 'abcdefgh\0', [0xff, 0xf7, 0x2d, 2, 0, 0xff, 0x81, 21], Array(10).fill(0)],
  'ijklmnopqrst\0mysql_native_password\0',
)
const accepted = (sequence: number): Buffer => packet(sequence, [0, 0, 0, 2, 0, 0, 0])
const text = (value: string): string => `${String.fromCharCode(value.length)}${value}`
const column = packet(
  2,
  ...['def', 'shop', 'goods', 'goods', 'id', 'id'].map(text),
  [12, 45, 0, 255, 0, 0, 0, 3, 0, 0, 0, 0, 0],
)
const endOfColumns = packet(3, [0xfe, 0, 0, 2, 0])
const resultStart = Buffer.concat([packet(1, [1]), column, endOfColumns, packet(4, text('7'))])

/** A server that lets everyone in, accepts all settings, and answers a query as given. */
async function startServer(answer: (socket: Socket) => void) {
  const server = createServer((socket) => {
    let isSignedIn = false
    socket.on('error', () => {})
    socket.write(greeting)
    socket.on('data', (data) => {
      if (!isSignedIn) {
        isSignedIn = true
        socket.write(accepted(2))
      } else if (data[4] === queryCommand && data.includes('SELECT id')) answer(socket)
      else socket.write(accepted(1))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `mysql://localhost:${port}/shop?query=SELECT id FROM goods`, end: () => server.close() }
}

const answers = [
  ['closes the connection within a result', 'connect-failed', (socket: Socket) => socket.end(resultStart)],
  ['stops within a result', 'query-timeout', (socket: Socket) => socket.write(resultStart)],
  ['answers a query with nonsense', 'query-timeout', (socket: Socket) => socket.write(packet(77, 'nonsense'))],
] as const

for (const [what, code, answer] of answers)
  test(`a look at a server that ${what} fails`, async (t) => {
    const server = await startServer(answer)
    t.after(server.end)
    await assert.rejects(
      lookAt(createSqlProtocol({ roots: [] }), server.url, { secret, limits: { stallTimeoutMs: 100 } }),
      (error) => isAppError(error, code),
    )
  })

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerCalls } from '../deliver/child.ts'

/** A process that simulates many hosts: one web server for all of them, and a name server with a delay. */
export type World = {
  begin(options: { delayMs: number }): Promise<{ port: number; nameserver: string }>
  counts(): { questions: number; requests: number }
  end(): void
}

let delayMs = 0
let questions = 0
let requests = 0
const names = createSocket('udp4')
const web = createServer((request, response) => {
  requests++
  response.statusCode = request.url === '/robots.txt' ? 404 : 200
  response.setHeader('content-type', 'text/html')
  response.end(`<title>${request.headers.host}</title>`)
})

/** Answers every A query with a distinct address in 127/8, and all others with an empty answer. */
names.on('message', (message, peer) => {
  questions++
  let end = 12
  while (message[end] !== 0) end += 1 + message[end]!
  const isV4 = message.readUInt16BE(end + 1) === 1
  const number = Number(/\d+/.exec(message.toString('latin1', 12, end))?.[0] ?? 0)
  const head = Buffer.from([message[0]!, message[1]!, 0x81, 0x80, 0, 1, 0, isV4 ? 1 : 0, 0, 0, 0, 0])
  const record = Buffer.from([
    0xc0,
    12,
    0,
    1,
    0,
    1,
    0,
    0,
    0x0e,
    0x10,
    0,
    4,
    127,
    1 + (number >> 16),
    (number >> 8) & 255,
    number & 255,
  ])
  const answer = Buffer.concat([head, message.subarray(12, end + 5), ...(isV4 ? [record] : [])])
  if (delayMs === 0) names.send(answer, peer.port, peer.address)
  else setTimeout(() => names.send(answer, peer.port, peer.address), delayMs)
})

answerCalls<World>({
  async begin(options) {
    delayMs = options.delayMs
    questions = 0
    requests = 0
    if (!web.listening) {
      web.listen(0, '0.0.0.0')
      names.bind(0, '127.0.0.1')
      await Promise.all([once(web, 'listening'), once(names, 'listening')])
    }
    return { port: (web.address() as AddressInfo).port, nameserver: `127.0.0.1:${names.address().port}` }
  },
  counts: () => ({ questions, requests }),
  end() {
    names.close()
    web.close()
    web.closeAllConnections()
  },
})

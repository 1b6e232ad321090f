import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net'
import type { Clock } from '../core/clock.ts'
import { type AgentTools, usualLimits } from './channel-agent.ts'
import type { GuardedNetwork } from './http-sender.ts'

export type SinkRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string; bytes: Buffer }
export type SinkAnswer = { status: number; headers?: Record<string, string>; body?: string }
/** For receivers whose response depends on the request, or is delayed. */
export type SinkAnswers = (request: SinkRequest) => SinkAnswer | Promise<SinkAnswer>

/** A receiver on loopback that records requests and sends configured responses; with TLS if it has a certificate. */
export async function createSink(certificate?: { key: string; cert: string }) {
  const received: SinkRequest[] = []
  let answer: SinkAnswers = () => ({ status: 200, body: 'ok' })
  const server = certificate === undefined ? createServer() : createTlsServer(certificate)
  server.on('request', async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const bytes = Buffer.concat(pieces)
    const { method = '', url: path = '', headers } = request
    const got = { method, path, headers, bytes, body: bytes.toString('utf8') }
    received.push(got)
    const given = await answer(got)
    response.writeHead(given.status, given.headers ?? {}).end(given.body ?? '')
  })
  const port = await listening(server)
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    received,
    answerWith(next: SinkAnswer | SinkAnswers): void {
      answer = typeof next === 'function' ? next : () => next
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await closed(server)
    },
  }
}

/** A raw TCP server that passes each connection to `serve`. */
export async function createRawSink(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createRawServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    serve(socket)
  })
  const port = await listening(server)
  return {
    port,
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      await closed(server)
    },
  }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function closed(server: Server): Promise<void> {
  const end = once(server, 'close')
  server.close()
  await end
}

/** Tools without a mail server, programs or keys. */
export function toolsOf(network: GuardedNetwork, clock: Clock): AgentTools {
  const push = { publicKey: '', privateKey: '', subject: 'mailto:operator@e.example' }
  const { send: http, resolve } = network
  return { http, resolve, mail: { server: '', from: '' }, commands: [], push, limits: usualLimits, clock }
}

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../core/clock.ts'
import { type AgentTools, usualLimits } from './channel-agent.ts'
import type { GuardedNetwork } from './http-sender.ts'

export type SinkRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string }
export type SinkAnswer = { status: number; headers?: Record<string, string>; body?: string }

/** A receiver on loopback that keeps what it gets and answers as it is told. */
export async function createSink() {
  const received: SinkRequest[] = []
  let answer: SinkAnswer = { status: 200, body: 'ok' }
  const server = createServer(async (request, response) => {
    let body = ''
    request.setEncoding('utf8')
    for await (const piece of request) body += piece
    received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
    response.writeHead(answer.status, answer.headers ?? {}).end(answer.body ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answerWith(next: SinkAnswer): void {
      answer = next
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}

/** Without a mail server, programs or keys. */
export function toolsOf(network: GuardedNetwork, clock: Clock): AgentTools {
  const push = { publicKey: '', privateKey: '', subject: 'mailto:operator@e.example' }
  const { send: http, resolve } = network
  return { http, resolve, mail: { server: '', from: '' }, commands: [], push, limits: usualLimits, clock }
}

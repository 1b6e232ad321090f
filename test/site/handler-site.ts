import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An origin that one function answers for: where the answer follows from the URL, the time or what was asked before. */
export type HandlerSite = {
  origin: string
  /** Paths with their queries, as they were asked for. */
  asked: string[]
  close(): Promise<void>
}

export type Handler = (path: string, response: ServerResponse, request: IncomingMessage) => void

export async function createHandlerSite(handle: Handler, address = '127.0.0.1'): Promise<HandlerSite> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    response.setHeader('content-type', path === '/robots.txt' ? 'text/plain' : 'text/html')
    handle(path, response, request)
  })
  server.listen(0, address)
  await once(server, 'listening')
  return {
    origin: `http://${address}:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

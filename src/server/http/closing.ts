import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long the rest of a malformed request is read. */
export const MALFORMED_LINGER_MS = 5000
/** How long the rest of a body is read: many clients look at the answer only after they have sent all of it. */
const BODY_LINGER_MS = 30_000

/** A reset while the client still sends would discard the answer, so what it sends is read for a while, then it is cut off. */
export function linger(socket: Socket, limitMs: number): void {
  const timer = setTimeout(() => socket.destroy(), limitMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

/** Requests that are answered before their body has arrived, such as one that is too large, on a connection that is closed then. */
export function readRefusedBodies(server: Server): void {
  function readRest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    response.once('finish', () => {
      if (request.complete || !socket.writableEnded) return
      // Node would destroy it as soon as the answer is sent. Without that it is closed when the client closes its end too.
      socket.off('finish', socket.destroy)
      linger(socket, BODY_LINGER_MS)
    })
  }
  // Node reports a request with an unknown expectation only as the latter.
  server.on('request', readRest)
  server.on('checkExpectation', readRest)
}

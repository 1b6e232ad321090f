import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long the rest of a malformed request is read. */
export const MALFORMED_LINGER_MS = 5000
/** How long the rest of a body is read: many clients read the response only after they have sent all of it. */
const BODY_LINGER_MS = 30_000

/** Keeps reading for a while before closing: a reset while the client is still sending would discard the response. */
export function linger(socket: Socket, limitMs: number): void {
  const timer = setTimeout(() => socket.destroy(), limitMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

/** Lingers after responses that are sent before the request body has arrived, such as for one that is too large. */
export function readRefusedBodies(server: Server): void {
  function readRest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    response.once('finish', () => {
      if (request.complete || !socket.writableEnded) return
      // Node would destroy the socket once the response is sent. Now it closes when the client closes its end, too.
      socket.off('finish', socket.destroy)
      linger(socket, BODY_LINGER_MS)
    })
  }
  // For requests with an unknown expectation, Node emits only the latter.
  server.on('request', readRest)
  server.on('checkExpectation', readRest)
}

import type { FastifyInstance, FastifyReply } from 'fastify'

const pagePolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const apiPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

/**
 * What was fetched from elsewhere is shown as a picture of itself: nothing runs, nothing is loaded, nothing is sent, and its
 * origin is none that has a cookie. It may stand in a frame of our own pages.
 */
const contentPolicy = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline' data:",
  'img-src data:',
  'font-src data:',
  'media-src data:',
  "frame-ancestors 'self'",
].join('; ')

/** Everything is locked unless a route opens it. */
export function setHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'content-security-policy': apiPolicy,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      'cache-control': 'private, no-cache',
    })
  })
}

export function asPage(reply: FastifyReply): FastifyReply {
  return reply.header('content-security-policy', pagePolicy)
}

/** For bytes that came from elsewhere. */
export function asForeignContent(reply: FastifyReply): FastifyReply {
  return reply.header('content-security-policy', contentPolicy).header('x-frame-options', 'SAMEORIGIN')
}

import type { FastifyInstance, FastifyReply } from 'fastify'
import { replayStyle } from '../replay/replay-pages.ts'

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
 * Fetched content is shown inert: nothing runs, loads or is sent, and its opaque origin has no cookies. Only our own pages
 * may frame it.
 */
const contentPolicy = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "frame-ancestors 'self'",
].join('; ')

/**
 * Links open our leave page in a new tab, outside the sandbox: inside it, that page would have no origin and could not work. Nothing
 * else in the page can open anything: see `inertPage`.
 */
const contentPagePolicy = contentPolicy.replace('sandbox', 'sandbox allow-popups allow-popups-to-escape-sandbox')

/** Everything is forbidden unless a route allows it. */
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
      'cache-control': 'no-store',
    })
  })
}

export function asPage(reply: FastifyReply): FastifyReply {
  return reply.header('content-security-policy', pagePolicy)
}

/** For fetched content. */
export function asForeignContent(reply: FastifyReply): FastifyReply {
  return reply.header('content-security-policy', contentPolicy).header('x-frame-options', 'SAMEORIGIN')
}

/** For fetched pages that were made inert. */
export function asForeignPage(reply: FastifyReply): FastifyReply {
  return asForeignContent(reply).header('content-security-policy', contentPagePolicy)
}

/** For an inert page with our picker script, which runs without an origin and can neither load nor send anything. */
export function asPickerPage(reply: FastifyReply, script: string): FastifyReply {
  const policy = contentPolicy.replace('sandbox', `sandbox allow-scripts; script-src ${script}`)
  return asForeignContent(reply).header('content-security-policy', policy)
}

/** For a replayed inert page: its links stay within the archive and replace the page around its frame. */
export function asReplayedPage(reply: FastifyReply): FastifyReply {
  const policy = contentPolicy.replace('sandbox', 'sandbox allow-top-navigation-by-user-activation')
  return asForeignContent(reply).header('content-security-policy', policy)
}

const viewerPolicy = [
  "default-src 'none'",
  `style-src ${replayStyle}`,
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** For our page around a replayed one. */
export function asReplayViewer(reply: FastifyReply): FastifyReply {
  return reply.header('content-security-policy', viewerPolicy)
}

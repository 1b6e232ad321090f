import type { FastifyRequest } from 'fastify'

/**
 * The server's URL for programs that can't use relative links, without a trailing slash. If none is configured, it is the one that the
 * caller used, so responses with it must not be cached for others.
 */
export function addressOf({ protocol, host }: FastifyRequest, configured: string): string {
  if (configured !== '') return configured.replace(/\/+$/, '')
  return /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host) ? `${protocol}://${host}` : ''
}

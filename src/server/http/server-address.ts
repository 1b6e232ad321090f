import type { FastifyRequest } from 'fastify'

/**
 * The address of the server for programs that can't use relative links. Where none is configured it is the one that the caller used,
 * so answers with it must not be stored for others. Without a slash at its end.
 */
export function addressOf({ protocol, host }: FastifyRequest, configured: string): string {
  if (configured !== '') return configured.replace(/\/+$/, '')
  return /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host) ? `${protocol}://${host}` : ''
}

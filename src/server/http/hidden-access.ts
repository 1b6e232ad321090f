import type { FastifyInstance } from 'fastify'
import { withoutAccesses } from '../../core/url/access.ts'

/** Removes the access from URLs in all responses: with whose credentials or browser a page was fetched is internal. */
export function hideAccess(server: FastifyInstance): void {
  server.addHook('onSend', async (_request, _reply, payload) =>
    typeof payload === 'string' ? withoutAccesses(payload) : payload,
  )
}

import type { FastifyInstance } from 'fastify'
import { withoutAccesses } from '../../core/url/access.ts'

/** In whose name and by which program a page was asked for is for the program alone: no answer tells it. */
export function hideAccess(server: FastifyInstance): void {
  server.addHook('onSend', async (_request, _reply, payload) =>
    typeof payload === 'string' ? withoutAccesses(payload) : payload,
  )
}

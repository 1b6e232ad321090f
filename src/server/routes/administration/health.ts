import type { FastifyInstance } from 'fastify'
import { anyone } from '../../http/access.ts'
import type { HealthParts } from '../../parts.ts'

/** For process supervisors and monitoring: outside the API, public, without personal data. */
export function addHealth(server: FastifyInstance, { metrics, health }: HealthParts): void {
  // Rate-limited callers must not make the process look dead.
  const open = { config: { ...anyone, isUnlimited: true }, schema: { hide: true } }
  server.get('/healthz', open, async () => ({ status: 'ok' }))
  server.get('/readyz', open, async (_request, reply) => {
    const reasons = await health.healthErrors()
    if (reasons.length === 0) return { status: 'ready' }
    return reply.status(503).send({ status: 'not-ready', reasons })
  })
  server.get('/metrics', open, async (_request, reply) => reply.type(metrics.type).send(await metrics.text()))
}

import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import { byLink } from '../../http/access.ts'
import { WaitError } from '../../http/problem.ts'
import type { ServerParts } from '../../parts.ts'

type Params = { Params: { token: string }; Querystring: Record<string, unknown> }
type Parts = Pick<ServerParts, 'webSub' | 'requestLimits'>

/** A delivery contains the feed itself; it is not stored. */
const maxDeliveryBytes = 1024 * 1024

/** Callbacks of hubs (WebSub), which verify subscriptions and report news. The URL is the secret. */
export function addWebSub(server: FastifyInstance, { webSub, requestLimits }: Parts): void {
  const route = { config: byLink, schema: { hide: true } }
  const take = (token: string): void => {
    const seconds = requestLimits.take(`websub ${token.slice(0, 64)}`)
    if (seconds > 0) throw new WaitError('rate-limited', 'too many requests; slow down', seconds)
  }
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxDeliveryBytes }, (_, body, done) =>
      done(null, body),
    )
    scope.get<Params>('/websub/:token', route, async ({ params, query }, reply) => {
      take(params.token)
      const asked = new Map<string, string>()
      for (const [name, value] of Object.entries(query)) if (typeof value === 'string') asked.set(name, value)
      const challenge = webSub.verify(params.token, asked)
      if (challenge === null) throw new AppError('not-found', 'no such subscription')
      return reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff').send(challenge)
    })
    scope.post<Params>(
      '/websub/:token',
      { ...route, bodyLimit: maxDeliveryBytes },
      async ({ params, body, headers }, reply) => {
        take(params.token)
        const signature = headers['x-hub-signature']
        const content = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
        if (!webSub.deliver(params.token, content, typeof signature === 'string' ? signature : ''))
          throw new AppError('not-found', 'no such subscription')
        return reply.code(202).send()
      },
    )
  })
}

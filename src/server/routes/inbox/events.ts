import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Callers } from '../../../services/accounts/callers.ts'
import { callerOf, reader, SESSION_COOKIE } from '../../http/access.ts'
import { createEventStreams, type EventStreams } from '../../http/event-streams.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { Problem } from '../../schemas/common.ts'
import { EventQuery } from '../../schemas/inbox.ts'

/** These routes can end a user's access. */
const accessRoutes = /^\/api\/v1\/(?:sessions?|tokens|users|me)(?:\/|$)/

export function addEvents(api: Api, { events, accounts }: Pick<ServerParts, 'events' | 'accounts'>): void {
  const streams = createEventStreams(events)
  api.addHook('preClose', async () => streams.close())
  // Ending access also closes the user's streams, before the response is sent.
  api.addHook('onSend', async (request, { statusCode }, payload) => {
    if (statusCode < 400) await endStreams(request, streams)
    return payload
  })

  api.get(
    '/events',
    {
      config: reader,
      exposeHeadRoute: false,
      schema: {
        tags: ['inbox'],
        summary: 'Stream live events',
        description:
          'Event types: hello, annotation, counts, source, channel, crawl, and reset when too many were missed: reload your lists. ' +
          'With Last-Event-ID, missed events are sent first.',
        querystring: EventQuery,
        response: {
          200: { description: 'Events', content: { 'text/event-stream': { schema: Type.String() } } },
          '4xx': Problem,
        },
      },
    },
    async (request, reply) => {
      const { account } = callerOf(request)
      const isAdministrator = account.role === 'administrator' && mayAdminister(request)
      streams.admit(account.email)
      reply.hijack()
      const opening = streams.open({
        owner: account.email,
        isAdministrator,
        crawl: request.query.crawl === '1',
        lastSeen: lastSeenBy(request),
        response: reply.raw,
        headers: {
          ...reply.getHeaders(),
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store, no-transform',
          'x-accel-buffering': 'no',
        },
        isStillKnown: knownAgain(request, accounts, { email: account.email, isAdministrator }),
      })
      await opening.catch((error) => request.log.error({ err: error }, 'could not open an event stream'))
      return reply
    },
  )
}

/** An administrator may have ended anyone's access. */
async function endStreams({ method, routeOptions, caller }: FastifyRequest, streams: EventStreams): Promise<void> {
  const isAccess = accessRoutes.test(routeOptions.url ?? '')
  if (!isAccess || method === 'GET' || caller === null) return
  await streams.lookAgain(routeOptions.config.access === 'administrator' ? null : caller.account.email)
}

function mayAdminister(request: FastifyRequest): boolean {
  const { via, scopes } = callerOf(request)
  return via === 'session' || scopes.includes('admin')
}

/** An invalid id counts as none. */
function lastSeenBy({ headers }: FastifyRequest): number | null {
  const text = headers['last-event-id']
  const id = typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : null
  return id !== null && Number.isSafeInteger(id) ? id : null
}

/** Keeps only the secret, not the request, for as long as the stream lives. */
function knownAgain(
  { headers, cookies }: FastifyRequest,
  callers: Callers,
  { email, isAdministrator }: { email: string; isAdministrator: boolean },
): () => Promise<boolean> {
  const token = headers.authorization?.replace(/^Bearer +/i, '')
  const session = cookies[SESSION_COOKIE] ?? ''
  return async () => {
    const caller = await (token === undefined ? callers.ofSession(session) : callers.ofToken(token))
    if (caller?.account.email !== email) return false
    return !isAdministrator || caller.account.role === 'administrator'
  }
}

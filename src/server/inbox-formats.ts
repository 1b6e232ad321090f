import type { FastifyReply, FastifyRequest } from 'fastify'
import { negotiate } from './negotiation.ts'
import type { formats } from './schemas/inbox.ts'

export type InboxFormat = (typeof formats)[number]

/** Media types of the inbox formats. */
export const inboxFormats = {
  json: 'application/json',
  xml: 'application/xml',
  wml: 'text/vnd.wap.wml',
  text: 'text/plain',
} as const satisfies Record<InboxFormat, string>

const byType = new Map<string, InboxFormat>([
  ...Object.entries(inboxFormats).map(([format, type]) => [type, format as InboxFormat] as const),
  ['text/xml', 'xml'],
])
const offers = [...byType.keys()]

/** A format named in the query takes precedence over the Accept header. Sets the type of the response. */
export function formatOf(named: InboxFormat | undefined, request: FastifyRequest, reply: FastifyReply): InboxFormat {
  if (named !== undefined) {
    reply.header('vary', 'Accept')
    reply.type(`${inboxFormats[named]}; charset=utf-8`)
    return named
  }
  const type = negotiate(request, reply, offers)
  reply.type(`${type}; charset=utf-8`)
  return byType.get(type)!
}

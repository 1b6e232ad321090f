import { createHash } from 'node:crypto'
import etag from '@fastify/etag'
import type { FastifyInstance } from 'fastify'

/** Responses carry an ETag; what the caller already has is not sent again (RFC 9110, 13.1.2). */
export async function addEtags(server: FastifyInstance): Promise<void> {
  await server.register(etag, { replyWith304: false })
  server.addHook('onSend', async (request, reply, payload) => {
    const asked = request.headers['if-none-match']
    if (asked === undefined || reply.statusCode !== 200 || !['GET', 'HEAD'].includes(request.method)) return payload
    const tag = reply.getHeader('etag')
    if (typeof tag !== 'string' || !isAmongTags(tag, asked)) return payload
    reply.code(304)
    return ''
  })
}

/** A tag of the content, for responses whose bytes differ each time. */
export function etagOf(value: unknown): string {
  return `W/"${createHash('sha1').update(JSON.stringify(value)).digest('base64')}"`
}

/** Whether a tag is in the header `If-None-Match`. */
export function isAmongTags(tag: string, asked: string): boolean {
  if (asked.trim() === '*') return true
  const tags: string[] = asked.match(/"[^"]*"/g) ?? []
  return tags.includes(tag.replace(/^W\//, ''))
}

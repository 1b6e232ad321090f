import type { FastifyRequest } from 'fastify'
import type { InboxFormat } from './inbox-formats.ts'

/** Links for inbox formats whose readers can't build URLs themselves. */
export type InboxLinks = {
  /** The requested list from a cursor; from its start for null. */
  list(format: InboxFormat, cursor: string | null): string
  annotation(id: number, format: InboxFormat, part?: number): string
}

const kept = ['state', 'profile', 'q', 'urgency', 'upTo', 'limit'] as const

/** Absolute: with the server's configured address, or the one the caller used. */
export function inboxLinks(request: FastifyRequest, address: string): InboxLinks {
  const base = `${(address || originOf(request)).replace(/\/+$/, '')}/api/v1/annotations`
  const query = request.query as Record<string, unknown>
  return {
    list(format, cursor) {
      const wanted = new URLSearchParams()
      // The default state is omitted: every letter counts on a small device.
      for (const name of kept)
        if (query[name] !== undefined && query[name] !== 'all') wanted.set(name, String(query[name]))
      wanted.set('format', format)
      if (cursor !== null) wanted.set('cursor', cursor)
      return `${base}?${wanted}`
    },
    annotation: (id, format, part = 1) => `${base}/${id}?format=${format}${part === 1 ? '' : `&part=${part}`}`,
  }
}

/** A Host header is used only if it is a valid host. */
function originOf({ protocol, host }: FastifyRequest): string {
  const isHost = /^[\w.-]{1,253}(?::\d{1,5})?$|^\[[0-9a-f:.]{2,45}\](?::\d{1,5})?$/i.test(host ?? '')
  return isHost ? `${protocol}://${host}` : ''
}

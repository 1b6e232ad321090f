import type { FastifyRequest } from 'fastify'
import type { InboxFormat } from './inbox-formats.ts'

/** Addresses of the inbox for readers that know of it only what they are told. */
export type InboxLinks = {
  /** The list as it was asked for, from a cursor on; from its start for null. */
  list(format: InboxFormat, cursor: string | null): string
  annotation(id: number, format: InboxFormat, part?: number): string
}

const kept = ['state', 'profile', 'q', 'urgency', 'upTo', 'limit'] as const

/** Absolute: to the address that the server is known by, or to the one that the caller has used. */
export function inboxLinks(request: FastifyRequest, address: string): InboxLinks {
  const base = `${(address || originOf(request)).replace(/\/+$/, '')}/api/v1/annotations`
  const query = request.query as Record<string, unknown>
  return {
    list(format, cursor) {
      const wanted = new URLSearchParams()
      // The state that is meant anyway is not said: every letter counts on a small device.
      for (const name of kept)
        if (query[name] !== undefined && query[name] !== 'all') wanted.set(name, String(query[name]))
      wanted.set('format', format)
      if (cursor !== null) wanted.set('cursor', cursor)
      return `${base}?${wanted}`
    },
    annotation: (id, format, part = 1) => `${base}/${id}?format=${format}${part === 1 ? '' : `&part=${part}`}`,
  }
}

/** What a caller says of the host goes into the answer only where it is one. */
function originOf({ protocol, host }: FastifyRequest): string {
  const isHost = /^[\w.-]{1,253}(?::\d{1,5})?$|^\[[0-9a-f:.]{2,45}\](?::\d{1,5})?$/i.test(host ?? '')
  return isHost ? `${protocol}://${host}` : ''
}

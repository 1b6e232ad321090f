import type { FastifyReply, FastifyRequest } from 'fastify'
import type { InboxService } from '../../../services/inbox/inbox-service.ts'
import { type DigestItem, digestText, itemText } from '../../../services/inbox/inbox-text.ts'
import { wmlAnnotation, wmlList } from '../../../services/inbox/inbox-wml.ts'
import type { InboxItem, InboxState } from '../../../store/contracts/inbox.ts'
import { negotiate } from '../../http/negotiation.ts'
import type { formats } from '../../schemas/inbox.ts'

type OtherFormat = Exclude<InboxFormat, 'json'>

export type ListAnswer = {
  format: OtherFormat
  items: readonly InboxItem[]
  next: string | null
  inbox: InboxService
  links: InboxLinks
  query: { state?: InboxState }
  cursorOf(id: number): string
}

export type ItemAnswer = {
  format: OtherFormat
  item: InboxItem
  part: number
  owner: string
  inbox: InboxService
  links: InboxLinks
}

/** The list in formats other than JSON. The link to the next page is in the text, or in a header for XML. */
async function listAs({ format, items, next, inbox, links, query, cursorOf }: ListAnswer): Promise<Transcoded> {
  const on = next === null ? null : links.list(format, next)
  if (format === 'xml') return { text: await inbox.xml(items), next: on }
  const title = `Inbox: ${query.state ?? 'all'}`
  const rows = await digestItems(items, inbox, links, format)
  if (format === 'text') return { text: digestText({ title, items: rows, next: on }), next: on }
  const nextAfter = ({ id }: { id: number }) => links.list('wml', cursorOf(id))
  const { deck, shown } = wmlList({ title, items: rows, next: on, nextAfter })
  return { text: deck, next: shown < rows.length ? nextAfter(rows[shown - 1]!) : on }
}

type Transcoded = { text: string; next: string | null }

async function annotationAs({ format, item, part, owner, inbox, links }: ItemAnswer): Promise<Transcoded> {
  if (format === 'xml') return { text: inbox.xmlOf(item), next: null }
  const [row] = await digestItems([item], inbox, links, format)
  if (format === 'text') return { text: itemText(row!), next: null }
  const { newer, older } = await inbox.neighbours(owner, item.id)
  const linkOf = (id: number | null) => (id === null ? null : links.annotation(id, 'wml'))
  const deck = wmlAnnotation(
    {
      ...row!,
      links: { list: links.list('wml', null), original: item.url, newer: linkOf(newer), older: linkOf(older) },
      partLink: (n) => links.annotation(item.id, 'wml', n),
    },
    part,
  )
  return { text: deck, next: null }
}

export async function sendList(reply: FastifyReply, answer: ListAnswer): Promise<string> {
  return finish(reply, await listAs(answer))
}

export async function sendAnnotation(reply: FastifyReply, answer: ItemAnswer): Promise<string> {
  return finish(reply, await annotationAs(answer))
}

function finish(reply: FastifyReply, { text, next }: Transcoded): string {
  if (next !== null) reply.header('link', `<${next}>; rel="next"`)
  return text
}

async function digestItems(
  items: readonly InboxItem[],
  inbox: InboxService,
  links: InboxLinks,
  format: OtherFormat,
): Promise<DigestItem[]> {
  const shown = await inbox.shown(items)
  return shown.map((each, place) => ({
    ...each,
    at: items[place]!.at,
    profileName: each.profile.name,
    summary: each.summary.text,
    link: links.annotation(each.id, format),
  }))
}

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

/** Links for inbox formats whose readers can't build URLs themselves. */
type InboxLinks = {
  /** The requested list from a cursor; from its start for null. */
  list(format: InboxFormat, cursor: string | null): string
  annotation(id: number, format: InboxFormat, part?: number): string
}

const kept = ['state', 'profile', 'q', 'urgency', 'upTo', 'document', 'entry', 'group', 'limit'] as const

/** Links have the server's configured address or are relative: the caller's Host header must not decide where they lead. */
export function inboxLinks(request: FastifyRequest, address: string): InboxLinks {
  const base = `${address.replace(/\/+$/, '')}/api/v1/annotations`
  const query = request.query as Record<string, unknown>
  return {
    list(format, cursor) {
      const wanted = new URLSearchParams()
      // The default state is omitted: every character counts on a small device.
      for (const name of kept) {
        const value = query[name]
        if (value !== undefined && !(name === 'state' && value === 'all')) wanted.set(name, String(value))
      }
      wanted.set('format', format)
      if (cursor !== null) wanted.set('cursor', cursor)
      return `${base}?${wanted}`
    },
    annotation: (id, format, part = 1) => `${base}/${id}?format=${format}${part === 1 ? '' : `&part=${part}`}`,
  }
}

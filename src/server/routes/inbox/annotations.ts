import { Type } from 'typebox'
import { AppError } from '../../../core/errors.ts'
import { type InboxWish, readInboxFilter } from '../../../services/inbox/inbox-service.ts'
import type { InboxFilter, Marks as MarksGiven } from '../../../store/contracts/inbox.ts'
import { ownerOf, reader, writer } from '../../http/access.ts'
import { cursorOf, numberOfCursor, pageOf } from '../../http/cursor.ts'
import { DetailedError } from '../../http/problem.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { IdParams, listOf, Problem } from '../../schemas/common.ts'
import {
  Annotation,
  AnnotationQuery,
  BulkMarked,
  BulkMarks,
  InboxCounts,
  InboxFilterQuery,
  InboxQuery,
  Marks,
  SplitWish,
} from '../../schemas/inbox.ts'
import { formatOf, inboxFormats, inboxLinks, sendAnnotation, sendList } from './inbox-transcoding.ts'

const tags = ['inbox']
const DEFAULT_LIMIT = 50
/** A WML deck holds no more. */
const MAX_WML_ITEMS = 15

/** The same content in each format. */
function inForms<T extends typeof Annotation | ReturnType<typeof listOf<typeof Annotation>>>(schema: T) {
  const text = { schema: Type.String() }
  return {
    description: 'JSON, XML (ACI), WML or plain text',
    content: {
      'application/json': { schema },
      [inboxFormats.xml]: text,
      [inboxFormats.wml]: text,
      [inboxFormats.text]: text,
    },
  }
}

export function addAnnotations(
  api: Api,
  { inbox, settings, stories }: Pick<ServerParts, 'inbox' | 'settings' | 'stories'>,
): void {
  api.get(
    '/annotations',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the inbox, newest first',
        querystring: InboxQuery,
        response: { 200: inForms(listOf(Annotation)), '4xx': Problem },
      },
    },
    async (request, reply) => {
      const owner = ownerOf(request)
      const { query } = request
      const format = formatOf(query.format, request, reply)
      const filter = filterOf(query)
      const before = numberOfCursor(query.cursor)
      const asked = query.limit ?? DEFAULT_LIMIT
      const limit = format === 'wml' ? Math.min(asked, MAX_WML_ITEMS) : asked
      if (query.group === 'page') {
        const pages = await inbox.pages(owner, filter, { before, limit })
        const next = pages.next === null ? null : cursorOf(pages.next)
        if (format === 'json') return { items: await inbox.shownPages(pages.items), next }
        const links = inboxLinks(request, settings.url)
        return sendList(reply, { format, items: pages.items, next, inbox, links, query, cursorOf })
      }
      const found = await inbox.list(owner, filter, { before, limit: limit + 1 })
      const { items, next } = pageOf(found, limit, ({ id }) => id)
      if (format === 'json') return { items: await inbox.shown(items), next }
      const links = inboxLinks(request, settings.url)
      return sendList(reply, { format, items, next, inbox, links, query, cursorOf })
    },
  )

  api.get(
    '/annotations/counts',
    {
      config: reader,
      schema: { tags, summary: 'Inbox counts', response: { 200: InboxCounts, '4xx': Problem } },
    },
    async (request) => inbox.counts(ownerOf(request)),
  )

  api.patch(
    '/annotations',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Update many: by ids, by pages, or all that match the query',
        querystring: InboxFilterQuery,
        body: BulkMarks,
        response: { 200: BulkMarked, '4xx': Problem },
      },
    },
    async (request) => {
      const owner = ownerOf(request)
      const { ids, ...marks } = request.body
      if (Object.keys(marks).length === 0) throw noMark()
      const { query } = request
      const { ids: changed, more } =
        ids === undefined
          ? await inbox.markAll(owner, filterOf(query), marks)
          : query.group === 'page'
            ? await inbox.markPages(owner, ids, filterOf(query), marks)
            : { ids: await inbox.mark(owner, ids, marks), more: false }
      return { changed: changed.length, ids: changed, more }
    },
  )

  api.get(
    '/annotations/:id',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get an annotation',
        params: IdParams,
        querystring: AnnotationQuery,
        response: { 200: inForms(Annotation), '4xx': Problem },
      },
    },
    async (request, reply) => {
      const owner = ownerOf(request)
      const { format: wished, part = 1 } = request.query
      const format = formatOf(wished, request, reply)
      const item = await inbox.find(owner, request.params.id)
      if (item === null) throw notFound()
      if (format === 'json') return (await inbox.shown([item]))[0]!
      const links = inboxLinks(request, settings.url)
      return sendAnnotation(reply, { format, item, part, owner, inbox, links })
    },
  )

  api.patch(
    '/annotations/:id',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Mark an annotation as read, starred or archived',
        params: IdParams,
        body: Marks,
        response: { 200: Annotation, '4xx': Problem },
      },
    },
    async (request) => {
      const owner = ownerOf(request)
      const { id } = request.params
      const marks: MarksGiven = request.body
      await inbox.mark(owner, [id], marks)
      const item = await inbox.find(owner, id)
      if (item === null) throw notFound()
      return (await inbox.shown([item]))[0]!
    },
  )

  api.post(
    '/annotations/:id/split',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Give a page that is listed under alsoAt an annotation of its own, now and from now on',
        params: IdParams,
        body: SplitWish,
        response: { 200: Type.Object({ items: Type.Array(Annotation) }), '4xx': Problem },
      },
    },
    async (request) => {
      const owner = ownerOf(request)
      const ids = await stories.split(owner, request.params.id, request.body.url)
      if (ids === null) throw new AppError('not-found', 'no such page is listed with this annotation')
      const items = await Promise.all(ids.map((id) => inbox.find(owner, id)))
      return { items: await inbox.shown(items.filter((item) => item !== null)) }
    },
  )
}

function filterOf(wish: InboxWish): InboxFilter {
  if (wish.entry !== undefined && wish.document === undefined) throw noDocument()
  const read = readInboxFilter(wish)
  if (read.kind === 'filter') return read.filter
  const details = read.errors.map((message) => ({ place: 'querystring.q', message }))
  throw new DetailedError('request-invalid', 'invalid search', details)
}

const notFound = (): AppError => new AppError('not-found', 'no such annotation in your inbox')

function noMark(): DetailedError {
  const details = [{ place: 'body', message: 'requires read, starred or archived' }]
  return new DetailedError('request-invalid', 'nothing to update', details)
}

/** Without its document an entry would filter nothing. */
function noDocument(): DetailedError {
  const details = [{ place: 'querystring.entry', message: 'requires document' }]
  return new DetailedError('request-invalid', 'invalid querystring', details)
}

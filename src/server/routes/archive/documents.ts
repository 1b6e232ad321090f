import { Type } from 'typebox'
import { askerOf, callerOf, hasScope, reader, writer } from '../../http/access.ts'
import { attachment, fileName } from '../../http/attachment.ts'
import { cursorOf, numberOfCursor } from '../../http/cursor.ts'
import { asForeignPage } from '../../http/headers.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { Id, IdParams, Problem, pageQuery } from '../../schemas/common.ts'
import {
  Diff,
  DiffQuery,
  Document,
  DocumentList,
  DocumentQuery,
  LinkList,
  Muted,
  MutedChange,
  MutedList,
  MutedParams,
  PartBody,
  PartList,
  PriceList,
  VersionList,
} from '../../schemas/documents.ts'

const tags = ['documents']
const DEFAULT_LIMIT = 50
const DEFAULT_CONTEXT = 3
const params = IdParams

/** Serialised in the thread that computes it, and sent as is. */
const readyDiff = Type.Unsafe<Buffer>(Diff)
const ready = Type.Unsafe<Buffer>({ type: 'string' })

export function addDocuments(api: Api, { archive, muting }: Pick<ServerParts, 'archive' | 'muting'>): void {
  api.addHook('onClose', () => archive.end())

  api.get(
    '/documents',
    {
      config: reader,
      schema: {
        tags,
        summary:
          'Find the document of a URL, or list documents with annotations of yours, most recently annotated first',
        querystring: DocumentQuery,
        response: { 200: DocumentList, '4xx': Problem },
      },
    },
    async (request) => {
      const asker = askerOf(request)
      const { url, limit = DEFAULT_LIMIT, cursor } = request.query
      if (url !== undefined) {
        const found = await archive.documentOfUrl({ ...asker, url })
        return { items: found === null ? [] : [found], next: null }
      }
      return listed(await archive.documents({ ...asker, before: numberOfCursor(cursor), limit }))
    },
  )

  api.get(
    '/documents/:id',
    { config: reader, schema: { tags, summary: 'A document', params, response: { 200: Document, '4xx': Problem } } },
    async (request) => archive.document({ ...askerOf(request), id: request.params.id }),
  )

  api.get(
    '/documents/:id/versions',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the versions of a document, newest first',
        params,
        querystring: Type.Object(pageQuery),
        response: { 200: VersionList, '4xx': Problem },
      },
    },
    async (request) => {
      const { limit = DEFAULT_LIMIT, cursor } = request.query
      const page = { before: numberOfCursor(cursor), limit }
      return listed(await archive.versions({ ...askerOf(request), document: request.params.id, ...page }))
    },
  )

  api.get(
    '/documents/:id/prices',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Prices and stock that the versions of a document showed, oldest first, where they changed',
        params,
        response: { 200: PriceList, '4xx': Problem },
      },
    },
    async (request) => ({ items: await archive.prices({ ...askerOf(request), document: request.params.id }) }),
  )

  api.post(
    '/documents/:id/select',
    {
      config: reader,
      schema: {
        tags,
        summary: 'What selectors choose in the versions of a document; nothing is stored',
        params,
        body: PartBody,
        response: { 200: PartList, '4xx': Problem },
      },
    },
    async (request) => {
      const { select, omit = [] } = request.body
      return { items: await archive.part({ ...askerOf(request), document: request.params.id, select, omit }) }
    },
  )

  api.get(
    '/documents/:id/muted',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the parts of a document whose changes notify no one, and why',
        params,
        response: { 200: MutedList, '4xx': Problem },
      },
    },
    async (request) => ({ items: await archive.muted({ ...askerOf(request), document: request.params.id }) }),
  )

  api.patch(
    '/documents/:id/muted/:block',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Undo the muting of a part for you, or (administrators) for everyone; or mute it again',
        params: MutedParams,
        body: MutedChange,
        response: { 200: Muted, '4xx': Problem },
      },
    },
    async (request) => {
      const { id: document, block } = request.params
      const caller = callerOf(request)
      const isAdministrator = caller.account.role === 'administrator' && hasScope(caller, 'admin')
      return muting.change({ ...askerOf(request), document, block, undone: request.body.undone, isAdministrator })
    },
  )

  api.get(
    '/documents/:id/diff',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Compare two versions',
        params,
        querystring: DiffQuery,
        response: {
          200: {
            description: 'JSON, a patch, or a page that reaches no other site and runs no scripts',
            content: {
              'application/json': { schema: readyDiff },
              'text/x-diff': { schema: ready },
              'text/html': { schema: ready },
            },
          },
          '4xx': Problem,
        },
      },
    },
    async (request, reply) => {
      const { from = null, to = null, form = 'lines', context = DEFAULT_CONTEXT } = request.query
      const { raw = false, ignoreSpace = false, format: as = 'json' } = request.query
      const showIgnored = request.query.ignored === 'show'
      const asked = { document: request.params.id, from, to, form, context, raw, ignoreSpace, showIgnored, as }
      const { bytes, name } = await archive.diff({ ...askerOf(request), ...asked })
      if (as === 'patch') {
        reply.type('text/x-diff; charset=utf-8')
        reply.header('content-disposition', attachment(fileName(name, 'changes.diff')))
      } else if (as === 'page') asForeignPage(reply).type('text/html; charset=utf-8')
      else reply.type('application/json; charset=utf-8')
      return Buffer.from(bytes.buffer)
    },
  )

  api.get(
    '/documents/:id/meta',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get the metadata of a document as XML',
        params,
        response: { 200: { description: 'XML', content: { 'application/xml': { schema: ready } } }, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { bytes } = await archive.meta({ ...askerOf(request), document: request.params.id })
      reply.type('application/xml; charset=utf-8')
      return Buffer.from(bytes.buffer)
    },
  )

  api.get(
    '/documents/:id/links',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the links of a version, in page order',
        params,
        querystring: Type.Object({
          version: Type.Optional({ ...Id, description: 'Defaults to the current version' }),
          ...pageQuery,
        }),
        response: { 200: LinkList, '4xx': Problem },
      },
    },
    async (request) => {
      const { version = null, limit = DEFAULT_LIMIT, cursor } = request.query
      const page = { offset: numberOfCursor(cursor) ?? 0, limit }
      const asked = { ...askerOf(request), document: request.params.id, version, ...page }
      return listed(await archive.links(asked))
    },
  )
}

function listed<T>({ items, next }: { items: T[]; next: number | null }): { items: T[]; next: string | null } {
  return { items, next: next === null ? null : cursorOf(next) }
}

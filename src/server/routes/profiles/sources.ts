import { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import { formatDuration } from '../../../config/quantities.ts'
import { AppError } from '../../../core/errors.ts'
import type { OwnedSource } from '../../../services/sources/owner-sources.ts'
import type { SourceFilter, SourceView } from '../../../services/sources/source-service.ts'
import type { WatchCheck } from '../../../store/contracts/watches.ts'
import { ownerOf, reader, writer } from '../../http/access.ts'
import { cursorOf, numberOfCursor } from '../../http/cursor.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { IdParams, Nothing, oneOf, Problem } from '../../schemas/common.ts'
import {
  BulkSourceMarks,
  BulkSources,
  BulkSourcesDone,
  CheckResult,
  Source,
  SourceDetail,
  SourceFilterQuery,
  SourceImport,
  SourceImported,
  SourceList,
  SourceMarks,
  SourceQuery,
} from '../../schemas/sources.ts'

const tags = ['sources']
const DEFAULT_LIMIT = 50

const files = {
  opml: { type: 'text/x-opml; charset=utf-8', name: 'sources.opml' },
  list: { type: 'text/plain; charset=utf-8', name: 'sources.txt' },
  xml: { type: 'application/xml; charset=utf-8', name: 'profiles.xml' },
} as const
const ExportQuery = Type.Object({ format: Type.Optional(oneOf(['opml', 'list', 'xml'], { default: 'opml' })) })

export function addSources(api: Api, parts: Pick<ServerParts, 'sources'>): void {
  addSourceLists(api, parts)
  addSourceFiles(api, parts)
  addSingleSources(api, parts)
}

function addSourceLists(api: Api, { sources: { service, changes } }: Pick<ServerParts, 'sources'>): void {
  api.get(
    '/sources',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List your sources with their state, newest first',
        querystring: SourceQuery,
        response: { 200: SourceList, '4xx': Problem },
      },
    },
    async (request) => {
      const { limit = DEFAULT_LIMIT, cursor } = request.query
      const page = { before: numberOfCursor(cursor), limit }
      const { items, hasMore, counts } = await service.list(ownerOf(request), filterOf(request.query), page)
      const next = hasMore ? cursorOf(items.at(-1)!.source.id) : null
      return { items: items.map(sourceToJson), next, counts }
    },
  )

  const bulk = { tags, querystring: SourceFilterQuery, response: { 200: BulkSourcesDone, '4xx': Problem } }

  api.patch(
    '/sources',
    { config: writer, schema: { ...bulk, summary: 'Pause, resume or mute several sources', body: BulkSourceMarks } },
    async (request) => {
      const { ids, paused, muted } = request.body
      if (paused === undefined && muted === undefined)
        throw new AppError('request-invalid', 'the body must contain paused or muted')
      const chosen = await service.select(ownerOf(request), choiceOf(request.query, ids))
      return doneTo(await changes.mark(chosen, marksOf({ paused, muted })))
    },
  )

  api.delete(
    '/sources',
    {
      config: writer,
      schema: {
        ...bulk,
        summary: 'Remove several sources; profiles left without a source are deleted',
        body: BulkSources,
      },
    },
    async (request) => {
      const chosen = await service.select(ownerOf(request), choiceOf(request.query, request.body.ids))
      return doneTo(await changes.remove(chosen))
    },
  )

  api.post(
    '/sources/check',
    {
      config: writer,
      schema: { ...bulk, summary: 'Check several sources now, at most 1,000 at a time', body: BulkSources },
    },
    async (request) => {
      const chosen = await service.select(ownerOf(request), choiceOf(request.query, request.body.ids))
      return doneTo(changes.checkAll(chosen))
    },
  )
}

function addSourceFiles(api: Api, { sources: { importList, exportAll } }: Pick<ServerParts, 'sources'>): void {
  api.post(
    '/sources/import',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Import addresses from a list or an OPML file; returns what was skipped and why',
        body: SourceImport,
        response: { 200: SourceImported, '4xx': Problem },
      },
    },
    async (request) => {
      const { text, format = 'auto', every, into = 'own' } = request.body
      return importList(ownerOf(request), { text, format, into, ...(every === undefined ? {} : { every }) })
    },
  )

  const file = { schema: Type.String() }
  api.get(
    '/sources/export',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Export your sources as OPML, a list of addresses, or profiles',
        querystring: ExportQuery,
        response: {
          200: {
            description: 'A file',
            content: { 'text/x-opml': file, 'text/plain': file, 'application/xml': file },
          },
          '4xx': Problem,
        },
      },
    },
    async (request, reply) => {
      const { format = 'opml' } = request.query
      const { type, name } = files[format]
      const pieces = Readable.from(await exportAll(ownerOf(request), format))
      reply.type(type).header('content-disposition', `attachment; filename="${name}"`)
      return reply.send(pieces as unknown as string)
    },
  )
}

function addSingleSources(api: Api, { sources: { service, changes } }: Pick<ServerParts, 'sources'>): void {
  const one = { tags, params: IdParams }

  async function detailOf(owner: string, id: number) {
    const found = await service.detail(owner, id)
    if (found === null) throw unknown()
    return found
  }

  async function ownSource(owner: string, id: number): Promise<OwnedSource> {
    const found = await service.find(owner, id)
    if (found === null) throw unknown()
    return found
  }

  api.get(
    '/sources/:id',
    {
      config: reader,
      schema: {
        ...one,
        summary: 'Get a source with its recent checks',
        response: { 200: SourceDetail, '4xx': Problem },
      },
    },
    async (request) => {
      const { checks, ...view } = await detailOf(ownerOf(request), request.params.id)
      return { ...sourceToJson(view), checks: checks.map(checkToJson) }
    },
  )

  api.patch(
    '/sources/:id',
    {
      config: writer,
      schema: {
        ...one,
        summary: 'Pause, resume or mute a source',
        body: SourceMarks,
        response: { 200: Source, '4xx': Problem },
      },
    },
    async (request) => {
      const owner = ownerOf(request)
      await changes.mark([await ownSource(owner, request.params.id)], marksOf(request.body))
      return sourceToJson(await detailOf(owner, request.params.id))
    },
  )

  api.delete(
    '/sources/:id',
    {
      config: writer,
      schema: {
        ...one,
        summary: 'Remove a source; a profile left without a source is deleted',
        response: { 204: Nothing, '4xx': Problem },
      },
    },
    async (request, reply) => {
      await changes.remove([await ownSource(ownerOf(request), request.params.id)])
      return reply.status(204).send(null)
    },
  )

  api.post(
    '/sources/:id/check',
    {
      config: writer,
      schema: { ...one, summary: 'Check a source now', response: { 202: CheckResult, '4xx': Problem } },
    },
    async (request, reply) => {
      const result = changes.checkNow(await ownSource(ownerOf(request), request.params.id))
      return reply.status(202).send({ result })
    },
  )
}

function unknown(): AppError {
  return new AppError('not-found', 'no such source')
}

function filterOf({ state = 'all', profile, q }: Static<typeof SourceFilterQuery>): SourceFilter {
  return { state, ...(profile === undefined ? {} : { profile }), ...(q === undefined ? {} : { q }) }
}

function choiceOf(query: Static<typeof SourceFilterQuery>, ids: number[] | undefined) {
  return ids === undefined ? filterOf(query) : { ids }
}

function marksOf({ paused, muted }: { paused?: boolean | undefined; muted?: boolean | undefined }) {
  return { ...(paused === undefined ? {} : { paused }), ...(muted === undefined ? {} : { muted }) }
}

function doneTo(ids: number[]): Static<typeof BulkSourcesDone> {
  return { changed: ids.length, ids }
}

function sourceToJson(view: SourceView): Static<typeof Source> {
  const { source, since, lastCheckedAt, lastChangedAt, nextCheckAt, ...rest } = view
  const { id, uri, host, profile, process, everyMs, depth, scope, muted } = source
  return {
    ...{ id, uri, host, profile, process, depth, muted },
    every: formatDuration(everyMs),
    scope: scope.kind === 'pattern' ? scope.source : scope.kind,
    paused: source.paused || source.isProfilePaused,
    ...rest,
    since: timeOf(since),
    lastCheckedAt: timeOf(lastCheckedAt),
    lastChangedAt: timeOf(lastChangedAt),
    nextCheckAt: timeOf(nextCheckAt),
  }
}

function checkToJson({ at, ...rest }: WatchCheck) {
  return { at: new Date(at).toISOString(), ...rest }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

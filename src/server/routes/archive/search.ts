import { parseSearchQuery } from '../../../core/search-query/parse-query.ts'
import { askerOf, reader } from '../../http/access.ts'
import { cursorOf, numberOfCursor } from '../../http/cursor.ts'
import { etagOf } from '../../http/etags.ts'
import { DetailedError } from '../../http/problem.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { Problem } from '../../schemas/common.ts'
import { SearchQuery, SearchResult } from '../../schemas/documents.ts'

const DEFAULT_LIMIT = 50

export function addSearch(api: Api, { archive }: Pick<ServerParts, 'archive'>): void {
  api.get(
    '/search',
    {
      config: reader,
      schema: {
        tags: ['search'],
        summary: 'Full-text search over the documents visible to you',
        querystring: SearchQuery,
        response: { 200: SearchResult, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { q, limit = DEFAULT_LIMIT, cursor } = request.query
      const parsed = parseSearchQuery(q)
      if (parsed.kind === 'invalid') {
        const details = parsed.errors.map((message) => ({ place: 'querystring.q', message }))
        throw new DetailedError('request-invalid', `invalid search: ${parsed.errors.join('; ')}`, details)
      }
      const asked = { ...askerOf(request), query: parsed.query, offset: numberOfCursor(cursor) ?? 0, limit }
      const { next, tookMs, ...found } = await archive.search(asked)
      const answer = { ...found, next: next === null ? null : cursorOf(next) }
      reply.header('etag', etagOf(answer))
      return { ...answer, tookMs }
    },
  )
}

import { Type } from 'typebox'
import { AppError } from '../../../core/errors.ts'
import { parseSearchQuery } from '../../../core/search-query/parse-query.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import { cursorOf, moreLines, numberOf, pageArguments, pageOf } from '../paging.ts'
import { argumentsOf, defineTool, Id, lineOf, Query } from '../tool.ts'

export const createSearchTool = ({ archive }: { archive: Pick<ArchiveReader, 'search'> }) =>
  defineTool({
    name: 'search',
    title: 'Search the archive',
    description:
      'Full-text search over the kept versions of the pages you may see. Each result names the version that matched best; read it with read_version.',
    access: 'read',
    isIdempotent: true,
    input: argumentsOf({
      query: Query,
      ...pageArguments({ usual: 10, most: 50 }),
    }),
    output: pageOf(
      Type.Object({
        version: Id,
        n: Type.Integer({ description: 'Number of the version within its page' }),
        url: Type.String(),
        title: Type.String(),
        at: Type.String({ description: 'When the version was first seen' }),
        snippet: Type.String(),
      }),
    ),
    async call({ owner }, { query, limit = 10, cursor }) {
      const parsed = parseSearchQuery(query)
      if (parsed.kind === 'invalid') throw new AppError('request-invalid', `query: ${parsed.errors.join('; ')}`)
      const found = await archive.search({ owner, query: parsed.query, offset: numberOf(cursor) ?? 0, limit })
      const items = found.items.map(({ version, n, url, title, at, snippet }) => ({
        ...{ version, n, url, title, at },
        snippet: snippet.text,
      }))
      const next = cursorOf(found.next)
      const lines = items.flatMap(({ version, url, title, at, snippet }) => [
        `${lineOf(title) || url}`,
        `  version ${version}, ${at}, ${url}`,
        `  ${lineOf(snippet, 500)}`,
      ])
      const text = items.length === 0 ? 'Nothing found.' : [...lines, ...moreLines(next)].join('\n')
      return { text, data: { items, next } }
    },
  })

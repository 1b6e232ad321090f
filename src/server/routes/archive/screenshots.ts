import { Type } from 'typebox'
import { screenshotNames } from '../../../services/archive/archive-reader.ts'
import { askerOf, reader } from '../../http/access.ts'
import { asForeignContent } from '../../http/headers.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { IdParams, Problem } from '../../schemas/common.ts'
import { PairQuery, ScreenshotParams, Screenshots } from '../../schemas/documents.ts'

const tags = ['documents']
const png = Type.Unsafe<Buffer>({ type: 'string', format: 'binary' })

export function addScreenshots(api: Api, { archive }: Pick<ServerParts, 'archive'>): void {
  api.get(
    '/documents/:id/screenshots',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Compare the screenshots of two versions; only pages read by a browser have some',
        params: IdParams,
        querystring: PairQuery,
        response: { 200: Screenshots, '4xx': Problem },
      },
    },
    async (request) => {
      const { id: document } = request.params
      const { from = null, to = null } = request.query
      const { before, after, ...pair } = await archive.screenshots({ ...askerOf(request), document, from, to })
      const [earlier, later, difference] = screenshotNames.map(
        (name) => `/api/v1/documents/${document}/screenshots/${name}?from=${pair.from}&to=${pair.to}`,
      ) as [string, string, string]
      return {
        ...pair,
        before: before && { ...before, url: earlier },
        after: after && { ...after, url: later },
        difference: pair.changedShare === null ? null : difference,
      }
    },
  )

  api.get(
    '/documents/:id/screenshots/:picture',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get the screenshot of either version, or their differences',
        params: ScreenshotParams,
        querystring: PairQuery,
        response: { 200: { description: 'A picture', content: { 'image/png': { schema: png } } }, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { id: document, picture } = request.params
      const { from = null, to = null } = request.query
      const { bytes, tag } = await archive.screenshot({ ...askerOf(request), document, from, to, picture })
      asForeignContent(reply).type('image/png').header('etag', `"${tag}"`)
      return Buffer.from(bytes.buffer)
    },
  )
}

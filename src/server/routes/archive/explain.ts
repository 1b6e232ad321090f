import { askerOf, callerOf, reader } from '../../http/access.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { ExplainQuery, UrlExplanation } from '../../schemas/activity.ts'
import { Problem } from '../../schemas/common.ts'

export function addExplain(api: Api, { archive }: Pick<ServerParts, 'archive'>): void {
  api.get(
    '/explain',
    {
      config: reader,
      schema: {
        tags: ['activity'],
        summary: 'Explain why a URL was or was not fetched for you',
        querystring: ExplainQuery,
        response: { 200: UrlExplanation, '4xx': Problem },
      },
    },
    async (request) => {
      const { account, via, scopes } = callerOf(request)
      // An administrator's token without the admin scope shows no more than a user's.
      const all = account.role === 'administrator' && (via === 'session' || scopes.includes('admin'))
      return archive.explain({ ...askerOf(request), url: request.query.url, all })
    },
  )
}

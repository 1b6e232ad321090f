import type { Activity } from '../../services/activity/activity.ts'
import type { GraphView } from '../../store/graph-view.ts'
import { administrator } from '../access.ts'
import type { Api } from '../parts.ts'
import { Crawl, Graph, GraphQuery } from '../schemas/activity.ts'
import { Problem } from '../schemas/common.ts'

export type CrawlParts = { activity: Pick<Activity, 'start' | 'report' | 'end'>; graph: GraphView }

export function addCrawl(api: Api, { activity, graph }: CrawlParts): void {
  api.addHook('onListen', async () => activity.start())
  api.addHook('onClose', async () => activity.end())
  api.get(
    '/crawl',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'What the crawl does now and did in the last ten minutes',
        response: { 200: Crawl, '4xx': Problem },
      },
    },
    () => activity.report(),
  )
  api.get(
    '/crawl/graph',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'The newest documents, or those of one host, and the links among them',
        querystring: GraphQuery,
        response: { 200: Graph, '4xx': Problem },
      },
    },
    ({ query: { host, limit = 1000 } }) => graph.graph({ host: host?.toLowerCase() ?? null, limit }),
  )
}

import { AppError } from '../../core/errors.ts'
import type { Activity } from '../../services/activity/activity.ts'
import type { GraphView } from '../../store/contracts/graph-view.ts'
import { administrator } from '../access.ts'
import type { Api, CrawlControl } from '../parts.ts'
import { Crawl, CrawlChanges, CrawlState, Graph, GraphQuery } from '../schemas/activity.ts'
import { Problem } from '../schemas/common.ts'

export type CrawlParts = {
  activity: Pick<Activity, 'start' | 'report' | 'end'>
  graph: GraphView
  crawlControl: CrawlControl
}

const pausedWords = 'An administrator paused the crawl. Resume it to continue where it stopped.'

export function addCrawl(api: Api, { activity, graph, crawlControl }: CrawlParts): void {
  api.addHook('onListen', async () => activity.start())
  api.addHook('onClose', async () => activity.end())
  api.get(
    '/crawl',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'Get crawl statistics, now and over the last ten minutes',
        response: { 200: Crawl, '4xx': Problem },
      },
    },
    async () => {
      const [report, isPaused] = await Promise.all([activity.report(), crawlControl?.isPaused() ?? false])
      return { ...report, isPaused, paused: isPaused ? pausedWords : report.paused }
    },
  )
  api.patch(
    '/crawl',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'Pause or resume the crawl; requests in progress finish',
        body: CrawlChanges,
        response: { 200: CrawlState, '4xx': Problem },
      },
    },
    async ({ body: { paused } }) => {
      if (crawlControl === null) throw new AppError('not-available', 'there is no crawl to pause')
      await crawlControl.pause(paused)
      return { isPaused: await crawlControl.isPaused() }
    },
  )
  api.get(
    '/crawl/graph',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'Get the newest documents, or those of one host, and the links between them',
        querystring: GraphQuery,
        response: { 200: Graph, '4xx': Problem },
      },
    },
    ({ query: { host, limit = 1000 } }) => graph.graph({ host: host?.toLowerCase() ?? null, limit }),
  )
}

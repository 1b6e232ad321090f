import { AppError } from '../../../core/errors.ts'
import type { Activity } from '../../../services/activity/activity.ts'
import type { NodeList as Nodes } from '../../../services/activity/this-node.ts'
import type { CrawlReport } from '../../../services/crawls/crawl-report.ts'
import type { CrawlService } from '../../../services/crawls/crawl-service.ts'
import type { GraphView } from '../../../store/contracts/graph-view.ts'
import { type HostPosition, type HostReport, type HostView, hostHealths } from '../../../store/contracts/host-view.ts'
import { administrator, ownerOf } from '../../http/access.ts'
import { pageOf, textOfCursor } from '../../http/cursor.ts'
import type { Api, CrawlControl } from '../../parts.ts'
import {
  Crawl,
  CrawlChanges,
  CrawlJob,
  CrawlParams,
  CrawlRequest,
  CrawlState,
  Graph,
  GraphQuery,
  HostList,
  HostQuery,
  Node,
  NodeChanges,
  NodeList,
  NodeParams,
  RetriedTasks,
} from '../../schemas/activity.ts'
import { Problem } from '../../schemas/common.ts'

export type CrawlParts = {
  activity: Pick<Activity, 'start' | 'report' | 'retrySetAside' | 'end'>
  graph: GraphView
  crawlControl: CrawlControl
  crawls: CrawlService
}

/** Number of crawls listed with the crawl statistics. */
const CRAWLS_SHOWN = 20

const pausedWords = 'An administrator paused the crawl. Resume it to continue where it stopped.'

export function addCrawl(api: Api, { activity, graph, crawlControl, crawls }: CrawlParts): void {
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
      const [report, isPaused, started] = await Promise.all([
        activity.report(),
        crawlControl?.isPaused() ?? false,
        crawls.list(CRAWLS_SHOWN),
      ])
      return { ...report, isPaused, paused: isPaused ? pausedWords : report.paused, crawls: started.map(jobOf) }
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
  addCrawlJobs(api, crawls)
  api.post(
    '/crawl/set-aside/retry',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'Process versions again that were set aside',
        response: { 200: RetriedTasks, '4xx': Problem },
      },
    },
    async () => ({ retried: await activity.retrySetAside() }),
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

function addCrawlJobs(api: Api, crawls: CrawlService): void {
  api.post(
    '/crawl',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'Start a crawl in the service; it shares queues, politeness and archive with what is watched',
        body: CrawlRequest,
        response: { 202: CrawlJob, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { seeds, depth = null, restrict = null, maxPages = null } = request.body
      const job = await crawls.start({ seeds, depth, restrict, maxPages }, ownerOf(request))
      return reply.code(202).send(jobOf(job))
    },
  )
  api.get(
    '/crawl/:id',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'Get the progress or the result of a crawl',
        params: CrawlParams,
        response: { 200: CrawlJob, '4xx': Problem },
      },
    },
    async ({ params: { id } }) => jobOf(await crawls.find(id)),
  )
  api.delete(
    '/crawl/:id',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'Stop a crawl; requests in progress finish, and what was fetched stays',
        params: CrawlParams,
        response: { 200: CrawlJob, '4xx': Problem },
      },
    },
    async ({ params: { id } }) => jobOf(await crawls.stop(id)),
  )
}

const jobOf = (report: CrawlReport) => ({ ...report, seeds: [...report.seeds] })

export function addHosts(api: Api, { hosts }: { hosts: HostView }): void {
  api.get(
    '/hosts',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'List hosts: unhealthy ones first, then by queue length',
        querystring: HostQuery,
        response: { 200: HostList, '4xx': Problem },
      },
    },
    async ({ query: { q = '', limit = 50, cursor } }) => {
      const found = await hosts.hosts({ q, after: positionOf(cursor), limit: limit + 1 })
      const { items, next } = pageOf(found, limit, textOfPosition)
      return { items: items.map(written), next }
    },
  )
}

function written({ nextAt, ...host }: HostReport) {
  return { ...host, nextAt: nextAt === 0 ? null : new Date(nextAt).toISOString() }
}

function textOfPosition({ health, queued, host }: HostPosition): string {
  return `${health} ${queued} ${host}`
}

function positionOf(cursor: string | undefined): HostPosition | null {
  const text = textOfCursor(cursor)
  if (text === null) return null
  const [, name, queued, host] = /^([a-z-]+) (\d{1,15}) (\S{1,300})$/.exec(text) ?? []
  const health = hostHealths.find((each) => each === name)
  if (health === undefined || queued === undefined || host === undefined)
    throw new AppError('cursor-invalid', 'invalid cursor: use the `next` value of this list')
  return { health, queued: Number(queued), host }
}

export function addNodes(api: Api, { nodes }: { nodes: Nodes }): void {
  api.get(
    '/nodes',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'List the nodes',
        response: { 200: NodeList, '4xx': Problem },
      },
    },
    async () => ({ items: await nodes.list(), next: null }),
  )
  api.patch(
    '/nodes/:id',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'Drain a node (it hands over its partitions and takes no new ones), or undo that',
        params: NodeParams,
        body: NodeChanges,
        response: { 200: Node, '4xx': Problem },
      },
    },
    async ({ params: { id }, body: { draining } }) => {
      const known = (await nodes.drain?.(id, draining)) ?? true
      const node = known ? (await nodes.list()).find((each) => each.id === id) : undefined
      if (node === undefined) throw new AppError('not-found', 'no such node')
      if (nodes.drain === undefined)
        throw new AppError(
          'not-available',
          'a single process does all the work; no other node can take over. Pause the crawl or stop the process instead',
        )
      return node
    },
  )
}

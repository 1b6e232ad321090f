import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { Config } from '../config/config.ts'
import type { AccountService } from '../services/accounts/account-service.ts'
import type { Activity } from '../services/activity/activity.ts'
import type { NodeList } from '../services/activity/this-node.ts'
import type { ArchiveService } from '../services/archive/archive-service.ts'
import type { InboxService } from '../services/inbox/inbox-service.ts'
import type { ProfileService } from '../services/profiles/profile-service.ts'
import type { ProfileRules } from '../services/profiles/profile-values.ts'
import type { Sources } from '../services/sources/sources.ts'
import type { GraphView } from '../store/graph-view.ts'
import type { HostView } from '../store/host-view.ts'
import { addApiDocs } from './api-docs.ts'
import type { EventParts } from './event-streams.ts'
import { addAnnotations } from './routes/annotations.ts'
import { addCrawl } from './routes/crawl.ts'
import { addDocuments } from './routes/documents.ts'
import { addEvents } from './routes/events.ts'
import { addExplain } from './routes/explain.ts'
import { addHealth, type HealthParts } from './routes/health.ts'
import { addHosts } from './routes/hosts.ts'
import { addMe } from './routes/me.ts'
import { addNodes } from './routes/nodes.ts'
import { addPreview } from './routes/preview.ts'
import { addProfiles } from './routes/profiles.ts'
import { addSearch } from './routes/search.ts'
import { addSession } from './routes/session.ts'
import { addSetup } from './routes/setup.ts'
import { addSources } from './routes/sources.ts'
import { addTokens } from './routes/tokens.ts'
import { addUsers } from './routes/users.ts'
import { addVersions } from './routes/versions.ts'

/** What the routes need of the rest of the program, one part for each group of routes. */
export type ServerParts = HealthParts & {
  accounts: AccountService
  archive: ArchiveService
  /** How profiles are read. */
  profileRules: ProfileRules
  settings: Pick<Config['server'], 'url'>
  activity: Activity
  graph: GraphView
  hosts: HostView
  nodes: NodeList
  inbox: InboxService
  profiles: ProfileService
  sources: Sources
  events: EventParts
}

/** Where routes are added: their schemas say what their handlers get. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export async function addRoutes(server: FastifyInstance, parts: ServerParts): Promise<void> {
  parts.metrics.watch(server)
  addHealth(server, parts)
  addApiDocs(server)
  await server.register(
    async (scope) => {
      const api: Api = scope.withTypeProvider<TypeBoxTypeProvider>()
      for (const add of groups) add(api, parts)
    },
    { prefix: '/api/v1' },
  )
}

type AddRoutes = (api: Api, parts: ServerParts) => void

/** One group of routes for each resource. */
const groups: readonly AddRoutes[] = [
  addSources,
  addDocuments,
  addVersions,
  addSearch,
  addPreview,
  addExplain,
  addSetup,
  addSession,
  addMe,
  addTokens,
  addUsers,
  addCrawl,
  addHosts,
  addNodes,
  addAnnotations,
  addProfiles,
  addEvents,
]

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { addApiDocs } from './docs/api-docs.ts'
import { addMcp } from './mcp/mcp-route.ts'
import type { Api, ServerParts } from './parts.ts'
import { addMe, addTokens } from './routes/accounts/me.ts'
import { addSession, addSetup } from './routes/accounts/session.ts'
import { addUsers } from './routes/accounts/users.ts'
import { addCrawl, addHosts, addNodes } from './routes/administration/administration.ts'
import { addHealth } from './routes/administration/health.ts'
import { addDocuments } from './routes/archive/documents.ts'
import { addExplain } from './routes/archive/explain.ts'
import { addScreenshots } from './routes/archive/screenshots.ts'
import { addSearch } from './routes/archive/search.ts'
import { addVersions } from './routes/archive/versions.ts'
import { addCredentials } from './routes/credentials/credentials.ts'
import { addChannels } from './routes/delivery/channels.ts'
import { addDeliveries } from './routes/delivery/deliveries.ts'
import { addAnnotations } from './routes/inbox/annotations.ts'
import { addEvents } from './routes/inbox/events.ts'
import { addFeeds } from './routes/links/feeds.ts'
import { addRenewal } from './routes/links/renew.ts'
import { addUnsubscribe } from './routes/links/unsubscribe.ts'
import { addWebSub } from './routes/links/websub.ts'
import { addPhone } from './routes/phone/phone.ts'
import { addPreview } from './routes/profiles/preview.ts'
import { addProfiles } from './routes/profiles/profiles.ts'
import { addSources } from './routes/profiles/sources.ts'
import { addTrySource } from './routes/profiles/try-source.ts'
import { addReplay } from './routes/replay/replay.ts'

export async function addRoutes(server: FastifyInstance, parts: ServerParts): Promise<void> {
  parts.metrics.watch(server)
  addHealth(server, parts)
  addApiDocs(server, parts.settings)
  addFeeds(server, parts)
  addUnsubscribe(server, parts)
  addWebSub(server, parts)
  addPhone(server, parts)
  addReplay(server, parts)
  addMcp(server, parts)
  await server.register(
    async (scope) => {
      const api: Api = scope.withTypeProvider<TypeBoxTypeProvider>()
      for (const add of groups) add(api, parts)
    },
    { prefix: '/api/v1' },
  )
}

type AddRoutes = (api: Api, parts: ServerParts) => void

/** One group of routes per resource. */
const groups: readonly AddRoutes[] = [
  addSources,
  addTrySource,
  addDocuments,
  addScreenshots,
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
  addChannels,
  addCredentials,
  addDeliveries,
  addRenewal,
  addEvents,
]

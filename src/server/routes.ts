import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { addApiDocs } from './api-docs.ts'
import type { Api, ServerParts } from './parts.ts'
import { addAnnotations } from './routes/annotations.ts'
import { addCrawl, addHosts, addNodes } from './routes/crawl.ts'
import { addDocuments } from './routes/documents.ts'
import { addEvents } from './routes/events.ts'
import { addExplain } from './routes/explain.ts'
import { addHealth } from './routes/health.ts'
import { addMe, addTokens } from './routes/me.ts'
import { addPreview } from './routes/preview.ts'
import { addProfiles } from './routes/profiles.ts'
import { addSearch } from './routes/search.ts'
import { addSession, addSetup } from './routes/session.ts'
import { addSources } from './routes/sources.ts'
import { addUsers } from './routes/users.ts'
import { addVersions } from './routes/versions.ts'

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

/** One group of routes per resource. */
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

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { Callers } from '../services/accounts/caller.ts'

/** What the routes need of the rest of the program, one part for each group of routes. */
export type ServerParts = {
  accounts: Callers
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
const groups: readonly AddRoutes[] = []

import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { anyone, SESSION_COOKIE } from '../http/access.ts'
import { Problem } from '../schemas/common.ts'

/** The OpenAPI document, generated from the schemas that validate requests and responses. Call it before adding routes. */
export async function describeApi(server: FastifyInstance): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'eRACE',
        version: '1',
        description:
          'Manage profiles and sources, read the inbox, documents and their versions, and administer an eRACE service.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
          token: { type: 'http', scheme: 'bearer' },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const { access, scope } = route.config ?? {}
      const hide = !url.startsWith('/api/v1/') || url === '/api/v1/openapi.json'
      const security =
        access === 'anyone' ? [] : access === 'session' ? [{ session: [] }] : [{ session: [] }, { token: [] }]
      const told = { 'x-access': access, ...(scope === undefined ? {} : { 'x-scope': scope }) }
      const operationId = operationIdOf(String(route.method), url)
      const response = { ...Object(schema?.response), '5xx': Problem }
      return { schema: { ...schema, response, operationId, hide, security, ...told }, url }
    },
  })
  server.get('/api/v1/openapi.json', { config: anyone, schema: { hide: true } }, async () => server.swagger())
}

/** The name in generated clients: `PATCH /api/v1/sources/:id` is `patchSourcesById`. */
function operationIdOf(method: string, url: string): string {
  const parts = url
    .replace('/api/v1/', '')
    .split('/')
    .map((part) => (part.startsWith(':') ? `by-${part.slice(1)}` : part))
  const words = parts.flatMap((part) => part.split('-'))
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}

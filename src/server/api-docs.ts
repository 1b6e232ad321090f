import type { FastifyInstance } from 'fastify'
import { anyone } from './access.ts'
import { type ApiDescription, writeApiDocs } from './api-docs-page.ts'
import { apiDocsStyle } from './api-docs-style.ts'

const STYLE_PATH = '/api/docs.css'
const pagePolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The API reference for people: openapi.json as a page without scripts. */
export function addApiDocs(server: FastifyInstance): void {
  let page: string | null = null
  server.get('/api/docs', { config: anyone, schema: { hide: true } }, async (_request, reply) => {
    // Routes don't change once the server is ready.
    page ??= writeApiDocs(server.swagger() as ApiDescription, STYLE_PATH)
    return reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8').send(page)
  })
  server.get(STYLE_PATH, { config: anyone, schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(apiDocsStyle),
  )
}

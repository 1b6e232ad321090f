import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { anyone } from './access.ts'
import { asPage } from './headers.ts'
import { preferred } from './negotiation.ts'

const A_YEAR_SECONDS = 31_536_000

/**
 * The built pages. Files with a hash in their name never change and are cached by browsers; all others are revalidated. Every
 * path without a file is a view of the single page, which does its own routing.
 */
export async function servePages(server: FastifyInstance, folder: string | null): Promise<void> {
  if (folder === null) {
    server.get('/', { config: anyone, schema: { hide: true } }, async (request, reply) =>
      isPhone(request, reply)
        ? reply.redirect('/wml')
        : reply
            .type('text/plain; charset=utf-8')
            .send('The pages have not been built. Run: npm run build. The API reference is at /api/docs.\n'),
    )
    return
  }
  await server.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, cacheControl: false })
  server.get('/*', { config: anyone, schema: { hide: true } }, async (request, reply) => {
    const path = decodeURI(request.url.split('?', 1)[0]!).slice(1)
    if (path === '' && isPhone(request, reply)) return reply.redirect('/wml')
    if (path.startsWith('api/')) throw new AppError('not-found', 'no such API route')
    // Programs look up features there, and would take a page for a valid response.
    if (path.startsWith('.well-known/')) throw new AppError('not-found', 'not offered here')
    asPage(reply).header('cache-control', 'no-cache')
    if (path.startsWith('assets/')) {
      reply.header('cache-control', `public, max-age=${A_YEAR_SECONDS}, immutable`)
      return reply.sendFile(path)
    }
    const isFile = /^[\w-]+\.(?:js|png|svg|ico|webmanifest|txt)$/.test(path)
    return reply.sendFile(isFile ? path : 'index.html')
  })
}

/** Whether the client prefers WML to HTML. */
function isPhone({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  reply.header('vary', 'Accept')
  return preferred(headers.accept ?? '', ['text/html', WML]) === WML
}

const WML = 'text/vnd.wap.wml'

export const pagesFolder = (root: string): string => join(root, 'dist', 'ui')

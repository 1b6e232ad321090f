import cookie from '@fastify/cookie'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { describeApi } from './docs/openapi.ts'
import { guardRoutes } from './http/access.ts'
import { readRefusedBodies } from './http/closing.ts'
import { buildSerializer, buildValidator } from './http/compilers.ts'
import { limitConnections } from './http/connections.ts'
import { addEtags } from './http/etags.ts'
import { setHeaders } from './http/headers.ts'
import { hideAccess } from './http/hidden-access.ts'
import { checkJsonBodies } from './http/json-body.ts'
import { servePages } from './http/pages.ts'
import { answerClientError, answerExpectations, answerProblems, listenForMethods, sendProblem } from './http/problem.ts'
import type { ServerParts } from './parts.ts'
import { replayRoute } from './routes/replay/replay.ts'
import { addRoutes } from './routes.ts'

export type ServerOptions = {
  config: Config['server']
  log: Logger
  parts: ServerParts
  /** Folder of the built pages; null if there are none. */
  pages: string | null
}

const REQUEST_TIMEOUT_MS = 60_000
const MAX_PARAMETER = 2000
/** Document URLs are part of the request line. */
const MAX_HEADER_BYTES = 32_768

/** The HTTP server, not yet listening. */
export async function createServer({ config, log, parts, pages }: ServerOptions): Promise<FastifyInstance> {
  const server = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: sendProblem,
    bodyLimit: config.maxBodyBytes,
    rewriteUrl: replayRoute,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: MAX_PARAMETER, ignoreTrailingSlash: true },
    trustProxy: config.trustProxy.length === 0 ? false : [...config.trustProxy],
    // Event streams would delay the shutdown.
    forceCloseConnections: true,
    schemaController: { compilersFactory: { buildValidator, buildSerializer } },
    clientErrorHandler: answerClientError,
    http: { maxHeaderSize: MAX_HEADER_BYTES },
  })
  setHeaders(server)
  server.removeContentTypeParser('text/plain')
  checkJsonBodies(server)
  await server.register(cookie)
  const allowedMethods = listenForMethods(server)
  guardRoutes(server, parts.accounts, parts.requestLimits)
  answerProblems(server, allowedMethods)
  hideAccess(server)
  await addEtags(server)
  await describeApi(server)
  await addRoutes(server, parts)
  await servePages(server, pages)
  answerExpectations(server.server)
  readRefusedBodies(server.server)
  limitConnections(server.server, {
    max: config.maxConnections,
    perAddress: config.connectionsPerAddress,
    trusted: config.trustProxy,
  })
  return server
}

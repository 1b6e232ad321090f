import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { parseAddress } from '../../core/url/address.ts'
import type { McpCaller } from '../../services/mcp/tool.ts'
import { callerOf, hasScope, ownerOf, tokenOnly } from '../http/access.ts'
import { addressOf } from '../http/server-address.ts'
import type { ServerParts } from '../parts.ts'

type McpParts = Pick<
  ServerParts,
  'archive' | 'inbox' | 'profiles' | 'sources' | 'privateAddress' | 'settings' | 'clock'
>

/** Larger than the arguments of any tool. */
const MAX_BODY_BYTES = 256 * 1024
const passedOn = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'] as const

/**
 * MCP over HTTP at `/mcp`, for programs with a token. It is stateless, so every server of a cluster can answer any request, and there
 * are no sessions to limit or to steal. Long-lived streams are not offered.
 */
export function addMcp(server: FastifyInstance, parts: McpParts): void {
  let loading: Promise<McpHttpHandler> | null = null

  /** Loaded on the first request: few services use MCP, and loading takes a fifth of a second and 30 MB. */
  function handler(): Promise<McpHttpHandler> {
    loading ??= createHandler(parts, server.log)
    return loading
  }

  server.addHook('onClose', async () => (await loading)?.close())

  server.route({
    method: ['POST', 'GET', 'DELETE'],
    url: '/mcp',
    config: tokenOnly,
    bodyLimit: MAX_BODY_BYTES,
    schema: { hide: true },
    async handler(request, reply) {
      refuseForeignPages(request, parts.settings.url)
      if (Array.isArray(request.body)) throw new AppError('request-invalid', 'send one message at a time, not a list')
      const { fetch } = await handler()
      const answer = await fetch(webRequestOf(request, reply), {
        authInfo: authOf({ owner: ownerOf(request), mayWrite: hasScope(callerOf(request), 'write') }),
        ...(request.body !== undefined && { parsedBody: request.body }),
      })
      reply.status(answer.status)
      for (const name of ['content-type', 'allow'])
        if (answer.headers.has(name)) reply.header(name, answer.headers.get(name))
      // As text, like every other response, so that the `onSend` hooks see it.
      return reply.send(await answer.text())
    },
  })
}

/** Passes the caller to the tools. */
const authOf = (caller: McpCaller): AuthInfo => ({ token: '', clientId: '', scopes: [], extra: { caller } })

async function createHandler(parts: McpParts, log: FastifyInstance['log']): Promise<McpHttpHandler> {
  const { createMcpHandler } = await import('@modelcontextprotocol/server')
  const { createMcpServers } = await import('../../services/mcp/mcp-server.ts')
  const { archive, inbox, profiles, sources, privateAddress, clock } = parts
  const { serverFor } = createMcpServers({
    ...{ archive, inbox, profiles, privateAddress, sources: sources.service, clock },
    onProblem: (message, fields) => log.error(fields, message),
  })
  return createMcpHandler(({ authInfo }) => serverFor(authInfo!.extra!.caller as McpCaller), {
    // No subscriptions: their streams would stay open.
    maxSubscriptions: 0,
    keepAliveMs: 0,
    onerror: (error) => log.debug({ err: error }, 'an MCP request was refused'),
  })
}

/** The body is passed on parsed. A client that goes away cancels its request. */
function webRequestOf(request: FastifyRequest, reply: FastifyReply): Request {
  const { method, headers, raw } = request
  const gone = new AbortController()
  reply.raw.once('close', () => reply.raw.writableFinished || gone.abort())
  const kept = passedOn.flatMap((name) =>
    typeof headers[name] === 'string' ? [[name, headers[name]] as [string, string]] : [],
  )
  return new Request(new URL(raw.url ?? '/mcp', 'http://localhost'), { method, headers: kept, signal: gone.signal })
}

/**
 * Refuses requests from web pages of other sites. With DNS rebinding, a foreign page looks like one of ours, so only the configured
 * address counts or, if there is none, an address without a host name.
 */
function refuseForeignPages(request: FastifyRequest, configured: string): void {
  const { origin } = request.headers
  if (origin === undefined) return
  const own = URL.parse(addressOf(request, configured))
  const isNameless =
    own !== null && (own.hostname === 'localhost' || parseAddress(own.hostname.replace(/^\[|\]$/g, '')) !== null)
  if (own !== null && own.origin === origin && (configured !== '' || isNameless)) return
  throw new AppError('cross-site', 'pages of other sites may not call this; server.url says which address is ours')
}

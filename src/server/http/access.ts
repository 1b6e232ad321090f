import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TokenScope } from '../../core/account.ts'
import { AppError } from '../../core/errors.ts'
import { networkOf } from '../../core/url/address.ts'
import type { Caller, Callers } from '../../services/accounts/callers.ts'
import type { RequestLimits } from '../../services/limits/request-limits.ts'
import type { Asker } from '../../services/visibility/visibility.ts'
import { WaitError } from './problem.ts'

/**
 * Who may call a route. Every route declares it in its `config`; a server with a route that doesn't will not start.
 * - `anyone`: no sign-in required;
 * - `user`: a signed-in user, or a token with the named scope;
 * - `session`: a signed-in user, but no token: for what a token must not do, such as creating tokens;
 * - `token`: a token with the named scope, but no session: for programs, so that no page can act with a visitor's cookie;
 * - `administrator`: an administrator, or an administrator's token with the scope `admin`.
 */
export type Access =
  | { access: 'anyone' }
  | { access: 'user'; scope: 'read' | 'write' }
  | { access: 'session' }
  | { access: 'token'; scope: 'read' | 'write' }
  | { access: 'administrator' }

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access['access']
    scope?: 'read' | 'write'
    /** Requests are not limited per minute. */
    isUnlimited?: boolean
    /** The URL is the credential: cookies and tokens of the request are ignored. */
    isByLink?: boolean
  }
  interface FastifyRequest {
    /** Null if not signed in. Routes that require a caller use `callerOf`. */
    caller: Caller | null
  }
}

export const SESSION_COOKIE = 'erace_session'

export const anyone = { access: 'anyone' } as const satisfies Access
export const byLink = { access: 'anyone', isByLink: true } as const satisfies Access & { isByLink: true }
export const reader = { access: 'user', scope: 'read' } as const satisfies Access
export const writer = { access: 'user', scope: 'write' } as const satisfies Access
export const sessionOnly = { access: 'session' } as const satisfies Access
export const tokenOnly = { access: 'token', scope: 'read' } as const satisfies Access
export const administrator = { access: 'administrator' } as const satisfies Access

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export function guardRoutes(server: FastifyInstance, callers: Callers, limits: RequestLimits): void {
  server.decorateRequest('caller', null)
  server.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access === undefined) throw new AppError('internal', `${method} ${url} does not declare its access`)
    if ((config.access === 'user' || config.access === 'token') && config.scope === undefined)
      throw new AppError('internal', `${method} ${url} does not declare its scope`)
  })
  server.addHook('onRequest', async (request, reply) => {
    const isAnonymous = !hasCredentials(request)
    // Limit anonymous callers before any other work. Wrong credentials count as none.
    if (isAnonymous) takeTurn(request, limits)
    try {
      request.caller = isAnonymous ? null : await findCaller(request, callers, reply)
    } finally {
      if (!isAnonymous) takeTurn(request, limits)
    }
    if (request.caller?.via === 'session' && !safeMethods.has(request.method)) refuseOtherSites(request)
    allow(request, reply)
  })
}

function hasCredentials({ headers, cookies, routeOptions, is404 }: FastifyRequest): boolean {
  if (!is404 && routeOptions.config.isByLink === true) return false
  return headers.authorization !== undefined || (cookies[SESSION_COOKIE] ?? '') !== ''
}

function takeTurn({ caller, ip, routeOptions, is404 }: FastifyRequest, limits: RequestLimits): void {
  if (!is404 && routeOptions.config.isUnlimited === true) return
  const seconds = limits.take(caller === null ? `address ${networkOf(ip)}` : `account ${caller.account.id}`)
  if (seconds > 0) throw new WaitError('rate-limited', 'too many requests; slow down', seconds)
}

async function findCaller(request: FastifyRequest, callers: Callers, reply: FastifyReply): Promise<Caller | null> {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const secret = /^Bearer +([\w.~+/=-]{1,200})$/i.exec(authorization)?.[1]
    const caller = secret === undefined ? null : await callers.ofToken(secret)
    if (caller !== null) return caller
    reply.header('www-authenticate', 'Bearer')
    throw new AppError('not-signed-in', 'the token is unknown or has expired')
  }
  const secret = request.cookies[SESSION_COOKIE]
  return secret === undefined || secret === '' ? null : callers.ofSession(secret)
}

/**
 * Prevents cross-site request forgery: a foreign page must not act with a visitor's cookie. All current browsers send the origin of
 * a request; a client that doesn't isn't a browser and has no cookie that it wasn't given on purpose.
 */
export function refuseOtherSites({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return
    throw new AppError('cross-site', 'cross-site requests are not allowed')
  }
  const { origin, host } = headers
  if (origin === undefined) return
  if (URL.parse(origin)?.host !== host) throw new AppError('cross-site', 'cross-site requests are not allowed')
}

function allow({ caller, routeOptions, is404 }: FastifyRequest, reply: FastifyReply): void {
  if (is404) return
  const { access = 'administrator', scope } = routeOptions.config
  if (access === 'anyone') return
  if (access === 'token' && caller?.via !== 'token') {
    reply.header('www-authenticate', 'Bearer')
    throw new AppError('not-signed-in', 'send a token: Authorization: Bearer TOKEN')
  }
  if (caller === null) throw new AppError('not-signed-in', 'sign in or send a token')
  if (access === 'session' && caller.via !== 'session')
    throw new AppError('forbidden', 'this requires signing in; tokens are not accepted')
  if (access === 'administrator') {
    if (caller.account.role !== 'administrator') throw new AppError('forbidden', 'administrators only')
    needScope(caller, 'admin')
  }
  if (access === 'user' || access === 'token') needScope(caller, scope ?? 'write')
}

const includes: Record<TokenScope, readonly TokenScope[]> = {
  read: ['read', 'write', 'admin'],
  write: ['write', 'admin'],
  admin: ['admin'],
}

export function hasScope({ via, scopes }: Caller, scope: TokenScope): boolean {
  return via !== 'token' || includes[scope].some((each) => scopes.includes(each))
}

function needScope(caller: Caller, scope: TokenScope): void {
  if (!hasScope(caller, scope)) throw new AppError('forbidden', `the token lacks the scope ${scope}`)
}

export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new AppError('not-signed-in', 'sign in or send a token')
  return caller
}

/** The owner of the caller's profiles and annotations. */
export function ownerOf(request: FastifyRequest): string {
  return callerOf(request).account.email
}

/** The identity for requests to the archive. */
export function askerOf(request: FastifyRequest): Asker {
  return { owner: ownerOf(request) }
}

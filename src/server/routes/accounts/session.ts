import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'
import { AppError } from '../../../core/errors.ts'
import type { Browser } from '../../../services/accounts/sign-in.ts'
import { anyone, callerOf, reader, refuseOtherSites, SESSION_COOKIE, sessionOnly, writer } from '../../http/access.ts'
import { SMALL_BODY_BYTES } from '../../http/json-body.ts'
import { WaitError } from '../../http/problem.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { SessionItem, SessionState, Setup, SetupState, SignIn } from '../../schemas/accounts.ts'
import { IdParams, listOf, Nothing, Problem } from '../../schemas/common.ts'
import { sessionAnswer, sessionState } from './account-answers.ts'

type Parts = Pick<ServerParts, 'accounts' | 'settings'>

export function addSession(api: Api, parts: Parts): void {
  addOwnSession(api, parts)
  addSessions(api, parts)
}

function addOwnSession(api: Api, { accounts, settings }: Parts): void {
  const tags = ['accounts']
  api.post(
    '/session',
    {
      config: anyone,
      bodyLimit: SMALL_BODY_BYTES,
      onRequest: async (request) => refuseOtherSites(request),
      schema: { tags, summary: 'Sign in', body: SignIn, response: { 200: SessionState, '4xx': Problem } },
    },
    async (request, reply) => {
      const device = request.cookies[DEVICE_COOKIE] ?? ''
      const outcome = await accounts.signIn({ ...request.body, ...browserOf(request), device })
      if (outcome.kind === 'wait') throw tooManyAttempts(outcome.seconds)
      if (outcome.kind === 'wrong') throw new AppError('sign-in-wrong', 'wrong email address or password')
      // The browser drops its previous session's cookie, so end that session here.
      if (request.caller?.via === 'session') await accounts.signOut(request.caller)
      giveCookie(request, reply, settings, outcome.secret)
      const deviceFlags = { ...flags(request, settings), path: request.url.split('?', 1)[0]!, maxAge: COOKIE_SECONDS }
      reply.setCookie(DEVICE_COOKIE, outcome.device, deviceFlags)
      return sessionState(outcome.caller)
    },
  )
  api.get(
    '/session',
    {
      config: reader,
      schema: { tags, summary: 'Get the signed-in user', response: { 200: SessionState, '4xx': Problem } },
    },
    async (request) => sessionState(callerOf(request)),
  )
  api.delete(
    '/session',
    { config: sessionOnly, schema: { tags, summary: 'Sign out', response: { 204: Nothing, '4xx': Problem } } },
    async (request, reply) => {
      await accounts.signOut(callerOf(request))
      takeCookie(request, reply, settings)
      return reply.status(204).send(null)
    },
  )
}

function addSessions(api: Api, { accounts, settings }: Parts): void {
  const tags = ['accounts']
  api.get(
    '/sessions',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List your sessions, most recently used first',
        response: { 200: listOf(SessionItem), '4xx': Problem },
      },
    },
    async (request) => ({ items: (await accounts.sessions(callerOf(request))).map(sessionAnswer), next: null }),
  )
  api.delete(
    '/sessions',
    { config: writer, schema: { tags, summary: 'Sign out everywhere', response: { 204: Nothing, '4xx': Problem } } },
    async (request, reply) => {
      await accounts.signOutEverywhere(callerOf(request))
      takeCookie(request, reply, settings)
      return reply.status(204).send(null)
    },
  )
  api.delete(
    '/sessions/:id',
    {
      config: writer,
      schema: { tags, summary: 'End a session', params: IdParams, response: { 204: Nothing, '4xx': Problem } },
    },
    async (request, reply) => {
      if (!(await accounts.endSession(callerOf(request), request.params.id)))
        throw new AppError('not-found', 'no such session')
      return reply.status(204).send(null)
    },
  )
}

export function tooManyAttempts(seconds: number): WaitError {
  return new WaitError('too-many-attempts', `too many failed attempts; try again in ${seconds} s`, seconds)
}

/** Kept when a user signs out: it shows that someone has signed in on this device before. */
const DEVICE_COOKIE = 'erace_device'

/** The maximum that browsers allow. The store decides when the session expires, which moves with every use. */
const COOKIE_SECONDS = 400 * 86_400

type Settings = Pick<Config['server'], 'url'>

/** Not for scripts or other sites, and only over TLS if the server is reached that way. */
function flags(request: FastifyRequest, { url }: Settings) {
  const secure = /^https:/i.test(url) || request.protocol === 'https'
  return { path: '/', httpOnly: true, sameSite: 'strict', secure } as const
}

export function giveCookie(request: FastifyRequest, reply: FastifyReply, settings: Settings, secret: string): void {
  reply.setCookie(SESSION_COOKIE, secret, { ...flags(request, settings), maxAge: COOKIE_SECONDS })
}

export function takeCookie(request: FastifyRequest, reply: FastifyReply, settings: Settings): void {
  reply.clearCookie(SESSION_COOKIE, flags(request, settings))
}

export function browserOf({ ip, headers }: FastifyRequest): Browser {
  return { address: ip, agent: headers['user-agent'] ?? '' }
}

export function addSetup(api: Api, { accounts, settings }: Pick<ServerParts, 'accounts' | 'settings'>): void {
  api.get(
    '/setup',
    {
      config: anyone,
      schema: {
        tags: ['accounts'],
        summary: 'Whether the first account still has to be created',
        response: { 200: SetupState },
      },
    },
    async () => ({ needed: await accounts.isSetupNeeded() }),
  )
  api.post(
    '/setup',
    {
      config: anyone,
      bodyLimit: SMALL_BODY_BYTES,
      onRequest: async (request) => refuseOtherSites(request),
      schema: {
        tags: ['accounts'],
        summary: 'Create the first account, an administrator, with the key from the set-up link, and sign in',
        body: Setup,
        response: { 201: SessionState, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { secret, caller } = await accounts.setUp({ ...request.body, ...browserOf(request) })
      giveCookie(request, reply, settings, secret)
      return reply.status(201).send(sessionState(caller))
    },
  )
}

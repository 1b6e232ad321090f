import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Browser } from '../../services/accounts/sign-in.ts'
import { SESSION_COOKIE } from '../access.ts'

/** As long as browsers keep one at most. When the session ends is for the store to say: it moves with every use. */
const COOKIE_SECONDS = 400 * 86_400

type Settings = Pick<Config['server'], 'url'>

/** For no script, for no other site, and where people come by TLS for nothing else. */
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

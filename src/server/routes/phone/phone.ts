import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { Caller } from '../../../services/accounts/callers.ts'
import { wmlAnnotation, wmlList } from '../../../services/inbox/inbox-wml.ts'
import { homeDeck, noteDeck, signInDeck } from '../../../services/inbox/phone-decks.ts'
import { type InboxState, inboxStates, type Marks } from '../../../store/contracts/inbox.ts'
import { WML_TYPE } from '../../../xml/wml.ts'
import { anyone, refuseOtherSites } from '../../http/access.ts'
import { FORM_BYTES, readForms } from '../../http/form-body.ts'
import type { ServerParts } from '../../parts.ts'
import { browserOf, giveCookie, takeCookie } from '../accounts/session.ts'

type Parts = Pick<ServerParts, 'accounts' | 'inbox' | 'settings' | 'phone'>
type Request = FastifyRequest<{ Params: { session: string }; Querystring: Record<string, unknown> }>
/** Handler for a signed-in phone. */
type Answer = (caller: Caller, request: Request, reply: FastifyReply) => Promise<string>

/** Placeholder in the URL for sessions that use a cookie. */
const BY_COOKIE = '-'
/** A phone that sends it back accepts cookies. */
const TEST_COOKIE = 'erace_phone'
const MAX_ITEMS = 15
const MAX_PROFILE_ID = 200

const marks = new Map<string, Marks>([
  ['read', { read: true }],
  ['unread', { read: false }],
  ['star', { starred: true }],
  ['unstar', { starred: false }],
  ['archive', { archived: true }],
  ['inbox', { archived: false }],
])

/**
 * The inbox for phones that support only WML. Their session is a cookie or, for phones without cookies, a part of the URL
 * (`url-sessions.ts`). GETs change nothing, since gateways prefetch; changes need a POST with a token of the session.
 */
export function addPhone(server: FastifyInstance, parts: Parts): void {
  const { accounts, inbox, settings, phone } = parts
  const { sessions } = phone
  const route = { config: anyone, schema: { hide: true } }

  async function callerOf(request: Request): Promise<Caller | null> {
    const { session } = request.params
    if (session === BY_COOKIE) return request.caller?.via === 'session' ? request.caller : null
    return sessions.find(session, request.headers['user-agent'] ?? '')
  }

  const signedIn =
    (answer: Answer) =>
    async (request: Request, reply: FastifyReply): Promise<string> => {
      reply.type(WML_TYPE)
      const caller = await callerOf(request)
      return caller === null ? askToSignIn(reply, 'Please sign in') : answer(caller, request, reply)
    }

  /** The same for requests that change something. */
  const changing = (answer: Answer) =>
    signedIn(async (caller, request, reply) => {
      const token = fieldOf(request, 't')
      if (!(await sessions.isActionToken(caller, token)))
        throw new AppError('cross-site', 'cross-site requests are not allowed')
      return answer(caller, request, reply)
    })

  function askToSignIn(reply: FastifyReply, note = ''): string {
    reply.type(WML_TYPE).setCookie(TEST_COOKIE, '1', { path: '/wml', httpOnly: true })
    return signInDeck(note)
  }

  const home: Answer = async (caller, { query }) => {
    const owner = caller.account.email
    const { unread, starred, profiles } = await inbox.counts(owner)
    const failing = await phone.failingChannels(owner)
    const skip = Math.min(numberOf(query.n) ?? 0, profiles.length)
    return homeDeck({ unread, starred, profiles, failing, skip, token: await sessions.actionToken(caller) })
  }

  const list: Answer = async ({ account }, { query }) => {
    const state = stateOf(query.s)
    const profile = typeof query.p === 'string' ? query.p.slice(0, MAX_PROFILE_ID) : ''
    const filter = { state, ...(profile === '' ? {} : { profile }) }
    const before = numberOf(query.c)
    const found = await inbox.list(account.email, filter, { before, limit: MAX_ITEMS + 1 })
    const shown = await inbox.shown(found.slice(0, MAX_ITEMS))
    const items = shown.map(({ id, title, url, source, read }) => ({
      id,
      title,
      url,
      source,
      read,
      link: `item?id=${id}`,
    }))
    const kept = `${state === 'unread' ? '' : `s=${state}&`}${profile === '' ? '' : `p=${encodeURIComponent(profile)}&`}`
    const nextAfter = ({ id }: { id: number }): string => `list?${kept}c=${id}`
    const next = found.length > MAX_ITEMS ? nextAfter(items.at(-1)!) : null
    return wmlList({ title: `Inbox: ${state}`, items, next, nextAfter, home: 'home' }).deck
  }

  async function itemOf(caller: Caller, id: number | null, part: number, reply: FastifyReply): Promise<string> {
    const owner = caller.account.email
    const item = id === null ? null : await inbox.find(owner, id)
    if (item === null) {
      reply.code(404)
      return noteDeck('This message is no longer in your inbox.')
    }
    const [shown] = await inbox.shown([item])
    const { newer, older } = await inbox.neighbours(owner, item.id)
    const token = await sessions.actionToken(caller)
    const linkOf = (other: number | null): string | null => (other === null ? null : `item?id=${other}`)
    const mark = (label: string, what: string) => ({
      label,
      href: `mark?id=${item.id}&m=${what}`,
      fields: { t: token },
    })
    const deck = {
      ...shown!,
      at: item.at,
      profileName: shown!.profile.name,
      summary: shown!.summary.text,
      links: { list: 'list', original: item.url, newer: linkOf(newer), older: linkOf(older) },
      partLink: (n: number) => `item?id=${item.id}&part=${n}`,
      marks: [
        item.read ? mark('Mark unread', 'unread') : mark('Mark read', 'read'),
        item.starred ? mark('Remove star', 'unstar') : mark('Star', 'star'),
        item.archived ? mark('Move to inbox', 'inbox') : mark('Archive', 'archive'),
      ],
    }
    return wmlAnnotation(deck, part)
  }

  const mark: Answer = async (caller, request, reply) => {
    const id = numberOf(request.query.id)
    const wanted = marks.get(String(request.query.m))
    if (id !== null && wanted !== undefined) await inbox.mark(caller.account.email, [id], wanted)
    return itemOf(caller, id, 1, reply)
  }

  const signOut: Answer = async (caller, request, reply) => {
    await accounts.signOut(caller)
    if (request.params.session === BY_COOKIE) takeCookie(request, reply, settings)
    return askToSignIn(reply, 'Signed out')
  }

  server.register(async (scope) => {
    readForms(scope)
    scope.get('/wml', route, async (request, reply) =>
      request.caller?.via === 'session' ? reply.redirect(`/wml/${BY_COOKIE}/home`) : askToSignIn(reply),
    )
    scope.post(
      '/wml/sign-in',
      { ...route, bodyLimit: FORM_BYTES, onRequest: async (request) => refuseOtherSites(request) },
      async (request, reply) => {
        const [email, password] = [fieldOf(request, 'e'), fieldOf(request, 'p')]
        const outcome = await accounts.signIn({ email, password, ...browserOf(request) })
        if (outcome.kind === 'wait') return askToSignIn(reply, `Too many attempts. Try again in ${outcome.seconds} s.`)
        if (outcome.kind === 'wrong') return askToSignIn(reply, 'Wrong email address or password')
        if (request.cookies[TEST_COOKIE] === undefined)
          return reply.redirect(`/wml/${await sessions.issue(outcome.caller)}/home`)
        if (request.caller?.via === 'session') await accounts.signOut(request.caller)
        giveCookie(request, reply, settings, outcome.secret)
        return reply.redirect(`/wml/${BY_COOKIE}/home`)
      },
    )
    scope.get('/wml/:session/home', route, signedIn(home))
    scope.get('/wml/:session/list', route, signedIn(list))
    scope.get(
      '/wml/:session/item',
      route,
      signedIn((caller, { query }, reply) => itemOf(caller, numberOf(query.id), numberOf(query.part) ?? 1, reply)),
    )
    scope.post('/wml/:session/mark', { ...route, bodyLimit: FORM_BYTES }, changing(mark))
    scope.post('/wml/:session/sign-out', { ...route, bodyLimit: FORM_BYTES }, changing(signOut))
  })
}

function fieldOf({ body }: FastifyRequest, name: string): string {
  return body instanceof Map ? String(body.get(name) ?? '') : ''
}

/** A positive integer; null for anything else. */
function numberOf(value: unknown): number | null {
  return typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value) ? Number(value) : null
}

function stateOf(value: unknown): InboxState {
  return inboxStates.find((each) => each === value) ?? 'unread'
}

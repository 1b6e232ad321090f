import { AppError } from '../../../core/errors.ts'
import { callerOf, reader, sessionOnly, writer } from '../../http/access.ts'
import { DetailedError } from '../../http/problem.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { Me, MeChanges, NewToken, PasswordChange, Token, TokenDraft } from '../../schemas/accounts.ts'
import { IdParams, listOf, Nothing, Problem } from '../../schemas/common.ts'
import { meAnswer, tokenAnswer } from './account-answers.ts'
import { tooManyAttempts } from './session.ts'

export function addMe(api: Api, { accounts }: Pick<ServerParts, 'accounts'>): void {
  const tags = ['accounts']
  api.get(
    '/me',
    { config: reader, schema: { tags, summary: 'Get your account', response: { 200: Me, '4xx': Problem } } },
    async (request) => meAnswer(callerOf(request).account),
  )
  api.patch(
    '/me',
    {
      config: writer,
      schema: { tags, summary: 'Update your account', body: MeChanges, response: { 200: Me, '4xx': Problem } },
    },
    async (request) => meAnswer(await accounts.changeOwn(callerOf(request), request.body)),
  )
  api.post(
    '/me/password',
    {
      config: sessionOnly,
      schema: {
        tags,
        summary: 'Change your password; ends all your other sessions',
        body: PasswordChange,
        response: { 204: Nothing, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const outcome = await accounts.changePassword(callerOf(request), { ...request.body, address: request.ip })
      if (outcome.kind === 'wait') throw tooManyAttempts(outcome.seconds)
      if (outcome.kind === 'wrong')
        throw new DetailedError('request-invalid', 'the current password is wrong', [
          { place: 'body.current', message: 'is wrong' },
        ])
      return reply.status(204).send(null)
    },
  )
}

export function addTokens(api: Api, { accounts }: Pick<ServerParts, 'accounts'>): void {
  const tags = ['accounts']
  api.get(
    '/tokens',
    {
      config: reader,
      schema: { tags, summary: 'List your tokens', response: { 200: listOf(Token), '4xx': Problem } },
    },
    async (request) => ({ items: (await accounts.tokens(callerOf(request))).map(tokenAnswer), next: null }),
  )
  api.post(
    '/tokens',
    {
      config: sessionOnly,
      schema: {
        tags,
        summary: 'Create a token; its secret is shown only once. By default, tokens have `read` and `write`',
        body: TokenDraft,
        response: { 201: NewToken, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { name, scopes, expiresAt } = request.body
      const { token, secret } = await accounts.addToken(callerOf(request), {
        name,
        ...(scopes === undefined ? {} : { scopes }),
        ...(expiresAt === undefined || expiresAt === null ? {} : { expiresAt: Date.parse(expiresAt) }),
      })
      return reply.status(201).send({ ...tokenAnswer(token), token: secret })
    },
  )
  api.delete(
    '/tokens/:id',
    {
      config: writer,
      schema: { tags, summary: 'Revoke a token', params: IdParams, response: { 204: Nothing, '4xx': Problem } },
    },
    async (request, reply) => {
      if (!(await accounts.removeToken(callerOf(request), request.params.id)))
        throw new AppError('not-found', 'no such token')
      return reply.status(204).send(null)
    },
  )
}

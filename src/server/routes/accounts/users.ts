import { Type } from 'typebox'
import { AppError } from '../../../core/errors.ts'
import { administrator, callerOf } from '../../http/access.ts'
import { numberOfCursor, pageOf } from '../../http/cursor.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { User, UserChanges, UserDraft } from '../../schemas/accounts.ts'
import { IdParams, listOf, Nothing, Problem, pageQuery } from '../../schemas/common.ts'
import { userAnswer } from './account-answers.ts'

const DEFAULT_LIMIT = 50

export function addUsers(api: Api, { accounts: { users } }: Pick<ServerParts, 'accounts'>): void {
  const tags = ['administration']
  const config = administrator
  api.get(
    '/users',
    {
      config,
      schema: {
        tags,
        summary: 'List accounts',
        querystring: Type.Object(pageQuery),
        response: { 200: listOf(User), '4xx': Problem },
      },
    },
    async ({ query: { limit = DEFAULT_LIMIT, cursor } }) => {
      const found = await users.list({ after: numberOfCursor(cursor) ?? 0, limit: limit + 1 })
      const { items, next } = pageOf(found, limit, ({ id }) => id)
      return { items: items.map(userAnswer), next }
    },
  )
  api.post(
    '/users',
    {
      config,
      schema: { tags, summary: 'Create an account', body: UserDraft, response: { 201: User, '4xx': Problem } },
    },
    async (request, reply) => reply.status(201).send(userAnswer(await users.add(request.body))),
  )
  api.get(
    '/users/:id',
    { config, schema: { tags, summary: 'Get an account', params: IdParams, response: { 200: User, '4xx': Problem } } },
    async ({ params: { id } }) => {
      const account = await users.find(id)
      if (account === null) throw new AppError('not-found', 'no such account')
      return userAnswer(account)
    },
  )
  api.patch(
    '/users/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Update an account; setting a password or disabling it ends its sessions',
        params: IdParams,
        body: UserChanges,
        response: { 200: User, '4xx': Problem },
      },
    },
    async (request) => {
      const { params, body } = request
      if (body.password !== undefined && callerOf(request).via === 'token')
        throw new AppError('forbidden', "a token can't change passwords; sign in instead")
      return userAnswer(await users.change(params.id, body))
    },
  )
  api.delete(
    '/users/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Delete an account with its profiles and annotations',
        params: IdParams,
        response: { 204: Nothing, '4xx': Problem },
      },
    },
    async ({ params: { id } }, reply) => {
      await users.remove(id)
      return reply.status(204).send(null)
    },
  )
}

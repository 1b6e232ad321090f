import { callerOf, reader, sessionOnly, writer } from '../access.ts'
import type { Api, ServerParts } from '../parts.ts'
import { DetailedError } from '../problem.ts'
import { Me, MeChanges, PasswordChange } from '../schemas/accounts.ts'
import { Nothing, Problem } from '../schemas/common.ts'
import { meAnswer } from './account-answers.ts'
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

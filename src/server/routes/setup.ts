import { anyone, refuseOtherSites } from '../access.ts'
import type { Api, ServerParts } from '../parts.ts'
import { SessionState, Setup, SetupState } from '../schemas/accounts.ts'
import { Problem } from '../schemas/common.ts'
import { sessionState } from './account-answers.ts'
import { browserOf, giveCookie } from './session-cookie.ts'

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

import type { Static } from 'typebox'
import { withBelongings } from '../../../services/profiles/values/profile-values.ts'
import type { SourceRules } from '../../../services/profiles/values/source-values.ts'
import { readTriedSource } from '../../../services/sources/trying/read-source.ts'
import { ownerOf, reader, writer } from '../../http/access.ts'
import { DetailedError, WaitError } from '../../http/problem.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { Problem } from '../../schemas/common.ts'
import { Protocols, SourceBody, TriedSource } from '../../schemas/tried-source.ts'

const tags = ['sources']
const MAX_BODY_BYTES = 64 * 1024

type Parts = Pick<ServerParts, 'profileRules' | 'belongingsOf' | 'trying'>

/** The supported protocols, and a trial read of a source. */
export function addTrySource(api: Api, { profileRules, belongingsOf, trying }: Parts): void {
  api.get(
    '/protocols',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the protocols that sources can have',
        response: { 200: Protocols, '4xx': Problem },
      },
    },
    async () => ({ items: protocolsOf(profileRules) }),
  )

  api.post(
    '/sources/try',
    {
      config: writer,
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        tags,
        summary: 'Read a source once and show what would be read; nothing is stored',
        body: SourceBody,
        response: { 200: TriedSource, '4xx': Problem },
      },
    },
    async (request) => {
      const owner = ownerOf(request)
      const rules = withBelongings(profileRules, await belongingsOf(owner))
      const read = readTriedSource(request.body, rules, trying.spell)
      if (read.kind === 'invalid') throw new DetailedError('request-invalid', 'the source is invalid', read.errors)
      const seconds = trying.limits.take(`try ${owner}`)
      if (seconds > 0) throw new WaitError('rate-limited', 'too many tries; wait a moment', seconds)
      return trying.trySource(owner, read.source)
    },
  )
}

function protocolsOf({ abilities, hubsReachUs }: SourceRules): Static<typeof Protocols>['items'] {
  return [...abilities].map(([scheme, { push, credentials, depth, browser }]) => ({
    ...{ scheme, push: push === 'by-hub' ? hubsReachUs : push, credentials, depth, browser },
  }))
}

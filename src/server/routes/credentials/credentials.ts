import type { Static } from 'typebox'
import { AppError } from '../../../core/errors.ts'
import type { CredentialKind } from '../../../services/credentials/credential-kinds.ts'
import type { ShownCredentials } from '../../../services/credentials/credential-service.ts'
import { ownerOf, reader, writer } from '../../http/access.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { Nothing, Problem } from '../../schemas/common.ts'
import {
  Credentials,
  CredentialsDraft,
  CredentialsList,
  CredentialsParams,
  CredentialsReplacement,
} from '../../schemas/credentials.ts'

const tags = ['credentials']
const params = CredentialsParams

/** The caller's credentials for sources. No response contains a secret. */
export function addCredentials(api: Api, { credentials }: Pick<ServerParts, 'credentials'>): void {
  api.get(
    '/credentials',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List your credentials for sources',
        response: { 200: CredentialsList, '4xx': Problem },
      },
    },
    async (request) => ({ items: (await credentials.list(ownerOf(request))).map(answerOf), next: null }),
  )
  api.post(
    '/credentials',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Store credentials; they are encrypted and never shown again',
        body: CredentialsDraft,
        response: { 201: Credentials, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const added = await credentials.add(ownerOf(request), request.body)
      reply.status(201)
      return answerOf(added)
    },
  )
  api.get(
    '/credentials/:id',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get credentials, without their secrets',
        params,
        response: { 200: Credentials, '4xx': Problem },
      },
    },
    async (request) => answerOf(known(await credentials.find(ownerOf(request), request.params.id))),
  )
  api.put(
    '/credentials/:id',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Replace what is in credentials; they are tried again at once',
        params,
        body: CredentialsReplacement,
        response: { 200: Credentials, '4xx': Problem },
      },
    },
    async (request) => answerOf(known(await credentials.replace(ownerOf(request), request.params.id, request.body))),
  )
  api.delete(
    '/credentials/:id',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Remove credentials; refused while a profile uses them',
        params,
        response: { 204: Nothing, '4xx': Problem },
      },
    },
    async (request, reply) => {
      if (!(await credentials.remove(ownerOf(request), request.params.id))) throw unknown()
      return reply.status(204).send(null)
    },
  )
}

function known(found: ShownCredentials | null): ShownCredentials {
  if (found === null) throw unknown()
  return found
}

const unknown = (): AppError => new AppError('not-found', 'you have no such credentials')

const timeOf = (ms: number): string => new Date(ms).toISOString()
/** 0 means never. */
const maybeTimeOf = (ms: number): string | null => (ms === 0 ? null : timeOf(ms))

function answerOf(of: ShownCredentials): Static<typeof Credentials> {
  const { id, name, kind, hint, createdAt, changedAt, usedAt, failedSince, failure, retryAt, problem, profiles } = of
  return {
    ...{ id, name, kind: kind as CredentialKind, hint, failure, problem },
    ...{ createdAt: timeOf(createdAt), changedAt: timeOf(changedAt), usedAt: maybeTimeOf(usedAt) },
    ...{ failedSince: maybeTimeOf(failedSince), retryAt: maybeTimeOf(retryAt) },
    profiles: profiles.map((profile) => ({ ...profile })),
  }
}

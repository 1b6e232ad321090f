import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { ValidationError } from '../../../config/validation-errors.ts'
import { AppError } from '../../../core/errors.ts'
import type { Profile as StoredProfile } from '../../../core/profile.ts'
import type { ProfileBody as GivenBody } from '../../../services/profiles/profile-reading.ts'
import type { Outcome } from '../../../services/profiles/profile-service.ts'
import { profileToJson } from '../../../services/profiles/values/profile-values.ts'
import { writeProfile, writeProfiles } from '../../../xml/profile/profile.ts'
import { ownerOf, reader, writer } from '../../http/access.ts'
import { pageOf, textOfCursor } from '../../http/cursor.ts'
import { negotiate } from '../../http/negotiation.ts'
import { DetailedError } from '../../http/problem.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { listOf, Nothing, Problem, ProfileId, pageQuery } from '../../schemas/common.ts'
import { Profile, ProfileBody } from '../../schemas/profiles.ts'

const tags = ['profiles']
const DEFAULT_LIMIT = 50
const MAX_WARNINGS = 10
/** More than a profile with a thousand sources and ten thousand words needs. */
const MAX_BODY_BYTES = 2 * 1024 * 1024
const xmlTypes = ['application/xml', 'text/xml']
const forms = ['application/json', 'application/xml', 'text/xml'] as const

const params = Type.Object({ id: ProfileId })
const querystring = Type.Object(pageQuery)
const text = { schema: Type.String() }
const inForms = <T extends typeof Profile | ReturnType<typeof listOf<typeof Profile>>>(schema: T) => ({
  description: 'As JSON or XML',
  content: { 'application/json': { schema }, 'application/xml': text, 'text/xml': text },
})
const response = { 200: inForms(Profile), '4xx': Problem }
const xmlBody = Type.Unsafe<Uint8Array>({ description: 'A profile as XML (profile.dtd or urd.dtd)' })
const body = {
  content: {
    'application/json': { schema: ProfileBody },
    'application/xml': { schema: xmlBody },
    'text/xml': { schema: xmlBody },
  },
}

export function addProfiles(
  parent: Api,
  { profiles, privateAddress }: Pick<ServerParts, 'profiles' | 'privateAddress'>,
): void {
  /** Warnings about sources that are stored, but can't work. */
  const warningsOf = ({ sources }: StoredProfile): string[] =>
    [...new Set(sources.map(({ uri }) => privateAddress(uri)))].filter((each) => each !== null).slice(0, MAX_WARNINGS)

  // In a separate scope: no other route accepts XML.
  parent.register(async (scope) => {
    scope.addContentTypeParser(xmlTypes, { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
    const api: Api = scope.withTypeProvider<TypeBoxTypeProvider>()

    api.get(
      '/profiles',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List your profiles',
          querystring,
          response: { 200: inForms(listOf(Profile)), '4xx': Problem },
        },
      },
      async (request, reply) => {
        const form = negotiate(request, reply, forms)
        const { limit = DEFAULT_LIMIT, cursor } = request.query
        const after = textOfCursor(cursor) ?? ''
        const found = await profiles.list(ownerOf(request), { after, limit: limit + 1 })
        const { items, next } = pageOf(found, limit, ({ id }) => id)
        if (form === 'application/json') return { items: items.map(shown), next }
        if (next !== null) reply.header('link', `</api/v1/profiles?limit=${limit}&cursor=${next}>; rel="next"`)
        let xml = ''
        for await (const piece of writeProfiles(items.map(withoutOwner))) xml += piece
        reply.type(`${form}; charset=utf-8`)
        return xml
      },
    )

    api.post(
      '/profiles',
      {
        config: writer,
        bodyLimit: MAX_BODY_BYTES,
        schema: { tags, summary: 'Create a profile', body, response: { 201: inForms(Profile), '4xx': Problem } },
      },
      async (request, reply) => {
        const form = negotiate(request, reply, forms)
        const profile = profileOf(await profiles.create(ownerOf(request), bodyOf(request)))
        reply.status(201).header('location', `/api/v1/profiles/${encodeURIComponent(profile.id)}`)
        return inForm(reply, form, profile, warningsOf(profile))
      },
    )

    api.get(
      '/profiles/:id',
      { config: reader, schema: { tags, summary: 'Get a profile', params, response } },
      async (request, reply) => {
        const form = negotiate(request, reply, forms)
        const profile = await profiles.find(ownerOf(request), request.params.id)
        if (profile === null) throw notFound()
        return inForm(reply, form, profile)
      },
    )

    api.put(
      '/profiles/:id',
      {
        config: writer,
        bodyLimit: MAX_BODY_BYTES,
        schema: { tags, summary: 'Replace a profile', params, body, response },
      },
      async (request, reply) => {
        const form = negotiate(request, reply, forms)
        const outcome = await profiles.replace(ownerOf(request), request.params.id, bodyOf(request))
        if (outcome.kind === 'unknown') throw notFound()
        const profile = profileOf(outcome)
        return inForm(reply, form, profile, warningsOf(profile))
      },
    )

    api.delete(
      '/profiles/:id',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Delete a profile; its items stay in the inbox',
          params,
          response: { 204: Nothing, '4xx': Problem },
        },
      },
      async (request, reply) => {
        if (!(await profiles.remove(ownerOf(request), request.params.id))) throw notFound()
        return reply.status(204).send(null)
      },
    )
  })
}

function bodyOf({ body }: FastifyRequest): GivenBody {
  return body instanceof Uint8Array ? { form: 'xml', xml: body } : { form: 'json', value: body }
}

function profileOf(outcome: Outcome): StoredProfile {
  if (outcome.kind === 'profile') return outcome.profile
  throw new DetailedError('request-invalid', 'the profile is invalid', outcome.errors.map(detailOf))
}

const detailOf = ({ place, message }: ValidationError) => ({ place: place === '' ? 'body' : place, message })

function inForm(
  reply: FastifyReply,
  form: (typeof forms)[number],
  profile: StoredProfile,
  warnings: readonly string[] = [],
) {
  if (form === 'application/json') return { ...shown(profile), ...(warnings.length > 0 && { warnings: [...warnings] }) }
  reply.type(`${form}; charset=utf-8`)
  return writeProfile(withoutOwner(profile))
}

/** Without the owner, who is always the caller. */
const withoutOwner = (profile: StoredProfile): StoredProfile => ({ ...profile, owner: '' })

function shown({ owner: _, ...profile }: StoredProfile): Static<typeof Profile> {
  return profileToJson(profile) as Static<typeof Profile>
}

const notFound = (): AppError => new AppError('not-found', 'no such profile')

import { Type } from 'typebox'
import { AppError } from '../../../core/errors.ts'
import type { PrivateAddress } from '../../profiles/private-address.ts'
import type { ProfileService } from '../../profiles/profile-service.ts'
import { profileToJson } from '../../profiles/values/profile-values.ts'
import { argumentsOf, defineTool, Url } from '../tool.ts'

const MAX_ERRORS = 10
const Word = Type.String({ minLength: 1, maxLength: 200 })
const Words = Type.Array(Word, { maxItems: 100 })

type WatchDeps = { profiles: Pick<ProfileService, 'create'>; privateAddress: PrivateAddress }

export const createWatchTool = ({ profiles, privateAddress }: WatchDeps) =>
  defineTool({
    name: 'watch',
    title: 'Watch a page',
    description:
      'Creates a profile that watches an address from now on: every change, or with terms only changes that match. What is found appears in inbox. ' +
      'See sources for what is watched already.',
    access: 'write',
    isIdempotent: false,
    input: argumentsOf({
      url: Url,
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Name of the profile' })),
      terms: Type.Optional({ ...Words, description: 'Words or phrases that matter; all changes if left out' }),
      exclude: Type.Optional({ ...Words, description: 'Words or phrases that rule a change out' }),
      every: Type.Optional(Type.String({ maxLength: 20, description: 'How often to check: 15m, 1h, 1d' })),
      depth: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 10, description: 'Links to follow from the page; 0 unless given' }),
      ),
      select: Type.Optional({
        ...Words,
        description: 'Parts of the page to compare: CSS, XPath, JSONPath, or /pattern/ for lines of text',
      }),
    }),
    output: Type.Object({
      profile: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
      warnings: Type.Array(Type.String()),
    }),
    async call({ owner }, { url, name, terms = [], exclude = [], every, depth, select }) {
      const source = {
        uri: url,
        ...(every !== undefined && { every }),
        ...(depth !== undefined && { depth }),
        ...(select !== undefined && { select }),
      }
      const value = {
        ...(name !== undefined && { name }),
        sources: [source],
        interests: { keywords: terms.map((key) => ({ key, weight: 1 })), exclude },
      }
      const outcome = await profiles.create(owner, { form: 'json', value })
      if (outcome.kind === 'invalid') {
        const errors = outcome.errors.slice(0, MAX_ERRORS).map(({ place, message }) => `${place}: ${message}`)
        throw new AppError('request-invalid', `not watched: ${errors.join('; ')}`)
      }
      const { owner: _, ...profile } = outcome.profile
      const warnings = profile.sources.map(({ uri }) => privateAddress(uri)).filter((warning) => warning !== null)
      const watched = profile.sources.map(({ uri }) => uri).join(', ')
      const text = [`Now watching ${watched} in the profile ${profile.name} (id ${profile.id}).`, ...warnings].join(
        '\n',
      )
      return { text, data: { profile: profileToJson(profile), warnings } }
    },
  })

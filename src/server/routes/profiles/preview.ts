import type { Static } from 'typebox'
import type { ProfileDraft } from '../../../core/profile.ts'
import type { VisiblePreview } from '../../../services/archive/archive-reader.ts'
import { type ProfileRules, readProfileJson, withBelongings } from '../../../services/profiles/values/profile-values.ts'
import { askerOf, ownerOf, reader } from '../../http/access.ts'
import { DetailedError } from '../../http/problem.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { Problem } from '../../schemas/common.ts'
import { Preview, ProfileBody } from '../../schemas/profiles.ts'

const MAX_BODY_BYTES = 2 * 1024 * 1024

/** A placeholder for a draft without sources, so that the rest can be validated as a profile. */
const stopper = { uri: 'http://nowhere.invalid/', process: 'filter' }

export function addPreview(
  api: Api,
  { archive, profileRules, belongingsOf }: Pick<ServerParts, 'archive' | 'profileRules' | 'belongingsOf'>,
): void {
  api.post(
    '/profiles/preview',
    {
      config: reader,
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        tags: ['profiles'],
        summary: 'Preview what a profile would have matched among the documents visible to you; nothing is stored',
        body: ProfileBody,
        response: { 200: Preview, '4xx': Problem },
      },
    },
    async (request) => {
      const draft = draftOf(request.body, withBelongings(profileRules, await belongingsOf(ownerOf(request))))
      return answerOf(await archive.preview({ ...askerOf(request), draft }))
    },
  )
}

function draftOf(body: Record<string, unknown>, rules: ProfileRules): ProfileDraft {
  const { sources } = body
  const isWithout = sources === undefined || sources === null || (Array.isArray(sources) && sources.length === 0)
  const read = readProfileJson(isWithout ? { ...body, sources: [stopper] } : body, rules)
  if (read.kind === 'invalid') throw new DetailedError('request-invalid', 'the profile is invalid', read.errors)
  return isWithout ? { ...read.profile, sources: [] } : read.profile
}

function answerOf({ examples, nearMisses, ...preview }: VisiblePreview): Static<typeof Preview> {
  return { ...preview, examples: examples.map(exampleOf), nearMisses: nearMisses.map(exampleOf) }
}

function exampleOf({ summary, explanation, ...example }: VisiblePreview['examples'][number]) {
  const { text, marks } = summary
  return {
    ...example,
    summary: { text, marks: marks.map(([from, to]) => [from, to]) },
    explanation: explanation as Record<string, unknown>,
  }
}

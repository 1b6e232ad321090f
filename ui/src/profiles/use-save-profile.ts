import { ApiError, api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { Profile } from '../api/types.ts'
import { bodyOf, type Draft, mapErrors, type ValidationError } from './draft.ts'

/** Everything that shows profiles, sources or their counts. */
export const profileNames = ['profiles', 'sources', 'watches', 'counts']

/** Saves a draft from the form, or a profile in XML. */
export function useSaveProfile(id: string, onSuccess: (profile: Profile) => void) {
  const [method, path] = id === 'new' ? ['POST', '/profiles'] : ['PUT', `/profiles/${encodeURIComponent(id)}`]
  const send = (draft: Draft | string) =>
    typeof draft === 'string'
      ? api.send<Profile>(method!, path!, draft, 'application/xml')
      : api.send<Profile>(method!, path!, JSON.stringify(bodyOf(draft).body), 'application/json')
  const save = useChange(profileNames, send, { onSuccess })
  const { error, variables } = save
  const errors: ValidationError[] =
    error instanceof ApiError && typeof variables === 'object' ? mapErrors(error.details, bodyOf(variables)) : []
  return { save, errors }
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, api } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { bodyOf, type Draft, mapErrors, type ValidationError } from './draft.ts'

const XML = 'application/xml'

/** Refreshes everything that shows profiles, sources or their counts. */
export function useProfilesChanged(): () => void {
  const client = useQueryClient()
  return () => {
    for (const key of ['profiles', 'sources', 'watches', 'counts']) void client.invalidateQueries({ queryKey: [key] })
  }
}

const pathOf = (id: string) => `/profiles/${encodeURIComponent(id)}`

export function useSaveProfile(id: string, onSaved: (profile: Profile) => void) {
  const changed = useProfilesChanged()
  const save = useMutation({
    mutationFn: (draft: Draft) => {
      const { body } = bodyOf(draft)
      return id === 'new' ? api.post<Profile>('/profiles', body) : api.put<Profile>(pathOf(id), body)
    },
    onSuccess: (profile) => {
      changed()
      onSaved(profile)
    },
  })
  const errors: ValidationError[] =
    save.error instanceof ApiError && save.variables !== undefined
      ? mapErrors(save.error.details, bodyOf(save.variables))
      : []
  return { save, errors }
}

export function useSaveXml(id: string, onSaved: (profile: Profile) => void) {
  const changed = useProfilesChanged()
  return useMutation({
    mutationFn: (xml: string) =>
      id === 'new' ? api.send<Profile>('POST', '/profiles', xml, XML) : api.send<Profile>('PUT', pathOf(id), xml, XML),
    onSuccess: (profile) => {
      changed()
      onSaved(profile)
    },
  })
}

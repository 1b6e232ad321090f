import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, api } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { bodyOf, type Draft, type Fault, placeFaults } from './draft.ts'

const XML = 'application/xml'

/** Whatever shows profiles, sources or their counts is read anew. */
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
  const faults: Fault[] =
    save.error instanceof ApiError && save.variables !== undefined
      ? placeFaults(save.error.details, bodyOf(save.variables))
      : []
  return { save, faults }
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

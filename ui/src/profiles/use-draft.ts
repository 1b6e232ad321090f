import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { showToast } from '../kit/toast.tsx'
import { load, save } from '../offline/storage.ts'
import { useQuery as useUrlQuery } from '../url/query-state.ts'
import { type Draft, draftOf, emptyDraft, isSameDraft } from './draft.ts'
import { prefillOf } from './prefill.ts'
import { strings } from './strings.ts'

const KEEP_MS = 400
const keyOf = (id: string) => `profile-draft:${id}`

export function forgetDraft(id: string): Promise<void> {
  return save(keyOf(id), null)
}

/** The stored profile, and unsaved changes from an earlier visit. */
export function useProfileToEdit(id: string) {
  const query = useUrlQuery()
  const { uri, name, expression } = prefillOf(query)
  const copyOf = query.get('copy')
  const read = id === 'new' ? copyOf : id
  const isPrefilled = `${uri}${expression}${name}${copyOf ?? ''}` !== ''
  return useQuery({
    queryKey: ['profile-editing', id, uri, expression, name, copyOf],
    queryFn: async () => {
      const profile = read === null ? null : await api.get<Profile>(`/profiles/${encodeURIComponent(read)}`)
      const unsaved = isPrefilled ? undefined : await load<Draft | null>(keyOf(id))
      const base = profile === null ? emptyDraft({ name, uri, expression }) : draftOf(profile)
      if (id === 'new' && profile !== null) base.name = strings.editor.copyOf(profile.name)
      return { base, unsaved: unsaved ?? null, profile: id === 'new' ? null : profile }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
}

/** Changes are kept in the browser until they are saved or discarded. */
export function useDraft(id: string, base: Draft, unsaved: Draft | null) {
  const [draft, setDraft] = useState(unsaved === null ? base : { ...base, ...unsaved })
  const [saved, setSaved] = useState(base)
  const isDirty = !isSameDraft(draft, saved)
  const change = useCallback((changes: Partial<Draft>) => setDraft((now) => ({ ...now, ...changes })), [])

  useEffect(() => {
    const timer = setTimeout(() => void save(keyOf(id), isDirty ? draft : null), KEEP_MS)
    return () => clearTimeout(timer)
  }, [id, draft, isDirty])

  useEffect(() => {
    if (!isDirty) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isDirty])

  // On leaving the page, save the draft and say that nothing is lost.
  const left = useRef<Draft | null>(null)
  useLayoutEffect(() => {
    left.current = isDirty ? draft : null
  })
  useEffect(
    () => () => {
      if (left.current === null) return
      void save(keyOf(id), left.current)
      showToast(strings.editor.kept)
    },
    [id],
  )

  return {
    draft,
    change,
    isDirty,
    discard: () => setDraft(saved),
    /** Takes over the stored value; other unsaved changes stay. */
    takePaused(paused: boolean) {
      setSaved((now) => ({ ...now, paused }))
      setDraft((now) => ({ ...now, paused }))
    },
    take(next: Draft) {
      left.current = null
      setSaved(next)
      setDraft(next)
    },
  }
}

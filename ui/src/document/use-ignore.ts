import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { didWithUndo } from '../undo/undo.ts'

export type Ignoring = { pattern: string; profiles: readonly string[] }

const pathOf = (id: string) => `/profiles/${encodeURIComponent(id)}`

/** Read right before it is written, so that nothing that was changed meanwhile is lost; false where nothing was to do. */
async function changeIgnored(id: string, change: (ignore: string[]) => string[]): Promise<boolean> {
  const profile = await api.get<Profile>(pathOf(id))
  const { interests } = profile
  const ignore = change(interests.ignore)
  if (ignore.length === interests.ignore.length) return false
  await api.put<Profile>(pathOf(id), { ...profile, interests: { ...interests, ignore } })
  return true
}

const add = (pattern: string) => (ignore: string[]) => [...new Set([...ignore, pattern])]
const remove = (pattern: string) => (ignore: string[]) => ignore.filter((each) => each !== pattern)

/** To all of the profiles or to none of them. Gives those that did not ignore it before. */
async function ignoreIn({ pattern, profiles }: Ignoring): Promise<string[]> {
  const changed: string[] = []
  try {
    for (const id of profiles) if (await changeIgnored(id, add(pattern))) changed.push(id)
  } catch (error) {
    for (const id of changed) await changeIgnored(id, remove(pattern))
    throw error
  }
  return changed
}

export function useIgnore(document: string, onDone: () => void) {
  const client = useQueryClient()
  const readAnew = async (): Promise<void> => {
    await Promise.all([
      client.invalidateQueries({ queryKey: ['documents', document, 'diff'] }),
      client.invalidateQueries({ queryKey: ['profiles'] }),
    ])
  }
  return useMutation({
    mutationFn: ignoreIn,
    onSuccess: (changed, { pattern }) => {
      didWithUndo(`“${pattern}” is ignored from now on`, async () => {
        for (const id of changed) await changeIgnored(id, remove(pattern))
        await readAnew()
      })
      void readAnew()
      onDone()
    },
  })
}

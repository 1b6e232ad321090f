import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { IconButton } from '../kit/icon-button.tsx'
import { setQuery } from '../url/query-state.ts'

/** Says that only the watches of one profile are shown, and takes that away. */
export function ProfileChip({ id }: { id: string }) {
  const path = `/profiles/${encodeURIComponent(id)}`
  const profile = useQuery({ queryKey: ['profiles', id], queryFn: () => api.get<Profile>(path) })
  return (
    <p className="watches-chip">
      <span>
        Only those of <Link href={path}>{profile.data?.name ?? 'one profile'}</Link>
      </span>
      <IconButton icon="close" label="Show all profiles" onClick={() => setQuery({ profile: null })} />
    </p>
  )
}

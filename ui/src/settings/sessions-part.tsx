import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type List, messageOf } from '../api/client.ts'
import type { SessionItem } from '../api/types.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { showToast } from '../kit/toast-store.ts'
import { forgetEverything } from '../offline/kept.ts'
import { useSignOut } from '../session/session.ts'
import { RelativeTime } from '../time/relative-time.tsx'
import { agentWords } from './agent-words.ts'

const tellFault = (error: unknown) => showToast(messageOf(error), { tone: 'bad' })

export function SessionsPart() {
  const client = useQueryClient()
  const signOut = useSignOut()
  const [isAsking, setIsAsking] = useState(false)
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: () => api.get<List<SessionItem>>('/sessions', { limit: 200 }),
  })
  const end = useMutation({
    mutationFn: ({ id }: SessionItem) => api.delete(`/sessions/${id}`),
    onSuccess: () => {
      showToast('That session has ended.')
      void client.invalidateQueries({ queryKey: ['sessions'] })
    },
    onError: tellFault,
  })
  const endAll = useMutation({
    mutationFn: () => api.delete('/sessions'),
    onSuccess: async () => {
      await forgetEverything()
      location.assign('/sign-in')
    },
    onError: tellFault,
  })
  if (sessions.isPending) return <LoadingState label="Loading the sessions" />
  if (sessions.isError) return <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />
  return (
    <section className="kit-card kit-form">
      <h2>Where you are signed in</h2>
      <p className="soft">End what you do not know, and change your password then.</p>
      <ul className="settings-list">
        {sessions.data.items.map((session) => (
          <li key={session.id}>
            <div className="settings-what">
              <p title={session.agent}>
                <strong>{agentWords(session.agent)}</strong> {session.current && <Badge tone="good">This one</Badge>}
              </p>
              <p className="settings-more">
                {session.address} · seen <RelativeTime at={session.seenAt} /> · since{' '}
                <RelativeTime at={session.createdAt} /> · ends <RelativeTime at={session.expiresAt} />
              </p>
            </div>
            <Button
              small
              disabled={end.isPending}
              onClick={() => (session.current ? void signOut().catch(tellFault) : end.mutate(session))}
            >
              Sign out
            </Button>
          </li>
        ))}
      </ul>
      <div>
        <Button look="danger" icon="signOut" onClick={() => setIsAsking(true)}>
          Sign out everywhere…
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title="Sign out everywhere?"
          confirm="Sign out everywhere, here too"
          busy={endAll.isPending}
          onConfirm={() => endAll.mutate()}
          onCancel={() => setIsAsking(false)}
        >
          All {sessions.data.items.length} sessions end, this one too. Tokens go on working.
        </ConfirmDialog>
      )}
    </section>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type List, messageOf } from '../api/client.ts'
import type { Token } from '../api/types.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { showToast } from '../kit/toast-store.ts'
import { useNow } from '../time/now.ts'
import { RelativeTime } from '../time/relative-time.tsx'
import { NewTokenDialog } from './new-token-dialog.tsx'

export function TokensPart() {
  const client = useQueryClient()
  const now = useNow()
  const [isMaking, setIsMaking] = useState(false)
  const [leaving, setLeaving] = useState<Token | null>(null)
  const tokens = useQuery({ queryKey: ['tokens'], queryFn: () => api.get<List<Token>>('/tokens', { limit: 200 }) })
  const revoke = useMutation({
    mutationFn: ({ id }: Token) => api.delete(`/tokens/${id}`),
    onSuccess: (_, { name }) => {
      setLeaving(null)
      showToast(`The token “${name}” is revoked.`)
      void client.invalidateQueries({ queryKey: ['tokens'] })
    },
    onError: (error) => showToast(messageOf(error), { tone: 'bad' }),
  })
  if (tokens.isPending) return <LoadingState label="Loading the tokens" />
  if (tokens.isError) return <ErrorState error={tokens.error} onRetry={() => void tokens.refetch()} />
  const { items } = tokens.data
  const isOver = ({ expiresAt }: Token) => expiresAt !== null && Date.parse(expiresAt) <= now
  return (
    <section className="kit-card kit-form">
      <div className="settings-head">
        <h2>Tokens for programs</h2>
        {items.length > 0 && (
          <Button icon="plus" onClick={() => setIsMaking(true)}>
            New token
          </Button>
        )}
      </div>
      <p className="soft">
        A program that sends one as <code>Authorization: Bearer …</code> acts for you. The{' '}
        <a href="/api/docs">description of the API</a> says what it can do.
      </p>
      {items.length === 0 ? (
        <EmptyState
          icon="settings"
          title="No token yet"
          actions={
            <Button look="primary" icon="plus" onClick={() => setIsMaking(true)}>
              New token
            </Button>
          }
        >
          Make one for each program, so that each can be taken away alone.
        </EmptyState>
      ) : (
        <ul className="settings-list">
          {items.map((token) => (
            <li key={token.id}>
              <div className="settings-what">
                <p>
                  <strong>{token.name}</strong>{' '}
                  {token.scopes.map((scope) => (
                    <Badge key={scope}>{scope}</Badge>
                  ))}{' '}
                  {isOver(token) && <Badge tone="warn">expired</Badge>}
                </p>
                <p className="settings-more">
                  made <RelativeTime at={token.createdAt} /> · used <RelativeTime at={token.usedAt} /> · ends{' '}
                  <RelativeTime at={token.expiresAt} />
                </p>
              </div>
              <Button small look="danger" onClick={() => setLeaving(token)}>
                Revoke…
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isMaking && <NewTokenDialog onClose={() => setIsMaking(false)} />}
      {leaving !== null && (
        <ConfirmDialog
          title={`Revoke “${leaving.name}”?`}
          confirm={`Revoke “${leaving.name}”`}
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate(leaving)}
          onCancel={() => setLeaving(null)}
        >
          Whatever program uses it is refused from now on. This cannot be undone.
        </ConfirmDialog>
      )}
    </section>
  )
}

import { useState } from 'react'
import { api, type List } from '../api/client.ts'
import { useChange, useGet } from '../api/queries.ts'
import type { Token } from '../api/types.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { showError, showToast } from '../kit/toast.tsx'
import { RelativeTime, useNow } from '../time/relative-time.tsx'
import { NewTokenDialog } from './new-token-dialog.tsx'
import { strings } from './strings.ts'

const text = strings.tokens

export function TokensPart() {
  const now = useNow()
  const [isMaking, setIsMaking] = useState(false)
  const [leaving, setLeaving] = useState<Token | null>(null)
  const tokens = useGet<List<Token>>(['tokens'], '/tokens', { limit: 200 })
  const revoke = useChange(['tokens'], ({ id }: Token) => api.delete(`/tokens/${id}`), {
    onSuccess: (_, { name }) => {
      setLeaving(null)
      showToast(text.revoked(name))
    },
    onError: showError,
  })
  if (tokens.isPending) return <LoadingState label={text.loading} />
  if (tokens.isError) return <ErrorState query={tokens} />
  const { items } = tokens.data
  const isOver = ({ expiresAt }: Token) => expiresAt !== null && Date.parse(expiresAt) <= now
  return (
    <section className="kit-card kit-form">
      <div className="kit-spread">
        <h2>{text.title}</h2>
        {items.length > 0 && <Button label={text.new} icon="plus" onClick={() => setIsMaking(true)} />}
      </div>
      <p className="soft">
        {text.lead} <code>{text.header}</code> {text.leadEnd} <a href="/api/docs">{text.docs}</a>.
      </p>
      {items.length === 0 ? (
        <EmptyState
          icon="settings"
          title={text.emptyTitle}
          actions={<Button label={text.new} variant="primary" icon="plus" onClick={() => setIsMaking(true)} />}
          advice={text.empty}
        />
      ) : (
        <ul className="settings-list">
          {items.map((token) => (
            <li key={token.id} className="kit-row">
              <div className="settings-what">
                <p>
                  <strong>{token.name}</strong>{' '}
                  {token.scopes.map((scope) => (
                    <Badge key={scope}>{scope}</Badge>
                  ))}{' '}
                  {isOver(token) && <Badge tone="warn">{text.expired}</Badge>}
                </p>
                <p className="faint small break">
                  {text.created} <RelativeTime at={token.createdAt} /> · {text.used} <RelativeTime at={token.usedAt} />{' '}
                  · {text.ends} <RelativeTime at={token.expiresAt} />
                </p>
              </div>
              <Button label={text.revoke} small variant="danger" onClick={() => setLeaving(token)} />
            </li>
          ))}
        </ul>
      )}
      {isMaking && <NewTokenDialog onClose={() => setIsMaking(false)} />}
      {leaving !== null && (
        <ConfirmDialog
          title={text.revokeTitle(leaving.name)}
          confirm={text.revokeConfirm(leaving.name)}
          disabled={revoke.isPending}
          onConfirm={() => revoke.mutate(leaving)}
          onClose={() => setLeaving(null)}
        >
          {text.revokeBody}
        </ConfirmDialog>
      )}
    </section>
  )
}

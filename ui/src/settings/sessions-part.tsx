import { useState } from 'react'
import { api, type List } from '../api/client.ts'
import { useChange, useGet } from '../api/queries.ts'
import type { SessionItem } from '../api/types.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { showError, showToast } from '../kit/toast.tsx'
import { signOut } from '../session/session.ts'
import { RelativeTime } from '../time/relative-time.tsx'
import { strings } from './strings.ts'

const text = strings.sessions
const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const
const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** "Firefox on Linux" from a User-Agent header; a header we don't know is shown as it is. */
function agentName(agent: string): string {
  const browser = browsers.find(([sign]) => agent.includes(sign))?.[1]
  const system = systems.find(([sign]) => agent.includes(sign))?.[1]
  if (browser === undefined) return agent === '' ? text.unknownAgent : agent.slice(0, 60)
  return text.agent(browser, system)
}

export function SessionsPart() {
  const [isAsking, setIsAsking] = useState(false)
  const sessions = useGet<List<SessionItem>>(['sessions'], '/sessions', { limit: 200 })
  const end = useChange(['sessions'], ({ id }: SessionItem) => api.delete(`/sessions/${id}`), {
    onSuccess: () => showToast(text.ended),
    onError: showError,
  })
  const endAll = useChange([], () => signOut('/sessions'))
  if (sessions.isPending) return <LoadingState label={text.loading} />
  if (sessions.isError) return <ErrorState query={sessions} />
  return (
    <section className="kit-card kit-form">
      <h2>{text.title}</h2>
      <p className="soft">{text.lead}</p>
      <ul className="settings-list">
        {sessions.data.items.map((session) => (
          <li key={session.id} className="kit-row">
            <div className="settings-what">
              <p title={session.agent}>
                <strong>{agentName(session.agent)}</strong>{' '}
                {session.current && <Badge tone="good">{text.thisOne}</Badge>}
              </p>
              <p className="faint small break">
                {session.address} · {text.seen} <RelativeTime at={session.seenAt} /> · {text.since}{' '}
                <RelativeTime at={session.createdAt} /> · {text.ends} <RelativeTime at={session.expiresAt} />
              </p>
            </div>
            <Button
              label={strings.signOut}
              small
              disabled={end.isPending}
              onClick={() => (session.current ? void signOut() : end.mutate(session))}
            />
          </li>
        ))}
      </ul>
      <div>
        <Button label={text.everywhere} variant="danger" icon="signOut" onClick={() => setIsAsking(true)} />
      </div>
      {isAsking && (
        <ConfirmDialog
          title={text.everywhereTitle}
          confirm={text.everywhereConfirm}
          disabled={endAll.isPending}
          onConfirm={endAll.mutate}
          onClose={() => setIsAsking(false)}
        >
          {text.everywhereBody(sessions.data.items.length)}
        </ConfirmDialog>
      )}
    </section>
  )
}

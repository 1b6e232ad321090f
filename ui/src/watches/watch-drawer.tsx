import './watch-drawer.css'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../api/client.ts'
import type { SourceDetail } from '../api/types.ts'
import { Button, ButtonLink } from '../kit/button.tsx'
import { IconButton } from '../kit/icon-button.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { Switch } from '../kit/switch.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { CheckLog } from './check-log.tsx'
import { NextCheck } from './next-check.tsx'
import { StateMark } from './state-mark.tsx'
import type { WatchActions } from './use-watch-actions.ts'
import { nameOfWatch, reachOf } from './watch-state.ts'

type Props = { id: number; actions: WatchActions; onRemove: (source: SourceDetail) => void; onClose: () => void }

/** Beside the table, not above it: the keys of the table go on working, and the drawer follows them. */
export function WatchDrawer({ id, actions, onRemove, onClose }: Props) {
  const detail = useQuery({
    queryKey: ['sources', 'detail', id],
    queryFn: ({ signal }) => api.get<SourceDetail>(`/sources/${id}`, {}, signal),
    placeholderData: (before) => before,
  })
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const source = detail.data
  return (
    <aside className="watch-drawer" aria-label="The chosen watch">
      <header className="watch-drawer-head">
        <h2 ref={heading} tabIndex={-1}>
          {source === undefined ? 'Watch' : nameOfWatch(source)}
        </h2>
        <IconButton icon="close" label="Close" shortcut="Esc" tip="end" onClick={onClose} />
      </header>
      {source !== undefined && !detail.isError && <Detail source={source} actions={actions} onRemove={onRemove} />}
      {detail.isPending && <LoadingState lines={5} />}
      {detail.isError && (
        <ErrorState error={detail.error} onRetry={() => void detail.refetch()}>
          It may have been removed; close this and choose another one.
        </ErrorState>
      )}
    </aside>
  )
}

const processes = {
  filter: 'What matches the interests of the profile is told.',
  track: 'Every change is told.',
  archive: 'Versions are kept quietly.',
}

function Detail({ source, actions, onRemove }: { source: SourceDetail } & Pick<Props, 'actions' | 'onRemove'>) {
  const target = { kind: 'ids' as const, ids: [source.id] }
  const profile = encodeURIComponent(source.profile.id)
  return (
    <div className="watch-drawer-body">
      <p className="watch-drawer-address">
        <a href={source.uri} target="_blank" rel="noreferrer noopener">
          {source.uri}
        </a>
      </p>
      <div className={source.failing ? 'watch-drawer-message watch-drawer-bad' : 'watch-drawer-message'}>
        <p className="kit-row">
          <StateMark state={source.state} />
          <RelativeTime at={source.since} fallback="" className="faint" />
        </p>
        {source.message !== '' && <p>{source.message}</p>}
      </div>
      <div className="kit-row">
        <Button look="primary" icon="refresh" disabled={source.paused} onClick={() => actions.check(target)}>
          Check now
        </Button>
        {source.document !== null && (
          <ButtonLink href={`/documents/${source.document}`} icon="cached">
            Open document
          </ButtonLink>
        )}
      </div>
      <div className="watch-drawer-switches">
        <Switch checked={source.paused} onChange={(on) => actions.mark(target, 'paused', on)}>
          Pause
          <span className="watch-drawer-hint">It is not checked any more until this is switched off.</span>
        </Switch>
        <Switch checked={source.muted} onChange={(on) => actions.mark(target, 'muted', on)}>
          Mute
          <span className="watch-drawer-hint">
            It is checked and kept as before, but nothing of it reaches the inbox.
          </span>
        </Switch>
      </div>
      <dl className="watch-drawer-facts">
        <div>
          <dt>Last check</dt>
          <dd>
            <RelativeTime at={source.lastCheckedAt} fallback="not yet" />
          </dd>
        </div>
        <div>
          <dt>Last change</dt>
          <dd>
            <RelativeTime at={source.lastChangedAt} fallback="none seen" />
          </dd>
        </div>
        <div>
          <dt>Next check</dt>
          <dd>
            <NextCheck at={source.nextCheckAt} />
            {source.why !== '' && <span className="soft"> — {source.why}</span>}
          </dd>
        </div>
        <div>
          <dt>Reaches</dt>
          <dd>{reachOf(source)}</dd>
        </div>
        <div>
          <dt>Tells</dt>
          <dd>{processes[source.process]}</dd>
        </div>
        <div>
          <dt>Profile</dt>
          <dd>{source.profile.name}</dd>
        </div>
      </dl>
      <CheckLog checks={source.checks} />
      <div className="kit-row">
        <ButtonLink small href={`/profiles/${profile}`} icon="edit">
          Edit profile
        </ButtonLink>
        <ButtonLink small href={`/inbox?state=all&profile=${profile}`} icon="inbox">
          Inbox of it{source.unread > 0 ? ` (${source.unread.toLocaleString('en')} unread)` : ''}
        </ButtonLink>
        <Button small look="danger" icon="trash" onClick={() => onRemove(source)}>
          Remove…
        </Button>
      </div>
    </div>
  )
}

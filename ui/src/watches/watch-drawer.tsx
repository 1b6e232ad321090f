import './watch-drawer.css'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../api/client.ts'
import type { Check, SourceDetail } from '../api/types.ts'
import { Button, ButtonLink, IconButton } from '../kit/button.tsx'
import { Switch } from '../kit/input.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { strings } from './strings.ts'
import type { WatchActions } from './use-watch-actions.ts'
import { NextCheck, nameOfWatch, StateMark, scopeText } from './watch-state.tsx'

const text = strings.drawer

type Props = { id: number; actions: WatchActions; onRemove: (source: SourceDetail) => void; onClose: () => void }

/** Beside the table, not over it: the table's shortcuts keep working, and the drawer follows the cursor. */
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
    <aside className="watch-drawer" aria-label={text.label}>
      <header className="watch-drawer-head">
        <h2 ref={heading} tabIndex={-1}>
          {source === undefined ? text.title : nameOfWatch(source)}
        </h2>
        <IconButton icon="close" label={text.close} shortcut="Esc" tip="end" onClick={onClose} />
      </header>
      {source !== undefined && !detail.isError && <Detail source={source} actions={actions} onRemove={onRemove} />}
      {detail.isPending && <LoadingState lines={5} />}
      {detail.isError && <ErrorState error={detail.error} onRetry={() => void detail.refetch()} advice={text.failed} />}
    </aside>
  )
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
        <Button variant="primary" icon="refresh" disabled={source.paused} onClick={() => actions.check(target)}>
          {strings.check}
        </Button>
        {source.document !== null && (
          <ButtonLink href={`/documents/${source.document}`} icon="cached">
            {strings.openDocument}
          </ButtonLink>
        )}
      </div>
      <div className="watch-drawer-switches">
        <Switch checked={source.paused} onChange={(on) => actions.mark(target, 'paused', on)}>
          {strings.pause}
          <span className="watch-drawer-hint">{text.pauseHint}</span>
        </Switch>
        <Switch checked={source.muted} onChange={(on) => actions.mark(target, 'muted', on)}>
          {strings.mute}
          <span className="watch-drawer-hint">{text.muteHint}</span>
        </Switch>
      </div>
      <dl className="watch-drawer-facts">
        <div>
          <dt>{strings.table.lastCheck}</dt>
          <dd>
            <RelativeTime at={source.lastCheckedAt} fallback={strings.notYet} />
          </dd>
        </div>
        <div>
          <dt>{strings.table.lastChange}</dt>
          <dd>
            <RelativeTime at={source.lastChangedAt} fallback={strings.neverChanged} />
          </dd>
        </div>
        <div>
          <dt>{strings.table.nextCheck}</dt>
          <dd>
            <NextCheck at={source.nextCheckAt} />
            {source.why !== '' && <span className="soft"> — {source.why}</span>}
          </dd>
        </div>
        <div>
          <dt>{text.covers}</dt>
          <dd>{scopeText(source)}</dd>
        </div>
        <div>
          <dt>{text.notifies}</dt>
          <dd>{text.processes[source.process]}</dd>
        </div>
        <div>
          <dt>{text.profile}</dt>
          <dd>{source.profile.name}</dd>
        </div>
      </dl>
      <CheckLog checks={source.checks} />
      <div className="kit-row">
        <ButtonLink small href={`/profiles/${profile}`} icon="edit">
          {strings.editProfile}
        </ButtonLink>
        <ButtonLink small href={`/inbox?state=all&profile=${profile}`} icon="inbox">
          {text.inbox(source.unread)}
        </ButtonLink>
        <Button small variant="danger" icon="trash" onClick={() => onRemove(source)}>
          {strings.remove}
        </Button>
      </div>
    </div>
  )
}

function outcomeText({ outcome, changed }: Check): string {
  const word = outcome.replaceAll('-', ' ')
  if (changed === 0) return word
  return strings.checks.versions(word, changed)
}

function CheckLog({ checks }: { checks: readonly Check[] }) {
  return (
    <section className="check-log">
      <h3>{strings.checks.title}</h3>
      {checks.length === 0 ? (
        <p className="soft">{strings.checks.none}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{strings.checks.when}</th>
              <th scope="col">{strings.checks.outcome}</th>
              <th scope="col" className="check-log-number">
                {strings.checks.status}
              </th>
              <th scope="col" className="check-log-number">
                {strings.checks.took}
              </th>
            </tr>
          </thead>
          <tbody>
            {checks.map((check) => (
              <tr key={check.at}>
                <td>
                  <RelativeTime at={check.at} />
                </td>
                <td>{outcomeText(check)}</td>
                <td className="check-log-number">{check.status === 0 ? '—' : check.status}</td>
                <td className="check-log-number">{strings.checks.duration(check.tookMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

import './watch-drawer.css'
import { type ReactNode, useEffect, useRef } from 'react'
import { useGet } from '../api/queries.ts'
import type { Check, SourceDetail } from '../api/types.ts'
import { Button, ButtonLink, IconButton } from '../kit/button.tsx'
import { classNames } from '../kit/class-names.ts'
import { Switch } from '../kit/input.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { formatOften, formatSpan, strings as shared } from '../kit/strings.ts'
import { Table } from '../kit/table.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { strings } from './strings.ts'
import type { WatchActions } from './use-watch-actions.ts'
import { NextCheck, nameOfWatch, partHref, StateMark, scopeText } from './watch-state.tsx'

const text = strings.drawer

type Props = { id: number; actions: WatchActions; onRemove: (source: SourceDetail) => void; onClose: () => void }

/** Beside the table, not over it: the table's shortcuts keep working, and the drawer follows the cursor. */
export function WatchDrawer({ id, actions, onRemove, onClose }: Props) {
  const detail = useGet<SourceDetail>(['sources', 'detail', id], `/sources/${id}`, {}, { keepsPrevious: true })
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const source = detail.data
  return (
    <aside className="watch-drawer" aria-label={text.label}>
      <header className="watch-drawer-head">
        <h2 ref={heading} tabIndex={-1}>
          {source === undefined ? text.title : nameOfWatch(source)}
        </h2>
        <IconButton icon="close" label={shared.close} shortcut="Esc" tip="end" onClick={onClose} />
      </header>
      {source !== undefined && !detail.isError && <Detail source={source} actions={actions} onRemove={onRemove} />}
      {detail.isPending && <LoadingState lines={5} />}
      {detail.isError && <ErrorState query={detail} advice={text.failed} />}
    </aside>
  )
}

function Detail({ source, actions, onRemove }: { source: SourceDetail } & Pick<Props, 'actions' | 'onRemove'>) {
  const target = { kind: 'ids' as const, ids: [source.id] }
  const profile = encodeURIComponent(source.profile.id)
  return (
    <div className="kit-form watch-drawer-body">
      <p className="small break">
        <a href={source.uri} target="_blank" rel="noreferrer noopener">
          {source.uri}
        </a>
      </p>
      <div className={classNames('kit-notice watch-drawer-message', source.failing && 'tone-danger')}>
        <p className="kit-row">
          <StateMark state={source.state} />
          <RelativeTime at={source.since} fallback="" className="faint" />
        </p>
        {source.message !== '' && <p>{source.message}</p>}
      </div>
      <div className="kit-row">
        <Button
          label={strings.check}
          variant="primary"
          icon="refresh"
          disabled={source.paused}
          onClick={() => actions.check(target)}
        />
        {source.document !== null && (
          <>
            <ButtonLink label={strings.openDocument} href={`/documents/${source.document}`} icon="cached" />
            <ButtonLink label={strings.onlyPart} href={partHref(source, source.document)} icon="filter" />
          </>
        )}
      </div>
      <div className="kit-stack">
        <Switch
          label={strings.pause}
          hint={text.pauseHint}
          checked={source.paused}
          onChange={(on) => actions.mark(target, 'paused', on)}
        />
        <Switch
          label={strings.mute}
          hint={text.muteHint}
          checked={source.muted}
          onChange={(on) => actions.mark(target, 'muted', on)}
        />
      </div>
      <dl className="kit-facts watch-drawer-facts">
        {factsOf(source).map(([name, fact]) => (
          <div key={name}>
            <dt className="faint">{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
      <CheckLog checks={source.checks} hasChanged={source.lastChangedAt !== null} />
      <div className="kit-row">
        <ButtonLink label={strings.editProfile} small href={`/profiles/${profile}`} icon="edit" />
        <ButtonLink label={text.inbox(source.unread)} small href={`/inbox?state=all&profile=${profile}`} icon="inbox" />
        <Button label={strings.remove} small variant="danger" icon="trash" onClick={() => onRemove(source)} />
      </div>
    </div>
  )
}

function factsOf(source: SourceDetail): [name: string, fact: ReactNode][] {
  const { lastCheck, lastChange, nextCheck } = strings.table
  const why = source.why === '' ? '' : ` — ${source.why}`
  return [
    [lastCheck, <RelativeTime key="check" at={source.lastCheckedAt} fallback={strings.notYet} />],
    [lastChange, <RelativeTime key="change" at={source.lastChangedAt} fallback={strings.neverChanged} />],
    [
      nextCheck,
      <>
        <NextCheck at={source.nextCheckAt} />
        <span className="soft">{why}</span>
      </>,
    ],
    // Before the first change, the rate is only assumed.
    ...(source.changesPerDay === null || source.lastChangedAt === null
      ? []
      : [[text.changes, formatOften(source.changesPerDay)] as [string, ReactNode]]),
    ...(source.expectedDelayMs === null
      ? []
      : [[text.delay, text.delayOf(formatSpan(source.expectedDelayMs))] as [string, ReactNode]]),
    [text.covers, scopeText(source)],
    [text.notifies, text.processes[source.process]],
    [text.profile, source.profile.name],
  ]
}

function outcomeText({ outcome, changed }: Check, hasChanged: boolean): string {
  const { outcomes } = strings.checks
  const word = Object.hasOwn(outcomes, outcome) ? outcomes[outcome]! : outcome.replaceAll('-', ' ')
  if (changed === 0) return word
  if (outcome === 'changed' && !hasChanged) return strings.checks.baseline
  return strings.checks.versions(word, changed)
}

function CheckLog({ checks, hasChanged }: { checks: readonly Check[]; hasChanged: boolean }) {
  const text = strings.checks
  return (
    <section className="kit-stack small">
      <h3>{text.title}</h3>
      {checks.length === 0 ? (
        <p className="soft">{text.none}</p>
      ) : (
        <Table
          label={text.title}
          rows={checks}
          rowKey={({ at }) => at}
          columns={[
            { key: 'when', head: text.when, cell: ({ at }) => <RelativeTime at={at} /> },
            { key: 'outcome', head: text.outcome, cell: (check) => outcomeText(check, hasChanged) },
            { key: 'status', head: text.status, numbers: true, cell: ({ status }) => (status === 0 ? '—' : status) },
            { key: 'took', head: text.took, numbers: true, cell: ({ tookMs }) => text.duration(tookMs) },
          ]}
        />
      )}
    </section>
  )
}

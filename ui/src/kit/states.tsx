import './states.css'
import type { ReactNode } from 'react'
import { messageOf } from '../api/client.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { strings } from './strings.ts'

type EmptyProps = { icon?: IconName; title: string; advice: string; actions?: ReactNode }

/** `advice` says what to do next. */
export function EmptyState({ icon = 'inbox', title, advice, actions }: EmptyProps) {
  return (
    <div className="kit-state">
      <span className="kit-state-icon">
        <Icon name={icon} size={32} />
      </span>
      <h2>{title}</h2>
      <p className="soft">{advice}</p>
      {actions !== undefined && <div className="kit-row kit-state-actions">{actions}</div>}
    </div>
  )
}

type ErrorProps = {
  title?: string
  query: { error: unknown; refetch?: () => unknown }
  advice?: ReactNode
}

export function ErrorState({ title = strings.loadFailed, query: { error, refetch }, advice }: ErrorProps) {
  return (
    <div className="kit-state" role="alert">
      <span className="kit-state-icon tone-danger">
        <Icon name="warning" size={32} />
      </span>
      <h2>{title}</h2>
      <p className="soft">{messageOf(error)}</p>
      {advice !== undefined && <p className="soft">{advice}</p>}
      {refetch !== undefined && (
        <div className="kit-row kit-state-actions">
          <Button label={strings.tryAgain} icon="refresh" onClick={() => void refetch()} />
        </div>
      )}
    </div>
  )
}

type MoreFailedProps = {
  query: { error: unknown; isFetchNextPageError: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** Below a list whose next page couldn't be loaded; the pages before it stay. */
export function MoreFailed({ query }: MoreFailedProps) {
  const { error, isFetchNextPageError, isFetchingNextPage, fetchNextPage } = query
  if (!isFetchNextPageError) return null
  return (
    <div className="kit-more-failed" role="alert">
      <p className="kit-row">
        <Icon name="warning" size={16} /> {strings.loadMoreFailed}
      </p>
      <p className="soft small">{messageOf(error)}</p>
      <Button
        label={strings.tryAgain}
        icon="refresh"
        small
        disabled={isFetchingNextPage}
        onClick={() => void fetchNextPage()}
      />
    </div>
  )
}

type SkeletonProps = { lines?: number; label?: string }

/** Grey lines that appear only after 200 ms, so that a quick load shows nothing. */
export function Skeleton({ lines = 6, label = strings.loading }: SkeletonProps) {
  const widths = ['72%', '94%', '58%', '83%', '66%']
  return (
    <div className="kit-skeleton" aria-busy="true">
      <span className="visually-hidden">{strings.inProgress(label)}</span>
      {Array.from({ length: lines }, (_, line) => `line-${line}`).map((line, at) => (
        <span key={line} className="kit-skeleton-line" style={{ width: widths[at % widths.length] }} />
      ))}
    </div>
  )
}

export function LoadingState({ label = strings.loading, lines = 8 }: SkeletonProps) {
  return (
    <div className="kit-loading" role="status">
      <Skeleton lines={lines} label={label} />
    </div>
  )
}

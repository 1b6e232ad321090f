import './activity.css'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { api } from '../api/client.ts'
import { useChange, useGet } from '../api/queries.ts'
import type { Crawl } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { Page } from '../kit/page.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { formatCount, formatSize } from '../kit/strings.ts'
import { Table } from '../kit/table.tsx'
import { showError, showToast } from '../kit/toast.tsx'
import { useLive } from '../live/use-live.ts'
import { useMe } from '../session/session.ts'
import { RelativeTime } from '../time/relative-time.tsx'
import { Charts } from './charts.tsx'
import { Crawls, isOpen } from './crawls.tsx'
import { Explain } from './explain.tsx'
import { Freshness } from './freshness.tsx'
import { Hosts } from './hosts.tsx'
import { Nodes } from './nodes.tsx'
import { formatShare, strings } from './strings.ts'

const CrawlGraph = lazy(() => import('./graph.tsx'))

/** Ten minutes or more: a point arrives every second or two. */
const MAX_POINTS = 600
const REFRESH_MS = 15_000
/** Refresh interval while a crawl is waiting or running. */
const CRAWLING_MS = 2_000

/** Crawl stats, extended by live events and refreshed regularly. */
function useCrawl() {
  const client = useQueryClient()
  useLive('crawl', (stats) => {
    client.setQueryData<Crawl>(['crawl'], (old) => {
      if (old === undefined || (old.series.at(-1)?.at ?? '') >= stats.at) return old
      return { ...old, now: stats, series: [...old.series, stats].slice(-MAX_POINTS) }
    })
  })
  const crawl = useGet<Crawl>(['crawl'], '/crawl')
  const everyMs = crawl.data?.crawls.some(isOpen) === true ? CRAWLING_MS : REFRESH_MS
  // Not with `refetchInterval`: every live event would restart it.
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void client.invalidateQueries({ queryKey: ['crawl'], exact: true })
    }, everyMs)
    return () => clearInterval(timer)
  }, [client, everyMs])
  return crawl
}

/** Pauses or resumes the crawl. */
function usePause() {
  const patch = (paused: boolean) => api.patch<{ isPaused: boolean }>('/crawl', { paused })
  return useChange(['crawl', 'nodes'], patch, {
    onSuccess: ({ isPaused }) => showToast(isPaused ? strings.pause.paused : strings.pause.resumed),
    onError: showError,
  })
}

export default function ActivityView() {
  const { role } = useMe()
  return (
    <Page title={strings.title} lead={strings.lead}>
      <section className="activity-section" aria-label={strings.explain.title}>
        <Explain />
      </section>
      {role === 'administrator' ? <Administration /> : <p className="soft">{strings.adminsOnly}</p>}
    </Page>
  )
}

function Administration() {
  const crawl = useCrawl()
  const [showsGraph, setShowsGraph] = useState(false)
  if (crawl.error !== null && crawl.data === undefined) return <ErrorState query={crawl} />
  if (crawl.data === undefined) return <LoadingState label={strings.loading} />
  return (
    <>
      <PausedBanner crawl={crawl.data} />
      <SetAside setAside={crawl.data.setAside} />
      <FailingChannels channels={crawl.data.channels} />
      <Charts series={crawl.data.series} />
      <Totals crawl={crawl.data} />
      <Crawls crawls={crawl.data.crawls} />
      <section className="activity-section" aria-labelledby="activity-nodes">
        <div className="kit-spread activity-head">
          <h2 id="activity-nodes">{strings.nodes.title}</h2>
          <PauseButton isPaused={crawl.data.isPaused} />
        </div>
        <Nodes />
      </section>
      <section className="activity-section">
        <h2>{strings.levels.title}</h2>
        <Levels levels={crawl.data.levels} />
      </section>
      {crawl.data.freshness !== null && (
        <section className="activity-section" aria-labelledby="activity-freshness">
          <h2 id="activity-freshness">{strings.freshness.title}</h2>
          <Freshness freshness={crawl.data.freshness} />
        </section>
      )}
      <section className="activity-section" aria-labelledby="activity-collection">
        <h2 id="activity-collection">{strings.collection.title}</h2>
        <Collection last={crawl.data.lastCollection} />
      </section>
      <section className="activity-section">
        <h2>{strings.hosts.title}</h2>
        <Hosts />
      </section>
      <section className="activity-section">
        <h2>{strings.graph.title}</h2>
        {showsGraph ? (
          <Suspense fallback={<LoadingState label={strings.graph.loading} />}>
            <CrawlGraph />
          </Suspense>
        ) : (
          <Button label={strings.graph.show} icon="activity" onClick={() => setShowsGraph(true)} />
        )}
      </section>
    </>
  )
}

/** Shown on top while fetching is paused. */
function PausedBanner({ crawl: { paused, isPaused } }: { crawl: Crawl }) {
  const pause = usePause()
  if (paused === null) return null
  return (
    <div className="kit-spread kit-notice tone-warn activity-paused" role="alert">
      <span>{paused}</span>
      {isPaused && (
        <Button
          label={strings.pause.resume}
          icon="play"
          disabled={pause.isPending}
          onClick={() => pause.mutate(false)}
        />
      )}
    </div>
  )
}

/** Versions that the annotation engine gave up on, and why. */
function SetAside({ setAside: { count, latest } }: { setAside: Crawl['setAside'] }) {
  const text = strings.setAside
  const retry = useChange(['crawl'], () => api.post<{ retried: number }>('/crawl/set-aside/retry', {}), {
    onSuccess: ({ retried }) => showToast(text.retried(retried)),
    onError: showError,
  })
  if (count === 0) return null
  return (
    <section className="kit-notice tone-warn activity-paused" aria-label={text.title(count)}>
      <div className="kit-spread">
        <strong>{text.title(count)}</strong>
        <Button label={text.retry} icon="refresh" disabled={retry.isPending} onClick={() => retry.mutate(undefined)} />
      </div>
      <p>{text.about}</p>
      <ul className="break">
        {latest.map(({ url, reason, at }) => (
          <li key={`${at} ${url}`}>
            {url} <span className="soft">{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Failing channels of all users. Only their owners see which ones fail, and why. */
function FailingChannels({ channels: { failing, waiting } }: { channels: Crawl['channels'] }) {
  if (failing === 0) return null
  const text = strings.channels
  return (
    <section className="kit-notice tone-warn activity-paused" aria-label={text.failing(failing)}>
      <strong>{text.failing(failing)}</strong>
      <p>{text.about(waiting)}</p>
    </section>
  )
}

function PauseButton({ isPaused }: { isPaused: boolean }) {
  const pause = usePause()
  const [asks, setAsks] = useState(false)
  // While paused, the banner has the button to resume.
  if (isPaused) return null
  return (
    <>
      <Button label={strings.pause.pause} icon="pause" onClick={() => setAsks(true)} />
      {asks && (
        <ConfirmDialog
          title={strings.pause.title}
          confirm={strings.pause.pause}
          disabled={pause.isPending}
          onClose={() => setAsks(false)}
          onConfirm={() => pause.mutate(true, { onSettled: () => setAsks(false) })}
        >
          <p>{strings.pause.body}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function Totals({ crawl: { totals, disk, now } }: { crawl: Crawl }) {
  const text = strings.totals
  const facts: readonly (readonly [string, string])[] = [
    [text.sources, formatCount(totals.sources)],
    [text.profiles, formatCount(totals.profiles)],
    [text.documents, formatCount(totals.documents)],
    [text.versions, formatCount(totals.versions)],
    [text.annotations, formatCount(totals.annotations)],
    [text.fetched, formatCount(totals.fetched)],
    [text.inFlight, formatCount(now.inFlight)],
    [text.archive, formatSize(disk.archiveBytes)],
    [text.databases, formatSize(disk.databaseBytes)],
    [text.free, disk.freeBytes === null ? text.unknown : formatSize(disk.freeBytes)],
  ]
  return (
    <dl className="activity-totals kit-card">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="soft small">{name}</dt>
          <dd className="numbers">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The last time that retention removed old versions. */
function Collection({ last }: { last: Crawl['lastCollection'] }) {
  const text = strings.collection
  return (
    <>
      <p className="soft small">{text.about}</p>
      {last === null ? (
        <p>{text.never}</p>
      ) : (
        <dl className="activity-totals kit-card">
          <div>
            <dt className="soft small">{text.last}</dt>
            <dd>
              <RelativeTime at={last.startedAt} />
            </dd>
          </div>
          <div>
            <dt className="soft small">{text.duration}</dt>
            <dd className="numbers">{last.state === 'running' ? text.running : text.seconds(last.seconds)}</dd>
          </div>
          <div>
            <dt className="soft small">{text.result}</dt>
            <dd>{resultOf(last)}</dd>
          </div>
        </dl>
      )}
    </>
  )
}

function resultOf({ state, versions, bytes, error }: NonNullable<Crawl['lastCollection']>): string {
  const text = strings.collection
  if (state === 'failed') return text.failed(error ?? '')
  if (state === 'interrupted') return text.interrupted
  return state === 'running' ? text.running : text.removed(versions, bytes)
}

/** How well each service level meets its deadlines. */
function Levels({ levels }: { levels: Crawl['levels'] }) {
  const text = strings.levels
  return (
    <Table
      label={text.table}
      rows={levels}
      rowKey={({ level }) => level}
      columns={[
        { key: 'level', head: text.level, cell: ({ level }) => text.names[level] },
        { key: 'share', head: text.onTime, numbers: true, cell: ({ met, missed }) => formatShare(met, met + missed) },
        { key: 'checks', head: text.checks, numbers: true, cell: ({ met, missed }) => formatCount(met + missed) },
        { key: 'queued', head: text.waiting, numbers: true, cell: ({ queued }) => formatCount(queued) },
        { key: 'overdue', head: text.overdue, numbers: true, cell: ({ overdue }) => formatCount(overdue) },
      ]}
    />
  )
}

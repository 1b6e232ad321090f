import { useState } from 'react'
import { api, messageOf } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { CrawlJob, CrawlRequest } from '../api/types.ts'
import { Badge, type BadgeTone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Input, TextArea } from '../kit/input.tsx'
import { formatCount } from '../kit/strings.ts'
import { showError, showToast } from '../kit/toast.tsx'
import { strings } from './strings.ts'

const text = strings.crawls

const tones: Record<CrawlJob['state'], BadgeTone> = {
  waiting: 'plain',
  running: 'accent',
  finished: 'good',
  limit: 'good',
  stopped: 'plain',
  refused: 'danger',
}

/** Finished crawls shown at first; a button shows the rest. */
const SHOWN = 3

export const isOpen = ({ state }: Pick<CrawlJob, 'state'>): boolean => state === 'waiting' || state === 'running'

/** Crawls started by administrators, with their results. */
export function Crawls({ crawls }: { crawls: readonly CrawlJob[] }) {
  const [starts, setStarts] = useState(false)
  const [showsAll, setShowsAll] = useState(false)
  const open = crawls.filter(isOpen)
  const shown = showsAll ? crawls : [...open, ...crawls.filter((crawl) => !isOpen(crawl)).slice(0, SHOWN)]
  return (
    <section className="activity-section" aria-labelledby="activity-crawls">
      <div className="kit-spread activity-head">
        <h2 id="activity-crawls">{text.title}</h2>
        <Button label={text.start} icon="plus" onClick={() => setStarts(true)} />
      </div>
      {crawls.length === 0 ? (
        <p className="soft activity-crawls">{text.empty}</p>
      ) : (
        <ul className="activity-crawls">
          {shown.map((crawl) => (
            <CrawlItem key={crawl.id} crawl={crawl} />
          ))}
        </ul>
      )}
      {shown.length < crawls.length && <Button label={text.more} variant="quiet" onClick={() => setShowsAll(true)} />}
      {starts && <StartDialog onClose={() => setStarts(false)} />}
    </section>
  )
}

function CrawlItem({ crawl }: { crawl: CrawlJob }) {
  const { id, state, reason, stopping, seeds, moreSeeds, fetched, maxPages } = crawl
  const stop = useChange(['crawl'], () => api.delete<CrawlJob>(`/crawl/${id}`), { onError: showError })
  const counts = countsOf(crawl)
  return (
    <li className="kit-card">
      <div className="kit-spread activity-crawl-head">
        <p className="break">
          <Badge tone={tones[state]}>{stopping ? text.stopping : text.states[state]}</Badge> <strong>{seeds[0]}</strong>
          {seeds.length + moreSeeds > 1 && (
            <span className="soft"> {text.moreSeeds(seeds.length + moreSeeds - 1)}</span>
          )}
        </p>
        {isOpen(crawl) && !stopping && (
          <Button small label={text.stop} icon="close" disabled={stop.isPending} onClick={() => stop.mutate()} />
        )}
      </div>
      <p className="soft small break">{scopeOf(crawl)}</p>
      {reason !== '' && <p className="break activity-crawl-reason">{reason}</p>}
      {state === 'running' && maxPages !== null && (
        <progress aria-label={text.progress} max={maxPages} value={Math.min(fetched, maxPages)} />
      )}
      {state !== 'waiting' && state !== 'refused' && (
        <dl className="activity-crawl-counts">
          {counts.map(([name, count]) => (
            <div key={name}>
              <dt className="soft small">{name}</dt>
              <dd className="numbers">{formatCount(count)}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}

function countsOf({ fetched, stored, unchanged, duplicates, failed, queued, skipped }: CrawlJob): [string, number][] {
  const passed = Object.values(skipped).reduce((sum, count) => sum + count, 0)
  const always: [string, number][] = [
    [text.counts.fetched, fetched],
    [text.counts.stored, stored],
    [text.counts.queued, queued],
  ]
  const others: [string, number][] = [
    [text.counts.unchanged, unchanged],
    [text.counts.duplicates, duplicates],
    [text.counts.failed, failed],
    [text.counts.skipped, passed],
  ]
  return [...always, ...others.filter(([, count]) => count > 0)]
}

function scopeOf({ depth, restrict, maxPages, askedBy }: CrawlJob): string {
  return [
    text.by(askedBy),
    restrict === null ? text.hosts : text.restricted(restrict),
    ...(depth === null ? [] : [text.deep(depth)]),
    ...(maxPages === null ? [] : [text.upTo(maxPages)]),
  ].join(' · ')
}

function StartDialog({ onClose }: { onClose: () => void }) {
  const [seeds, setSeeds] = useState('')
  const [depth, setDepth] = useState('')
  const [restrict, setRestrict] = useState('')
  const [maxPages, setMaxPages] = useState('')
  const start = useChange(['crawl'], (request: CrawlRequest) => api.post<CrawlJob>('/crawl', request), {
    onSuccess() {
      showToast(text.started)
      onClose()
    },
  })
  const wholeNumber = (value: string): number | null => (value.trim() === '' ? null : Number(value))
  return (
    <ConfirmDialog
      title={text.start}
      confirm={text.submit}
      variant="primary"
      disabled={start.isPending || seeds.trim() === ''}
      error={start.error !== null && messageOf(start.error)}
      onClose={onClose}
      onConfirm={() =>
        start.mutate({
          seeds: seeds.split(/\s+/).filter((seed) => seed !== ''),
          depth: wholeNumber(depth),
          restrict: restrict.trim() === '' ? null : restrict.trim(),
          maxPages: wholeNumber(maxPages),
        })
      }
    >
      <Field label={text.seeds} hint={text.seedsHint}>
        <TextArea rows={3} required spellCheck={false} placeholder={text.example} value={seeds} onChange={setSeeds} />
      </Field>
      <div className="activity-crawl-limits">
        <Field label={text.depth} hint={text.depthHint}>
          <Input type="number" min={0} inputMode="numeric" value={depth} onChange={setDepth} />
        </Field>
        <Field label={text.maxPages} hint={text.maxPagesHint}>
          <Input type="number" min={1} inputMode="numeric" value={maxPages} onChange={setMaxPages} />
        </Field>
      </div>
      <Field label={text.restrict} hint={text.restrictHint}>
        <Input
          autoComplete="off"
          spellCheck={false}
          placeholder={text.restrictExample}
          value={restrict}
          onChange={setRestrict}
        />
      </Field>
      <p className="soft small">{text.note}</p>
    </ConfirmDialog>
  )
}

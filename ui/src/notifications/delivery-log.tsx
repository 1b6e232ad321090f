import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { useChange, usePages } from '../api/queries.ts'
import type { Channel, Delivery, DeliveryList } from '../api/types.ts'
import { Badge, type BadgeTone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Select } from '../kit/input.tsx'
import { Segments } from '../kit/segments.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { strings as shared } from '../kit/strings.ts'
import { showError, showToast } from '../kit/toast.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { useQueryState } from '../url/query-state.ts'
import { ChannelIcon } from './channel-icon.tsx'
import { strings } from './strings.ts'

const text = strings.log
const states = ['all', 'waiting', 'sent', 'failed'] as const
type LogState = (typeof states)[number]
const tones: Record<Delivery['state'], BadgeTone> = { waiting: 'warn', sent: 'good', failed: 'danger' }

export function DeliveryLog({ channels }: { channels: readonly Channel[] }) {
  const [chosen, setState] = useQueryState('state', 'all')
  const [channel, setChannel] = useQueryState('channel')
  const state = states.find((each) => each === chosen) ?? 'all'
  const log = useLog(state, channel)
  return (
    <section className="kit-card kit-form">
      <div>
        <h2>{text.title}</h2>
        <p className="soft">{text.lead}</p>
      </div>
      <div className="kit-spread">
        <Segments<LogState>
          label={text.show}
          value={state}
          segments={states.map((value) => ({ value, label: text.states[value] }))}
          onChange={(value) => setState(value, { replace: true })}
        />
        {channels.length > 1 && (
          <Select
            className="settings-choice"
            aria-label={text.channel}
            value={channel}
            options={[
              { value: '', label: text.anyChannel },
              ...channels.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(value) => setChannel(value, { replace: true })}
          />
        )}
      </div>
      {log.isPending ? (
        <LoadingState label={text.loading} lines={4} />
      ) : log.isError ? (
        <ErrorState query={log} />
      ) : (
        <Entries
          entries={log.data.pages.flatMap(({ items }) => items)}
          channels={channels}
          advice={state === 'failed' ? text.emptyFailed : text.emptyAdvice}
        />
      )}
      {log.hasNextPage && (
        <div>
          <Button label={shared.loadMore} disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()} />
        </div>
      )}
    </section>
  )
}

/** Refetch intervals, with and without waiting messages: those leave by themselves, and new ones arrive. */
const SOON_MS = 5000
const USUAL_MS = 10_000

function useLog(state: LogState, channel: string) {
  return usePages<DeliveryList>(
    ['deliveries', state, channel],
    '/deliveries',
    { state: state === 'all' ? null : state, channel },
    {
      keepsPrevious: true,
      refetchAfter: ([first]) => (first?.items.some((entry) => entry.state === 'waiting') ? SOON_MS : USUAL_MS),
    },
  )
}

type EntriesProps = { entries: readonly Delivery[]; channels: readonly Channel[]; advice: string }

function Entries({ entries, channels, advice }: EntriesProps) {
  const byId = new Map(channels.map((channel) => [channel.id, channel]))
  const client = useQueryClient()
  const again = useChange(
    ['channels'],
    ({ id }: Delivery) => api.post(`/deliveries/${encodeURIComponent(id)}/resend`),
    {
      onSuccess: (_, entry) => {
        const channel = byId.get(entry.channel)
        showToast(channel?.state === 'off' ? text.sendsWhenOn(channel.name) : text.sendingAgain)
        // Stay pending until the refetched list no longer offers the button, so that it can't be clicked twice.
        return client.invalidateQueries({ queryKey: ['deliveries'] })
      },
      onError: showError,
    },
  )
  if (entries.length === 0) return <EmptyState icon="clock" title={text.empty} advice={advice} />
  return (
    <ul className="settings-list channels-log">
      {entries.map((entry) => {
        const channel = byId.get(entry.channel)
        return (
          <li key={entry.id} className="channels-row">
            <span className="channels-icon">
              <ChannelIcon kind={channel?.kind ?? ''} />
            </span>
            <div className="channels-what">
              <p className="kit-row channels-name">
                <Subject entry={entry} />
                <Badge tone={tones[entry.state]}>{text.states[entry.state]}</Badge>
              </p>
              {entry.answer !== '' && <p className="mono break">{entry.answer}</p>}
              <p className="faint small break">
                {channel?.name ?? text.removedChannel} · {text.kinds[entry.kind]}
                {entry.attempts > 1 && ` · ${text.attempts(entry.attempts)}`} ·{' '}
                <RelativeTime at={entry.at ?? entry.createdAt} />
              </p>
            </div>
            {entry.state === 'failed' && entry.kind !== 'test' && (
              <Button
                label={text.sendAgain}
                aria-label={text.sendAgainOf(entry.subject)}
                small
                disabled={again.isPending}
                onClick={() => again.mutate(entry)}
              />
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Links to the inbox item if the message was about a single one. */
function Subject({ entry: { subject, annotations } }: { entry: Delivery }) {
  const [only] = annotations
  if (only === undefined || annotations.length > 1) return <span className="break">{subject}</span>
  return (
    <Link href={`/inbox?state=all&id=${only}`} className="break plain-link channels-subject">
      {subject}
    </Link>
  )
}

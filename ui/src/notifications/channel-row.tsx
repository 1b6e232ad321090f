import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { Channel, ChannelKind, TestResult } from '../api/types.ts'
import { Badge, type BadgeTone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Menu, type MenuItem } from '../kit/menu.tsx'
import { sentenceOf } from '../kit/strings.ts'
import { showError } from '../kit/toast.tsx'
import { RelativeTime, useNow } from '../time/relative-time.tsx'
import { nearTime } from '../time/zone.ts'
import { ChannelIcon } from './channel-icon.tsx'
import { FeedAddresses } from './feed-addresses.tsx'
import { strings } from './strings.ts'
import { useProfiles, useTurn, useUsers } from './use-channels.ts'

export type ChannelAction = 'edit' | 'remove' | 'preview' | 'turn-off'
type Props = { channel: Channel; kind: ChannelKind | undefined; onAsk: (action: ChannelAction) => void }

const text = strings.channels
const MAX_NAMED = 4
const pathOf = ({ id }: Channel, rest = '') => `/channels/${encodeURIComponent(id)}${rest}`

export function ChannelRow({ channel, kind, onAsk }: Props) {
  const isPull = kind?.isPull === true
  const test = useChange(['channels', 'deliveries'], () => api.post<TestResult>(pathOf(channel, '/test')), {
    onError: showError,
  })
  const turn = useTurn(channel, undefined, showError)
  const items: MenuItem[] = [
    { label: text.edit, icon: 'edit', run: () => onAsk('edit') },
    ...(isPull ? [] : [{ label: text.preview, icon: 'clock', run: () => onAsk('preview') } as const]),
    channel.state === 'off'
      ? { label: text.turnOn, icon: 'play', run: () => turn.mutate('active') }
      : {
          label: channel.waiting > 0 ? text.turnOffAsking : text.turnOff,
          icon: 'pause',
          run: () => (channel.waiting > 0 ? onAsk('turn-off') : turn.mutate('off')),
        },
    { label: text.remove, icon: 'trash', danger: true, run: () => onAsk('remove') },
  ]
  return (
    <li className="channels-row">
      <span className="channels-icon">
        <ChannelIcon kind={channel.kind} />
      </span>
      <div className="channels-what">
        <p className="kit-row channels-name">
          <strong className="break">{channel.name}</strong>
          {kind?.label !== channel.name && <span className="faint small">{kind?.label ?? text.unknownKind}</span>}
          <StateBadge channel={channel} isPull={isPull} />
        </p>
        <Trouble channel={channel} onRetry={turn.isPending ? null : () => turn.mutate('active')} />
        {isPull ? <FeedOf channel={channel} /> : <Facts channel={channel} onPreview={() => onAsk('preview')} />}
      </div>
      <div className="kit-row channels-actions">
        {!isPull && (
          <Button
            label={test.isPending ? text.testing : text.test}
            small
            aria-label={text.testOf(channel.name)}
            disabled={test.isPending}
            onClick={() => test.mutate()}
          />
        )}
        <Menu label={text.actionsFor(channel.name)} items={items} />
      </div>
      <div className="channels-more" role="status">
        {test.data !== undefined && !test.isPending && <TestAnswer result={test.data} />}
      </div>
      {channel.feedUrls !== undefined && <FeedAddresses channel={channel} urls={channel.feedUrls} />}
    </li>
  )
}

function StateBadge({ channel: { state, failures, sentAt }, isPull }: { channel: Channel; isPull: boolean }) {
  const [label, tone]: [string, BadgeTone] =
    state === 'off'
      ? [text.off, 'plain']
      : state === 'failing'
        ? [text.failing, 'danger']
        : failures > 0
          ? [text.retrying, 'warn']
          : [sentAt === null && !isPull ? text.ready : text.working, 'good']
  return <Badge tone={tone}>{label}</Badge>
}

/** Why delivery fails, and when it is retried. */
function Trouble({ channel, onRetry }: { channel: Channel; onRetry: (() => void) | null }) {
  const now = useNow()
  const { state, reason, failures, retryAt } = channel
  if (state === 'off' || (state === 'active' && failures === 0)) {
    // Turned off by the server, for example because the browser unsubscribed.
    return state === 'off' && reason !== '' ? <p className="small break">{sentenceOf(reason)}</p> : null
  }
  return (
    <div className="kit-stack small channels-trouble">
      <p className="break">
        {text.failed(reason)} {retryAt !== null && text.nextTry(nearTime(retryAt, now))}
      </p>
      <div>
        <Button label={text.tryNow} small icon="refresh" disabled={onRetry === null} onClick={() => onRetry?.()} />
      </div>
    </div>
  )
}

/** What a feed contains: the whole inbox or one profile. */
function FeedOf({ channel: { settings } }: { channel: Channel }) {
  const { profile = '' } = settings
  const name = useProfiles()?.find(({ id }) => id === profile)?.name
  return (
    <p className="faint small break">{profile === '' ? text.wholeInbox : text.ofProfile(name ?? String(profile))}</p>
  )
}

function Facts({ channel, onPreview }: { channel: Channel; onPreview: () => void }) {
  const { named, more } = useUsers(channel, MAX_NAMED)
  const now = useNow()
  const { sentAt, waiting, nextAt, profiles, state } = channel
  return (
    <p className="faint small break">
      {sentAt === null ? (
        text.neverSent
      ) : (
        <>
          {text.sent} <RelativeTime at={sentAt} />
        </>
      )}
      {' · '}
      {waiting > 0 && (
        <>
          <button type="button" className="channels-link" title={text.preview} onClick={onPreview}>
            {text.waiting(waiting)}
          </button>
          {nextAt !== null && state !== 'off' && ` (${text.next} ${nearTime(nextAt, now)})`}
          {' · '}
        </>
      )}
      {profiles.length === 0 && text.unused}
      {named.map(({ id, name }, at) => (
        <span key={id}>
          {at === 0 ? `${text.usedBy} ` : ', '}
          <Link href={`/profiles/${encodeURIComponent(id)}`}>{name}</Link>
        </span>
      ))}
      {more > 0 && (named.length === 0 ? text.usedByMany(more) : text.andMore(more))}
    </p>
  )
}

const tones = { delivered: 'good', later: 'warn', never: 'danger' } as const

/** The remote server's answer, verbatim. */
function TestAnswer({ result: { outcome, answer } }: { result: TestResult }) {
  return (
    <p className={`kit-notice tone-${tones[outcome]}`}>
      {text.tested[outcome]} <span className="mono break">{answer === '' ? text.noAnswer : answer}</span>
    </p>
  )
}

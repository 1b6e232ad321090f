import './notifications.css'
import { useEffect, useRef, useState } from 'react'
import type { Channel, ChannelKind } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { AddChannelDialog, EditChannelDialog, RemoveChannelDialog, TurnOffDialog } from './channel-dialogs.tsx'
import { type ChannelAction, ChannelRow } from './channel-row.tsx'
import { DefaultsForm } from './defaults-form.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { DigestDialog } from './digest-dialog.tsx'
import { strings } from './strings.ts'
import { useKinds, useWatchedChannels } from './use-channels.ts'

const text = strings.channels

export function NotificationsPart() {
  const channels = useWatchedChannels()
  const kinds = useKinds()
  if (channels.isError) return <ErrorState query={channels} />
  if (kinds.isError) return <ErrorState query={kinds} />
  if (channels.isPending || kinds.isPending) return <LoadingState label={text.loading} />
  return (
    <>
      <Channels channels={channels.data.items} kinds={kinds.data.items} />
      <DefaultsForm />
      <DeliveryLog channels={channels.data.items} />
    </>
  )
}

type Props = { channels: readonly Channel[]; kinds: readonly ChannelKind[] }
type Asked = { action: 'add' } | { action: ChannelAction; channel: Channel }

function Channels({ channels, kinds }: Props) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = () => setAsked(null)
  const title = useRef<HTMLHeadingElement>(null)
  const count = useRef(channels.length)
  // Removing a row loses the focus it had.
  useEffect(() => {
    if (channels.length < count.current && document.activeElement === document.body) title.current?.focus()
    count.current = channels.length
  }, [channels.length])
  const kindOf = (channel: Channel) => kinds.find(({ kind }) => kind === channel.kind)
  return (
    <section className="kit-card kit-form">
      <div className="kit-spread">
        <h2 ref={title} tabIndex={-1}>
          {text.title}
        </h2>
        <Button
          label={text.add}
          icon="plus"
          variant={channels.length === 0 ? 'primary' : 'plain'}
          onClick={() => setAsked({ action: 'add' })}
        />
      </div>
      <p className="soft">{text.lead}</p>
      {channels.length === 0 ? (
        <EmptyState icon="unread" title={text.empty} advice={text.emptyAdvice} />
      ) : (
        <ul className="settings-list">
          {channels.map((channel) => (
            <ChannelRow
              key={channel.id}
              channel={channel}
              kind={kindOf(channel)}
              onAsk={(action) => setAsked({ action, channel })}
            />
          ))}
        </ul>
      )}
      {asked?.action === 'add' && <AddChannelDialog kinds={kinds} onClose={close} />}
      {asked?.action === 'edit' && (
        <EditChannelDialog channel={asked.channel} kind={kindOf(asked.channel)} onClose={close} />
      )}
      {asked?.action === 'remove' && <RemoveChannelDialog channel={asked.channel} onClose={close} />}
      {asked?.action === 'turn-off' && <TurnOffDialog channel={asked.channel} onClose={close} />}
      {asked?.action === 'preview' && <DigestDialog channel={asked.channel} onClose={close} />}
    </section>
  )
}

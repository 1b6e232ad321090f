import { ButtonLink } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { useChannels } from '../notifications/use-channels.ts'
import { useNow } from '../time/relative-time.tsx'
import { nearTime } from '../time/zone.ts'
import { strings } from './strings.ts'

const text = strings.channels

/** Shown while a channel fails: its messages wait, so only the inbox can report the failure. */
export function ChannelBanner() {
  const { data } = useChannels()
  const now = useNow()
  const failing = data?.items.filter(({ state }) => state === 'failing') ?? []
  const [first] = failing
  return (
    <div role="status">
      {first !== undefined && (
        <div className="kit-row small inbox-banner">
          <Icon name="warning" size={18} />
          <p>
            {failing.length === 1
              ? text.failing(first.name, first.reason, first.retryAt === null ? null : nearTime(first.retryAt, now))
              : text.manyFailing(failing.map(({ name }) => name))}
          </p>
          <ButtonLink label={text.details} small href="/settings/notifications" />
        </div>
      )}
    </div>
  )
}

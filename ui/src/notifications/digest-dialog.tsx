import { Link } from 'wouter'
import { useGet } from '../api/queries.ts'
import type { Channel, NextMessage } from '../api/types.ts'
import { Dialog } from '../kit/dialog.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { useNow } from '../time/relative-time.tsx'
import { nearTime } from '../time/zone.ts'
import { strings } from './strings.ts'

const text = strings.digest
type Next = NonNullable<NextMessage['next']>

/** The next message of a channel and its time, if nothing else arrives until then. */
export function DigestDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const preview = useGet<NextMessage>(
    ['channels', 'next', channel.id],
    `/channels/${encodeURIComponent(channel.id)}/next`,
    {},
    { staleTime: 0 },
  )
  const next = preview.data?.next
  return (
    <Dialog title={text.title(channel.name)} wide={next !== null} onClose={onClose}>
      {preview.isError ? (
        <ErrorState query={preview} />
      ) : next === undefined ? (
        <LoadingState label={text.loading} lines={4} />
      ) : next === null ? (
        <EmptyState icon="clock" title={text.nothing} advice={text.nothingAdvice} />
      ) : (
        <Preview next={next} channel={channel} />
      )}
    </Dialog>
  )
}

function Preview({ next, channel }: { next: Next; channel: Channel }) {
  const now = useNow()
  const time = Date.parse(next.at) <= now ? text.now : text.at(nearTime(next.at, now))
  const profiles = [...new Set(next.items.map(({ profile }) => profile))]
  return (
    <div className="kit-form">
      <p className="soft">{whenText(channel, time)}</p>
      <div className="kit-stack channels-digest">
        <strong className="break">{next.subject}</strong>
        {profiles.map((profile) => (
          <section key={profile}>
            <h3 className="break">{profile}</h3>
            <ul className="settings-list">
              {next.items
                .filter((item) => item.profile === profile)
                .map(({ annotation, title, url, summary, alsoAt }) => (
                  <li key={annotation}>
                    <Link href={`/inbox?state=all&id=${annotation}`} className="break">
                      {title === '' ? url : title}
                    </Link>
                    <p className="break">{summary}</p>
                    {alsoAt.length > 0 && <p className="faint small">{text.alsoAt(alsoAt.length)}</p>}
                  </li>
                ))}
            </ul>
          </section>
        ))}
        {next.leftOut > 0 && <p className="faint small">{text.leftOut(next.leftOut)}</p>}
      </div>
      {next.later > 0 && <p className="soft">{text.later(next.later)}</p>}
      <details className="kit-details">
        <summary>{text.asText}</summary>
        <pre className="small channels-text">{next.text}</pre>
      </details>
    </div>
  )
}

function whenText({ state, failures }: Channel, time: string): string {
  if (state === 'off') return text.off
  // A message that was already attempted is sent unchanged, even if its items have been read.
  return failures > 0 ? text.retries(time) : text.leaves(time)
}

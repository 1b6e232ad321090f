import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { Annotation, Marks } from '../api/types.ts'
import { ButtonLink } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { IconButton } from '../kit/icon-button.tsx'
import { MarkedText } from '../kit/marked-text.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { cachedHref, diffHref, originalHref } from './document-links.ts'
import { KindBadge, titleOf, Urgency } from './item-badges.tsx'
import { WhySection } from './why-section.tsx'

type Props = {
  item: Annotation
  onMark: (marks: Marks) => void
  onClose: () => void
  onStep: (by: 1 | -1) => void
}

function PaneTools({ item, onMark, onClose, onStep }: Props) {
  const { read, starred, archived } = item
  return (
    <div className="pane-tools" role="toolbar" aria-label="This item">
      <IconButton icon="back" label="Back to the list" shortcut="Esc" tip="start" onClick={onClose} />
      <span className="pane-tools-gap" />
      <IconButton icon="up" label="Previous" shortcut="k" onClick={() => onStep(-1)} />
      <IconButton icon="down" label="Next" shortcut="j" onClick={() => onStep(1)} />
      <IconButton
        icon={read ? 'unread' : 'read'}
        label={read ? 'Mark as unread' : 'Mark as read'}
        shortcut="m"
        onClick={() => onMark({ read: !read })}
      />
      <IconButton
        icon="star"
        label={starred ? 'Take the star away' : 'Star'}
        shortcut="s"
        filled={starred}
        pressed={starred}
        onClick={() => onMark({ starred: !starred })}
      />
      <IconButton
        icon={archived ? 'unarchive' : 'archive'}
        label={archived ? 'Back to the inbox' : 'Archive'}
        shortcut="e"
        tip="end"
        onClick={() => onMark({ archived: !archived })}
      />
    </div>
  )
}

function PaneLinks({ item }: { item: Annotation }) {
  const original = originalHref(item.url)
  return (
    <div className="pane-links">
      {original !== null && (
        <ButtonLink href={original} external look="primary" icon="external" title="Original (v)">
          Original
        </ButtonLink>
      )}
      {(item.kind === 'changed' || item.kind === 'back') && (
        <ButtonLink href={diffHref(item)} icon="diff" title="What changed (d)">
          What changed
        </ButtonLink>
      )}
      <ButtonLink href={cachedHref(item)} icon="cached">
        Cached version
      </ButtonLink>
    </div>
  )
}

function AlsoAt({ urls }: { urls: readonly string[] }) {
  if (urls.length === 0) return null
  return (
    <section className="pane-part">
      <h3>Also at</h3>
      <ul className="pane-also">
        {urls.map((url) => {
          const href = originalHref(url)
          return (
            <li key={url}>
              {href === null ? (
                url
              ) : (
                <a href={href} target="_blank" rel="noreferrer noopener">
                  {url}
                </a>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

export function ReadingPane(props: Props) {
  const { item } = props
  const frame = useRef<HTMLElement>(null)
  const { id } = item
  // A new item is read from its beginning.
  useEffect(() => {
    if (id > 0) frame.current?.scrollTo({ top: 0 })
  }, [id])
  return (
    <article ref={frame} className="pane" aria-labelledby="pane-title">
      <PaneTools {...props} />
      <div className="pane-body">
        <header className="pane-head">
          <div className="kit-row">
            <KindBadge kind={item.kind} />
            <Urgency urgency={item.urgency} />
            {item.backlog && <span className="faint">from before the profile was there</span>}
          </div>
          <h2 id="pane-title" className="pane-title">
            {titleOf(item)}
          </h2>
          <p className="pane-meta">
            <span>{item.source}</span>
            <span aria-hidden="true">·</span>
            <RelativeTime at={item.at} />
            <span aria-hidden="true">·</span>
            <Link href={`/profiles/${encodeURIComponent(item.profile.id)}`}>{item.profile.name}</Link>
          </p>
          <p className="pane-address">
            <Icon name="globe" size={16} />
            <span>{item.url}</span>
          </p>
        </header>
        <p className="pane-summary">
          <MarkedText {...item.summary} />
        </p>
        <PaneLinks item={item} />
        <WhySection item={item} />
        <AlsoAt urls={item.alsoAt} />
      </div>
    </article>
  )
}

import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { isOffline } from '../api/client.ts'
import type { Annotation, Marks } from '../api/types.ts'
import { ChangeLine } from '../changes/change-line.tsx'
import { ChangeList } from '../changes/change-list.tsx'
import { ButtonLink, IconButton } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { AlsoAt } from './also-at.tsx'
import { diffHref, isMono, originalHref, savedHref } from './document-links.ts'
import { EarlierChanges } from './earlier-changes.tsx'
import { readExplanation } from './explanation.ts'
import { profilesOf, sourceOf } from './inbox-rows.ts'
import { KindBadge, titleOf, Urgency } from './item-badges.tsx'
import { strings } from './strings.ts'
import { useItem } from './use-inbox-list.ts'
import { WhySection } from './why-section.tsx'

const texts = strings.pane
const { actions } = strings

type Props = {
  item: Annotation
  onMark: (marks: Marks) => void
  onClose: () => void
  onStep: (by: 1 | -1) => void
}

function PaneTools({ item, onMark, onClose, onStep }: Props) {
  const { read, starred, archived } = item
  return (
    <div className="pane-tools" role="toolbar" aria-label={texts.label}>
      <IconButton icon="back" label={actions.back} shortcut="Esc" tip="start" onClick={onClose} />
      <span className="pane-tools-gap" />
      <IconButton icon="up" label={actions.previous} shortcut="k" onClick={() => onStep(-1)} />
      <IconButton icon="down" label={actions.next} shortcut="j" onClick={() => onStep(1)} />
      <IconButton
        icon={read ? 'unread' : 'read'}
        label={read ? actions.unread : actions.read}
        shortcut="m"
        onClick={() => onMark({ read: !read })}
      />
      <IconButton
        icon="star"
        label={starred ? actions.unstar : actions.star}
        shortcut="s"
        filled={starred}
        pressed={starred}
        onClick={() => onMark({ starred: !starred })}
      />
      <IconButton
        icon={archived ? 'unarchive' : 'archive'}
        label={archived ? actions.unarchive : actions.archive}
        shortcut="e"
        tip="end"
        onClick={() => onMark({ archived: !archived })}
      />
    </div>
  )
}

/** The change itself, or the summary if there is none: for new pages and for items from before changes were stored. */
function WhatChanged({ item }: { item: Annotation }) {
  // Items saved for offline use by an earlier version have no changes.
  const { summary, changes = [], moreChanges = 0 } = item
  const why = readExplanation(item.explanation)
  const terms = why.kind === 'interests' ? why.terms.map(({ key }) => key) : []
  if (changes.length === 0)
    return (
      <p className="break pane-summary">
        <ChangeLine {...summary} />
      </p>
    )
  return (
    <section className="pane-changes" aria-label={texts.diff}>
      <ChangeList changes={changes} more={moreChanges} isMono={() => isMono(item)} terms={terms} />
    </section>
  )
}

function PaneLinks({ item }: { item: Annotation }) {
  const original = originalHref(item.link ?? item.url)
  const isChange = item.kind === 'changed' || item.kind === 'back'
  return (
    <div className="kit-row">
      {isChange && (
        <ButtonLink
          label={texts.diff}
          href={diffHref(item)}
          variant="primary"
          icon="diff"
          title={texts.withKey(texts.diff, 'd')}
        />
      )}
      {original !== null && (
        <ButtonLink
          label={texts.original}
          href={original}
          external
          variant={isChange ? 'plain' : 'primary'}
          icon="external"
          title={texts.withKey(texts.original, 'v')}
        />
      )}
      <ButtonLink label={texts.saved} href={savedHref(item)} icon="cached" />
    </div>
  )
}

function Profiles({ item }: { item: Annotation }) {
  return profilesOf(item).map(({ id, name }) => (
    <Link key={id} href={`/profiles/${encodeURIComponent(id)}`}>
      {name}
    </Link>
  ))
}

function ReadingPane(props: Props) {
  const { item } = props
  const frame = useRef<HTMLElement>(null)
  const { id } = item
  // A new item starts at the top.
  useEffect(() => {
    if (id > 0) frame.current?.scrollTo({ top: 0 })
  }, [id])
  return (
    <article ref={frame} className="pane" aria-labelledby="pane-title">
      <PaneTools {...props} />
      <div className="kit-stack pane-body">
        <header className="kit-stack pane-head">
          <div className="kit-row">
            <KindBadge kind={item.kind} />
            <Urgency urgency={item.urgency} />
            {item.backlog && <span className="faint">{texts.backlog}</span>}
          </div>
          <h2 id="pane-title" className="break pane-title">
            {titleOf(item)}
          </h2>
          <p className="soft pane-meta">
            <span className="break">{sourceOf(item)}</span>
            <span aria-hidden="true">·</span>
            <RelativeTime at={item.at} />
            <span aria-hidden="true">·</span>
            <Profiles item={item} />
          </p>
          <p className="faint small break pane-address">
            <Icon name="globe" size={16} />
            <span>{item.url}</span>
          </p>
        </header>
        <WhatChanged item={item} />
        <PaneLinks item={item} />
        <EarlierChanges item={item} />
        <WhySection item={item} />
        <AlsoAt item={item} />
      </div>
    </article>
  )
}

type OpenProps = Omit<Props, 'item'> & { id: number | null }

export function OpenItem({ id, onMark, onClose, onStep }: OpenProps) {
  const item = useItem(id)
  if (id === null) {
    return (
      <div className="inbox-nothing-open">
        <Icon name="inbox" size={40} />
        <p>{texts.chooseItem}</p>
        <p className="inbox-key-hints">
          {texts.hints.map(([key, label]) => (
            <span key={key}>
              <kbd>{key}</kbd> {label}
            </span>
          ))}
        </p>
      </div>
    )
  }
  if (item.isError) {
    return (
      <div className="inbox-open">
        <ErrorState
          title={texts.loadFailed}
          query={item}
          advice={isOffline(item.error) ? undefined : texts.loadFailedWhy}
        />
      </div>
    )
  }
  return (
    <div className="inbox-open">
      {item.data === undefined ? (
        <LoadingState />
      ) : (
        <ReadingPane item={item.data} onMark={onMark} onClose={onClose} onStep={onStep} />
      )}
    </div>
  )
}

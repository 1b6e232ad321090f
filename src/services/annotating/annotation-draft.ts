import { pushChannels } from '../../core/profile.ts'
import type { AnnotationDraft } from '../../store/contracts/annotations.ts'
import type { Version } from '../../store/contracts/versions.ts'
import type { Description } from './change-summary.ts'
import type { Recipient } from './recipients.ts'
import type { VersionItem } from './version-items.ts'

/** An item of a version that concerns a recipient, and how. */
export type Found = Description & {
  recipient: Recipient
  item: Pick<VersionItem, 'entry' | 'kind' | 'title'>
  relevance: number
  /** About the source rather than the page: news on the first check too. */
  isNotice?: boolean
}

export type DraftPlace = { version: Version; cluster: number; backlog: boolean; at: number }

export function draftOf(
  { recipient, item, relevance, summary, changes, explanation, isNotice = false }: Found,
  { version, cluster, backlog: isOld, at }: DraftPlace,
): AnnotationDraft {
  const { profile } = recipient
  const backlog = isOld && !isNotice
  return {
    owner: profile.owner,
    profile: profile.id,
    documentId: version.documentId,
    versionId: version.id,
    kind: item.kind,
    at,
    relevance,
    urgency: profile.urgency,
    expiresAt: 0,
    backlog,
    muted: recipient.urd.muted,
    // The first version a recipient follows is the baseline of its changes: no notification.
    silent: backlog && recipient.source.process === 'track',
    // The inbox reads annotations itself. A backlog is shown, but not pushed; muted annotations are neither.
    channels: backlog || recipient.urd.muted ? [] : pushChannels(profile.delivery),
    title: item.title,
    format: version.type.slice(version.type.indexOf('/') + 1),
    extension: /\.([a-z0-9]{1,8})$/i.exec(new URL(version.url).pathname)?.[1]?.toLowerCase() ?? '',
    size: version.size,
    summary,
    changes,
    explanation,
    cluster,
    docbase: '',
    entry: item.entry?.id ?? '',
    link: item.entry?.link ?? '',
    channel: item.entry === null ? '' : version.title,
  }
}

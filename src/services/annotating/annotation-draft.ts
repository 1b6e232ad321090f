import type { AnnotationDraft, MarkedText } from '../../store/contracts/annotations.ts'
import type { Version } from '../../store/contracts/versions.ts'
import type { Recipient } from './recipients.ts'

/** A version that concerns a recipient, and how. */
export type Found = { recipient: Recipient; relevance: number; summary: MarkedText; explanation: unknown }

export type DraftPlace = { version: Version; cluster: number; backlog: boolean; at: number }

export function draftOf(
  { recipient, relevance, summary, explanation }: Found,
  { version, cluster, backlog, at }: DraftPlace,
): AnnotationDraft {
  const { profile } = recipient
  return {
    owner: profile.owner,
    profile: profile.id,
    documentId: version.documentId,
    versionId: version.id,
    kind: version.reason === 'links' ? 'changed' : version.reason,
    at,
    relevance,
    urgency: profile.urgency,
    expiresAt: 0,
    backlog,
    muted: recipient.urd.muted,
    // The first version a recipient follows is the baseline of its changes: no notification.
    silent: backlog && recipient.source.process === 'track',
    // The inbox reads annotations itself. A backlog is shown, but not pushed; muted annotations are neither.
    channels: backlog || recipient.urd.muted ? [] : profile.delivery.channels.filter((channel) => channel !== 'inbox'),
    title: version.title,
    format: version.type.slice(version.type.indexOf('/') + 1),
    extension: /\.([a-z0-9]{1,8})$/i.exec(new URL(version.url).pathname)?.[1]?.toLowerCase() ?? '',
    size: version.size,
    summary,
    explanation,
    cluster,
    docbase: '',
    entry: '',
  }
}

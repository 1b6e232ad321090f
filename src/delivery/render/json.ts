import { type Message, subjectOf } from './message.ts'

/** For programs: the same names as in the API. */
export function messageJson(message: Message): Record<string, unknown> {
  const { id, kind, at, items, leftOut, links } = message
  return {
    id,
    type: kind === 'test' ? 'test' : kind === 'digest' ? 'annotations.digest' : 'annotation.created',
    timestamp: new Date(at).toISOString(),
    subject: subjectOf(message),
    leftOut,
    links: { inbox: links.inbox, settings: links.settings },
    data: items.map((item) => ({
      id: item.id,
      kind: item.kind,
      title: item.title,
      url: item.url,
      source: item.source,
      profile: { id: item.record.profile, name: item.profile },
      document: item.record.document,
      version: item.record.version,
      at: new Date(item.at).toISOString(),
      urgency: item.urgency,
      relevance: item.relevance,
      summary: { text: item.summary },
      changes: item.changes.map(({ kind: what, path, before, after }) => ({
        ...{ kind: what, path },
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      })),
      moreChanges: item.moreChanges,
      ...(item.text !== '' && { text: item.text }),
      alsoAt: [...item.alsoAt],
      links: { ...item.links },
    })),
  }
}

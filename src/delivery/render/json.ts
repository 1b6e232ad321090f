import { cutTo, type Message, subjectOf } from './message.ts'

const MAX_TITLE = 2000
const MAX_SUMMARY = 10_000
const MAX_CHANGE = 10_000
const MAX_TEXT = 50_000

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
      title: cutTo(item.title, MAX_TITLE),
      url: item.url,
      source: item.source,
      profile: { ...(item.file !== undefined && { id: item.file.profile }), name: cutTo(item.profile, MAX_TITLE) },
      ...(item.file !== undefined && { document: item.file.document, version: item.file.version }),
      at: new Date(item.at).toISOString(),
      urgency: item.urgency,
      relevance: item.relevance,
      summary: { text: cutTo(item.summary, MAX_SUMMARY) },
      changes: item.changes.map(({ kind: what, path, before, after }) => ({
        ...{ kind: what, path: cutTo(path, MAX_TITLE) },
        ...(before !== undefined && { before: cutTo(before, MAX_CHANGE) }),
        ...(after !== undefined && { after: cutTo(after, MAX_CHANGE) }),
      })),
      moreChanges: item.moreChanges,
      ...(item.text !== '' && { text: cutTo(item.text, MAX_TEXT) }),
      alsoAt: [...item.alsoAt],
      links: { ...item.links },
    })),
  }
}

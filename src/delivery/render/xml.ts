import { type Aci, aciElement } from '../../xml/aci/aci.ts'
import { declaration } from '../../xml/xml-writing.ts'
import { cutTo, type Message, type MessageItem } from './message.ts'

const MAX_TITLE = 2000
const MAX_SUMMARY = 10_000
const MAX_CHANGE = 10_000

/** Annotations as the papers write them (ACI, `src/xml/aci.dtd`): a file of all items. A test has none. */
export function messageXml({ items, owner = '' }: Message): string {
  return `${declaration}<acis>\n${items.map((item) => aciElement(aciOf(item, owner))).join('')}</acis>\n`
}

function aciOf(item: MessageItem, owner: string): Aci {
  const { id, kind, title, url, at, urgency, relevance, summary, changes, moreChanges, alsoAt, links, file } = item
  const cut = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : cutTo(text, MAX_CHANGE)
  return {
    owner,
    extension: file?.extension ?? '',
    format: file?.format ?? '',
    ...{ relevance, urgency, kind, updatedAt: at },
    bytes: file?.bytes ?? 0,
    uri: url,
    docbase: links.cached,
    isExpired: false,
    expiresAt: null,
    summary: { text: cutTo(summary, MAX_SUMMARY), marks: [] },
    id: String(id),
    profile: file?.profile ?? '',
    document: file === undefined ? '' : String(file.document),
    version: file === undefined ? '' : String(file.version),
    isBacklog: false,
    title: cutTo(title, MAX_TITLE),
    alsoAt,
    explanation: null,
    changes: {
      list: changes.map(({ kind: what, path, before, after }) => {
        const [old, now] = [cut(before), cut(after)]
        return {
          ...{ kind: what, path: cutTo(path, MAX_TITLE) },
          ...(old !== undefined && { before: old }),
          ...(now !== undefined && { after: now }),
        }
      }),
      more: moreChanges,
    },
    ...{ entry: '', link: '', channel: '' },
  }
}

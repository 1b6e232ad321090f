import { type Aci, aciElement } from '../../xml/aci/aci.ts'
import { declaration } from '../../xml/xml-writing.ts'
import type { Message, MessageItem } from './message.ts'

/** Annotations as the papers write them (ACI, `src/xml/aci.dtd`): a file of all items. A test has none. */
export function messageXml({ items, owner = '' }: Message): string {
  return `${declaration}<acis>\n${items.map((item) => aciElement(aciOf(item, owner))).join('')}</acis>\n`
}

function aciOf(item: MessageItem, owner: string): Aci {
  const { id, kind, title, url, at, urgency, relevance, summary, changes, moreChanges, alsoAt, links, file } = item
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
    summary: { text: summary, marks: [] },
    id: String(id),
    profile: file?.profile ?? '',
    document: file === undefined ? '' : String(file.document),
    version: file === undefined ? '' : String(file.version),
    isBacklog: false,
    title,
    alsoAt,
    explanation: null,
    changes: {
      list: changes.map(({ kind: what, path, before, after }) => ({
        ...{ kind: what, path },
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      })),
      more: moreChanges,
    },
    ...{ entry: '', link: '', channel: '' },
  }
}

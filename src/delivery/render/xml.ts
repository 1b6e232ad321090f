import { type Aci, aciElement } from '../../xml/aci/aci.ts'
import { declaration } from '../../xml/xml-writing.ts'
import type { Message, MessageItem } from './message.ts'

/** Annotations in the format of the papers (ACI, `src/xml/aci.dtd`): one file with all items. A test has none. */
export function messageXml({ items }: Message): string {
  return `${declaration}<acis>\n${items.map((item) => aciElement(aciOf(item))).join('')}</acis>\n`
}

function aciOf(item: MessageItem): Aci {
  const { id, kind, title, url, at, urgency, relevance, summary, changes, moreChanges, alsoAt, links, record } = item
  return {
    owner: record.owner,
    extension: record.extension,
    format: record.format,
    ...{ relevance, urgency, kind, updatedAt: at },
    bytes: record.bytes,
    uri: url,
    docbase: links.cached,
    isExpired: false,
    expiresAt: null,
    summary: { text: summary, marks: [] },
    id: String(id),
    profile: record.profile,
    document: String(record.document),
    version: String(record.version),
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

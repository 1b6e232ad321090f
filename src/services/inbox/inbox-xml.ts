import { aciOf } from '../../archive/export/aci-export.ts'
import type { InboxItem } from '../../store/contracts/inbox.ts'
import { writeAci, writeAcis } from '../../xml/aci/aci.ts'

/** Annotations in the grammar of the papers. */
export async function inboxXml(items: readonly InboxItem[], now: number): Promise<string> {
  let xml = ''
  for await (const piece of writeAcis(items.map((item) => aciOf(item, now)))) xml += piece
  return xml
}

export function annotationXml(item: InboxItem, now: number): string {
  return writeAci(aciOf(item, now))
}

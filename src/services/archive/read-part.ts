import type { BodyReader } from '../../archive/body-reader.ts'
import { createPartReader } from '../../core/select/part-blocks.ts'
import { readSelector } from '../../core/select/selector.ts'
import { textOfBlocks } from '../../core/text/blocks.ts'
import type { OmitRules } from '../../core/text/omit-rules.ts'
import { createWorkBudget, isSpent } from '../../core/work/work-budget.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import type { ArchiveReader, PartItem } from './archive-reader.ts'
import type { VisibleDocuments } from './visible-documents.ts'

export type PartReaderDeps = {
  versions: Pick<VersionStore, 'newest'>
  bodies: Pick<BodyReader, 'readText'>
  visible: VisibleDocuments
  omitFor(url: string): OmitRules | null
}

const MAX_VERSIONS = 50
const MAX_TEXT = 1000
/** Work budgets for one version, and for all of them. */
const WORK = { each: 6_000_000, all: 60_000_000 }

/** Reads what selectors match in the versions of a document. Throws `usage-wrong` for an invalid selector. */
export function createPartsReader(deps: PartReaderDeps): Pick<ArchiveReader, 'part'> {
  const readPart = createPartReader()
  return {
    async part({ document: id, select, omit, ...asker }) {
      for (const selector of [...select, ...omit]) readSelector(selector)
      const document = await deps.visible.document(asker, id)
      const newest = await deps.versions.newest(document.id, { before: Number.MAX_SAFE_INTEGER, limit: MAX_VERSIONS })
      const all = createWorkBudget(WORK.all)
      const items: PartItem[] = []
      for (const version of newest) {
        const place = { version: version.id, n: version.n, at: new Date(version.firstSeenAt).toISOString() }
        if (isSpent(all)) {
          items.push({ ...place, state: 'too-expensive', text: '' })
          continue
        }
        const kept = await deps.bodies.readText(version)
        if (kept.kind !== 'body') {
          items.push({ ...place, state: 'no-body', text: '' })
          continue
        }
        const budget = createWorkBudget(WORK.each)
        const content = { body: kept.body, contentType: kept.contentType, omit: deps.omitFor(version.url) }
        const read = readPart(content, { select, omit }, budget)
        all.left -= WORK.each - budget.left
        const text = read.kind === 'blocks' && read.blocks !== null ? textOfBlocks(read.blocks).slice(0, MAX_TEXT) : ''
        items.push({ ...place, state: read.kind === 'blocks' ? 'some' : read.kind, text: text.toWellFormed() })
      }
      return items
    },
  }
}

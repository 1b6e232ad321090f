import type { PassedOver } from '../../core/reports/search-report.ts'
import type { IndexedText, SearchIndex } from '../../store/contracts/search.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'
import { readAhead } from '../read-ahead.ts'
import type { VersionTexts } from './version-text.ts'

export type IndexUpdate = {
  index: SearchIndex
  versions: Pick<VersionStore, 'versions'>
  texts: VersionTexts
  /** Called before each version; versions read so far are kept. May block. */
  mustStop(): boolean
  /** Called after each batch with the watermark. */
  onBatch(watermark: number): void
  /** Gives up if another indexer holds the index for longer: that one brings it up to date. */
  maxWaitMs?: number
}

/** A batch is one transaction: small enough for memory, large enough that the commit costs little. */
const MAX_BATCH_CHARS = 1_000_000
const MAX_BATCH_VERSIONS = 500

/**
 * Brings the index up to date with the catalogue. Each batch is committed together with its watermark, so an indexer that is killed or
 * overtaken by another loses one batch at most and repeats nothing. Returns the number of versions added.
 */
export async function updateIndex(update: IndexUpdate): Promise<number> {
  const { index, versions, texts, mustStop, onBatch, maxWaitMs } = update
  let added = 0
  let watermark = await index.watermark()
  for (;;) {
    const page = await versions.versions({ after: watermark, limit: MAX_BATCH_VERSIONS })
    const batch = await readBatch(page, texts, mustStop)
    const { upTo } = batch
    if (upTo === null) return added
    const outcome = await index.add({ ...batch, after: watermark, upTo }, maxWaitMs)
    if (outcome.kind === 'busy') return added
    if (outcome.kind === 'added') added += batch.texts.length
    watermark = outcome.kind === 'added' ? upTo : outcome.watermark
    onBatch(watermark)
  }
}

type Batch = { upTo: number | null; texts: IndexedText[]; passedOver: Record<PassedOver, number> }

async function readBatch(page: readonly Version[], source: VersionTexts, mustStop: () => boolean): Promise<Batch> {
  const batch: Batch = { upTo: null, texts: [], passedOver: { textless: 0, bodiless: 0, damaged: 0 } }
  let chars = 0
  function* wanted(): Generator<Version> {
    for (const version of page) {
      if (chars > MAX_BATCH_CHARS || mustStop()) return
      yield version
    }
  }
  for await (const [version, read] of readAhead(wanted(), source.read, { weigh: ({ size }) => size })) {
    batch.upTo = version.id
    if (read.kind === 'passed-over') {
      batch.passedOver[read.why]++
      continue
    }
    chars += read.text.length
    batch.texts.push({
      versionId: version.id,
      documentId: version.documentId,
      host: hostOf(version.url),
      at: version.firstSeenAt,
      title: version.title,
      text: read.text,
    })
  }
  return batch
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''
}

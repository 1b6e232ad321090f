import { isForAll } from '../../../core/request.ts'
import type { Capture } from '../../contracts/documents.ts'
import type { RecordPointer } from '../../contracts/objects.ts'
import type { BodyCapture, Original } from '../../rules/versioning.ts'
import type { createArchiveWriter } from '../archive/archive-writer.ts'
import type { Database } from '../folder/database.ts'
import type { prepareStatements } from './document-statements.ts'

/** Bodies of smaller batches, as those of watches, are written in the transaction. They stay in the page cache, and are read soon. */
const AHEAD_BYTES = 256 * 1024

/**
 * Bodies first: those that are new are written before the transaction that adds their rows, so that neither this thread nor the
 * catalogue's write lock waits for the file. If another shard stores an equal body in the meantime, the bytes stay unused.
 */
export function createWriteAhead(
  db: Database,
  sql: Pick<ReturnType<typeof prepareStatements>, 'isDocument' | 'isBody'>,
  archive: ReturnType<typeof createArchiveWriter>,
) {
  /** Records of the present batch that are made already, and where they are if they are in the archive. */
  const made = new Map<Capture, { parts: Uint8Array[]; pointer: RecordPointer | undefined }>()

  function newBodies(captures: readonly Capture[]): BodyCapture[] {
    const digests = new Set<string>()
    const isNew = (capture: BodyCapture): boolean => {
      const { digest } = capture
      if (!isWanted(capture) || sql.isBody.get(digest) !== undefined) return false
      const before = digests.size
      return digests.add(digest.toString('latin1')).size > before
    }
    return db.readTogether(() =>
      captures.filter((capture): capture is BodyCapture => capture.kind === 'body' && isNew(capture)),
    )
  }

  /**
   * Whether a body that is not in the archive will be stored: not if only its links may have changed, or if it may be a part of what is
   * stored. For watches, collected bodies of known documents are not stored again either. A crawl needn't ask for the document.
   */
  function isWanted({ host, fp, check, sameTextAs, truncated }: BodyCapture): boolean {
    if (sameTextAs !== 0 || truncated === 'time') return false
    return isForAll(check) || sql.isDocument.get(host, fp) === undefined
  }

  return {
    async write(captures: readonly Capture[]): Promise<void> {
      if (sizeOf(captures) < AHEAD_BYTES) return
      const bodies = newBodies(captures)
      if (sizeOf(bodies) < AHEAD_BYTES) return
      const records = bodies.map((capture) => capture.render(null))
      const pointers = await archive.writeAhead(records)
      for (const [at, capture] of bodies.entries()) made.set(capture, { parts: records[at]!, pointer: pointers?.[at] })
    },
    /** Called in the transaction: takes over the record that was written ahead, or appends one. */
    keep(capture: BodyCapture, versionId: number, original: Original | null): RecordPointer {
      const record = original === null ? made.get(capture) : undefined
      if (record?.pointer !== undefined) return archive.adopt(versionId, record.pointer)
      return archive.append(versionId, record?.parts ?? capture.render(original))
    },
    /** Called after the transaction, whether it succeeded or not. */
    clear: () => made.clear(),
  }
}

function sizeOf(captures: readonly Capture[]): number {
  let size = 0
  for (const capture of captures) if (capture.kind === 'body') size += capture.size
  return size
}

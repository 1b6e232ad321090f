import { isAppError } from '../../../core/errors.ts'
import type { ImportRow } from '../../contracts/import.ts'
import type { ObjectStore, RecordPointer } from '../../contracts/objects.ts'
import type { Database } from '../folder/database.ts'
import type { Raw } from './source-kind.ts'

export type VersionContentDeps = {
  db: Database
  objects: Pick<ObjectStore, 'read'>
  /** Whether bytes are one complete record with matching digests. */
  isWhole(record: Uint8Array): boolean
}

type Original = { body: string; digest: Uint8Array; file: number; offset: number; length: number }

/** Size of the cache of originals: one that a whole site repeats is read once, not for each page. */
const MAX_REMEMBERED = 50_000

/**
 * Adds the bytes of their records to rows of versions. Records that are unreadable or damaged are treated as by `erace verify --repair`:
 * the version is lost, and so are those that refer to its body; of a `gone` version only the header is lost.
 */
export function createVersionContent({ db, objects, isWhole }: VersionContentDeps) {
  const select = db.prepare('SELECT body, digest, file, offset, length FROM versions WHERE id = ?')
  const readable = new Map<number, Original | null>()

  async function read(pointer: RecordPointer): Promise<Buffer | null> {
    if (pointer.fileId === 0) return null
    try {
      const record = await objects.read(pointer)
      return isWhole(record) ? record : null
    } catch (error) {
      if (isDamage(error)) return null
      throw error
    }
  }

  async function originalOf(id: number): Promise<Original | null> {
    const known = readable.get(id)
    if (known !== undefined) return known
    const row = db.read(() => select.get(id)) as Original | undefined
    const isKept = row !== undefined && row.body === 'kept' && (await read(pointerOf(row))) !== null
    if (readable.size >= MAX_REMEMBERED) readable.clear()
    readable.set(id, isKept ? row : null)
    return isKept ? row : null
  }

  return async (raw: Raw, row: ImportRow): Promise<ImportRow> => {
    const isKept = raw.body === 'kept'
    if (raw.file === 0 && !isKept) return { ...row, content: null }
    const content = await read(pointerOf(raw as unknown as Original))
    const lost = { ...row, content: null, original: row.id!, record: 0, body: raw.body === 'none' ? 'none' : 'lost' }
    if (raw.original === raw.id || !isKept) return content === null ? lost : { ...row, content }
    const original = await originalOf(raw.original as number)
    const isThere = original !== null && Buffer.compare(original.digest, raw.digest as Uint8Array) === 0
    // A version that refers to another's body need not have its own record.
    const isOwnGone = content === null && raw.file !== 0
    return isThere && !isOwnGone ? { ...row, content } : lost
  }
}

const pointerOf = ({ file, offset, length }: Original): RecordPointer => ({ fileId: file, offset, length })

/** The file is missing or too short, or its compression is broken. I/O errors of the disk itself abort the import. */
function isDamage(error: unknown): boolean {
  if (isAppError(error, 'record-damaged') || isAppError(error, 'store-damaged')) return true
  return /^(?:Z_|ERR_BUFFER_TOO_LARGE)/.test(String((error as NodeJS.ErrnoException).code))
}

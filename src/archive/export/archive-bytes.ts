import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ArchiveFile, ObjectStore, RecordPointer } from '../../store/contracts/objects.ts'

/** The bytes of records as they lie in the archive's files: compressed ones stay compressed. What lies in no file comes plain. */
export type ArchiveBytes = {
  /** At least `minBytes` from the start of the record, where it has them. Throws where the file is not there or too short. */
  read(pointer: RecordPointer, minBytes?: number): Promise<ReadBytes>
  /** Files may have been replaced: looks again at what there is. */
  forget(): void
  close(): void
}

export type ReadBytes = { bytes: Buffer; file: ArchiveFile; isWhole: boolean }

type OpenFile = { file: ArchiveFile; fd: number }

const maxOpenFiles = 32

export function createArchiveBytes(objects: Pick<ObjectStore, 'files' | 'read'>): ArchiveBytes {
  let files: Map<number, ArchiveFile> | null = null
  const opened = new Map<number, OpenFile>()

  function close(): void {
    for (const { fd } of opened.values()) closeSync(fd)
    opened.clear()
  }

  function openFile(file: ArchiveFile): OpenFile {
    if (opened.size >= maxOpenFiles) close()
    const entry = { file, fd: openSync(file.path, 'r') }
    opened.set(file.id, entry)
    return entry
  }

  return {
    async read({ fileId, offset, length }, minBytes = length) {
      files ??= new Map((await objects.files()).map((file) => [file.id, file]))
      const known = files.get(fileId)
      if (known === undefined) throw new Error(`the catalogue names archive file ${fileId}, which it does not know`)
      if (known.path === '')
        return { bytes: await objects.read({ fileId, offset, length }), file: known, isWhole: true }
      const { file, fd } = opened.get(fileId) ?? openFile(known)
      if (offset + length > fstatSync(fd).size) throw new Error(`${file.name} ends before the record at ${offset} does`)
      const bytes = Buffer.allocUnsafe(Math.min(length, minBytes))
      let done = 0
      while (done < bytes.length) {
        const count = readSync(fd, bytes, done, bytes.length - done, offset + done)
        if (count === 0) throw new Error(`${file.name} ends before the record at ${offset} does`)
        done += count
      }
      return { bytes, file, isWhole: bytes.length === length }
    },
    forget() {
      files = null
      close()
    },
    close,
  }
}

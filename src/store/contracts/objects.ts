/**
 * Archived records (WARC records, opaque here) in append-only files. A record that was appended counts only when
 * a catalogue row points at it; what was written behind the last such row is cut off when the store is opened again.
 */
export type ObjectStore = {
  read(pointer: RecordPointer): Promise<Buffer>
  files(): Promise<ArchiveFile[]>
  /** All catalogued records of one file, in the order of their offsets. */
  records(fileId: number): Promise<CataloguedRecord[]>
}

export type RecordPointer = { fileId: number; offset: number; length: number }

export type ArchiveFile = {
  id: number
  name: string
  path: string
  /** `open`: still written to; `closed`: plain, waits for compression; `compressed`: one gzip member per record. */
  state: 'open' | 'closed' | 'compressed'
  /** Bytes that count; anything behind is not stored. */
  length: number
}

export type CataloguedRecord = RecordPointer & {
  versionId: number
  url: string
  digest: Buffer
  size: number
  revisit: boolean
}

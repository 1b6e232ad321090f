/**
 * Archived records (WARC records, opaque here). A record counts only when a catalogue row points at it; an engine with files cuts off
 * what was written behind the last such record when the store is opened again.
 */
export type ObjectStore = {
  read(pointer: RecordPointer): Promise<Buffer>
  volumes(): Promise<Volume[]>
  /** All catalogued records of one volume, in the order of their offsets. */
  records(volumeId: number): Promise<CataloguedRecord[]>
}

/** `fileId` is that of the volume. */
export type RecordPointer = { fileId: number; offset: number; length: number }

/** Where records lie: a file of the archive, or a partition of the database. */
export type Volume = ArchiveFile | RecordPartition

/** `length` is an estimate. */
export type RecordPartition = { kind: 'partition'; id: number; name: string; length: number }

export type ArchiveFile = {
  kind: 'file'
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

/**
 * Archived records (WARC records, opaque here). A record exists only if a catalogue row points at it; when the store is reopened, an
 * engine with files truncates everything after the last such record.
 */
export type ObjectStore = {
  read(pointer: RecordPointer): Promise<Buffer>
  volumes(): Promise<Volume[]>
  /** All catalogued records of one volume, in the order of their offsets. */
  records(volumeId: number): Promise<CataloguedRecord[]>
}

/** `fileId` is that of the volume. */
export type RecordPointer = { fileId: number; offset: number; length: number }

/** Location of records: a file of the archive, or a partition of the database. */
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
  /** Length of the valid content; ignore anything after it. */
  length: number
}

export type CataloguedRecord = RecordPointer & {
  versionId: number
  url: string
  digest: Buffer
  size: number
  revisit: boolean
}

/**
 * Records outside the database: files in a folder that all machines share, or objects on an S3 server. The database holds a row per
 * record with its location.
 *
 * A **segment** is what one writer appends to: a file, or a series of write-once objects (packs). Its row is created before its first
 * byte and removed after its last. States:
 *
 *   open        its writer appends, and keeps confirming its row
 *   closed      full, given up by its writer, or left behind by one that died; nothing more is appended
 *   compressed  closed, with each record compressed separately. `places` maps records to their new locations; their rows stay unchanged
 *   kept        closed, and left uncompressed because something in it can't be read
 */
export type Segment = { id: number; backend: BackendKind; name: string; state: SegmentState; places: Buffer | null }

export type SegmentState = 'open' | 'closed' | 'compressed' | 'kept'

export type BackendKind = 'folder' | 's3'

/** Location of a record, as stored in its row. `pack` is 0 in a file. */
export type Place = { segment: number; pack: number; offset: number; length: number }

/** `isPacked`: the record was compressed before it was written. */
export type PlacedRecord = Omit<Place, 'segment'> & { isPacked: boolean }

export type ObjectBackend = {
  readonly kind: BackendKind
  /** Location to show to users, without secrets. */
  readonly address: string
  /** Maximum number of concurrent appends. */
  readonly parallel: number
  /** How long an append waits for others to join its batch. */
  readonly gatherMs: number
  create(name: string): Promise<SegmentWriter>
  /**
   * The bytes of a record, uncompressed if the segment is compressed. Throws `record-damaged` if they are missing: the segment may just
   * have been replaced.
   */
  read(segment: Segment, place: Place): Promise<Buffer>
  /** The existing packs of a segment. */
  packs(segment: Segment): Promise<Pack[]>
  removePack(segment: Segment, pack: number): Promise<void>
  /** Compresses each record of a closed segment separately; null if records are compressed before they are written. */
  compress: ((segment: Segment) => Promise<CompressedSegment>) | null
  /** Removes the uncompressed form once the row says that the segment is compressed. */
  removePlain(segment: Segment): Promise<void>
  close(): Promise<void>
}

/** `bytes`: its size as stored. */
export type Pack = { pack: number; bytes: number }

/** `whole`: length of the readable prefix; less than `length` if a writer died in the middle of a record. */
export type CompressedSegment = { places: Buffer; bytes: number; whole: number; length: number }

/** Appends to one segment. Concurrent appends may complete in any order. */
export type SegmentWriter = {
  /** Durable, on disk or on the server, when it resolves. Each record is a list of chunks. A failed append stores none of them. */
  append(records: readonly (readonly Uint8Array[])[]): Promise<PlacedRecord[]>
  readonly bytes: number
  isFull(): boolean
  close(): Promise<void>
}

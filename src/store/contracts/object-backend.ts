/**
 * Records outside of the database: files of a folder that all machines share, or objects of an S3 server. The database holds a row per
 * record that says where it lies.
 *
 * A **segment** is what one writer appends to: a file, or a series of objects (packs) that are written once. Its row is there before its
 * first byte and goes after its last. States:
 *
 *   open        its writer appends, and confirms its row while it does
 *   closed      full, given up by its writer, or left by one that died; nothing is appended any more
 *   compressed  closed, and each record packed by itself. `places` says where records lie now: the rows of records stay as they are
 *   kept        closed, and left as it is: something in it can't be read
 */
export type Segment = { id: number; backend: BackendKind; name: string; state: SegmentState; places: Buffer | null }

export type SegmentState = 'open' | 'closed' | 'compressed' | 'kept'

export type BackendKind = 'folder' | 's3'

/** Where the bytes of a record are, as its row says. `pack` is 0 in a file. */
export type Place = { segment: number; pack: number; offset: number; length: number }

/** How the bytes at a place are to be read. */
export type PlacedRecord = Omit<Place, 'segment'> & { isPacked: boolean }

export type ObjectBackend = {
  readonly kind: BackendKind
  /** Where it is, for people; without secrets. */
  readonly address: string
  /** How many appends may be under way at a time. */
  readonly parallel: number
  /** How long an append waits for others to join it. */
  readonly gatherMs: number
  create(name: string): Promise<SegmentWriter>
  /**
   * The bytes of a place, unpacked where the segment is compressed. Throws `record-damaged` where they aren't there: the segment may just
   * have been replaced.
   */
  read(segment: Segment, place: Place): Promise<Buffer>
  /** What there is of a segment. */
  packs(segment: Segment): Promise<Pack[]>
  removePack(segment: Segment, pack: number): Promise<void>
  /** Packs each record of a closed segment by itself; null where records are packed before they are written. */
  compress: ((segment: Segment) => Promise<CompressedSegment>) | null
  /** Removes what is left of the plain form once the row says that the segment is compressed. */
  removePlain(segment: Segment): Promise<void>
  close(): Promise<void>
}

/** `bytes`: what it takes where it lies. */
export type Pack = { pack: number; bytes: number }

/** `whole`: bytes up to which records could be read; less than `length` where a writer died in the midst of one. */
export type CompressedSegment = { places: Buffer; bytes: number; whole: number; length: number }

/** Appends of one segment. Those under way at the same time may end in any order. */
export type SegmentWriter = {
  /** On disk, or on the server, when it resolves. Records come in pieces. Nothing of a failed append counts. */
  append(records: readonly (readonly Uint8Array[])[]): Promise<PlacedRecord[]>
  readonly bytes: number
  isFull(): boolean
  close(): Promise<void>
}
